"""Brings a text into a field: by paste; by keys where nothing is pasted; as contents where there are no keys either.

Refuses to type anywhere but in the window that is meant: that is looked at before each key.
"""

import asyncio
from collections.abc import Awaitable, Callable

from handrail.features.desktop.backends.acting.accessible import EDITABLE_TEXT, Accessible, Writing
from handrail.features.desktop.backends.acting.focusing import Focusing
from handrail.features.desktop.backends.acting.key_windows import KeyWindows
from handrail.features.desktop.backends.acting.pasting import Pasting, can_paste
from handrail.features.desktop.backends.acting.written_text import composed, has_arrived
from handrail.features.desktop.backends.atspi.bus import PATIENCE, AccessibilityBus
from handrail.features.desktop.backends.x11.input import Check, Keyboard
from handrail.features.desktop.backends.x11.windows import TopWindow, TopWindows
from handrail.features.desktop.platform import Combination, Delivery, Element, Window
from handrail.ports.errors import Conflict, InvalidParams, NotFound, PermissionMissing, Timeout

_SELECT_ALL = Combination(("ctrl",), "a")
_DELETE = Combination((), "delete")
_SECRET = "AXSecureTextField"
_MOST_BY_KEYS = 2_000
_ARRIVING_SECONDS = 1.5
_SECONDS_A_MEGABYTE = 15.0
_LOOK_EVERY = 0.02
_LOOK_AT_LEAST_EVERY = 0.4
_EMPTY = Writing("", 0, 0)


class Typing:
    def __init__(
        self,
        bus: AccessibilityBus,
        windows: TopWindows,
        key_windows: KeyWindows,
        focusing: Focusing,
        pasting: Pasting,
        keyboard: Keyboard,
    ) -> None:
        self._bus = bus
        self._windows = windows
        self._key_windows = key_windows
        self._focusing = focusing
        self._pasting = pasting
        self._keyboard = keyboard

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        if "\0" in text:
            raise InvalidParams("A text can't hold the character NUL.")
        field = None
        if element is not None:
            field = _Field(await Accessible.behind(self._bus, element.handle), element, text)
            await field.accessible.living_states()
        try:
            top = await self._in_front(window)
        except PermissionMissing:
            if field is None:
                raise
            return await self._set_contents(field, text, clear_before=clear_before)
        if field is not None and window is not None and not await self._focusing.focus(window, field.element):
            return await self._set_contents(field, text, clear_before=clear_before)
        check = self._key_windows.check(top)
        if clear_before:
            await self._clear(field, check)
        if field is not None:
            await field.remember(is_cleared=clear_before)
        return await self._deliver(top, field, text, check)

    async def _deliver(self, top: TopWindow, field: "_Field | None", text: str, check: Check) -> Delivery:
        async def arrived() -> bool | None:
            return await field.shows() if field is not None else None

        async def answers() -> None:
            if field is not None:
                await field.accessible.states()

        if not text:
            return await self._delete_selected(field, check)
        if can_paste(top):
            is_taken, is_there = await self._pasting.paste(top, text, check=check, answers=answers, arrived=arrived)
            if is_taken:
                return Delivery("paste", is_there)
        if len(text) <= _MOST_BY_KEYS and (field is None or field.takes_as_keys(text)):
            verdicts: list[bool | None] = []

            async def seen() -> None:
                verdicts.append(await arrived())

            await self._keyboard.write(text, before_each=check, arrived=seen)
            return Delivery("keys", verdicts[0])
        if field is None:
            raise Conflict("The window took no paste, and the text is too long for single keys.")
        return await self._set_contents(field, text, clear_before=False)

    async def _in_front(self, window: Window | None) -> TopWindow:
        if window is None:
            active = self._windows.active() or self._windows.focused()
            top = self._windows.read(active) if active is not None else None
            if top is None:
                raise Conflict("No window has the keys.", hint="Name the app or the window to type into.")
            return top
        top = await self._key_windows.behind(window)
        if not await self._windows.activate(top.id):
            raise Conflict("The window can't be brought to the front.", hint="Another window may be holding it back.")
        return top

    async def _clear(self, field: "_Field | None", check: Check) -> None:
        """Selects all that the field holds, so that what comes takes its place."""
        if field is not None:
            length = await field.accessible.length()
            if length == 0 or (length is not None and await field.accessible.select(0, length)):
                return
            if not field.is_whole:
                raise Conflict("The element's text can't be selected, and the whole document must not be cleared.")
        await self._keyboard.send([_SELECT_ALL], before_each=check)

    async def _delete_selected(self, field: "_Field | None", check: Check) -> Delivery:
        if field is None or await field.accessible.length():
            await self._keyboard.send([_DELETE], before_each=check)
        return Delivery("keys", await field.shows() if field is not None else None)

    async def _set_contents(self, field: "_Field", text: str, *, clear_before: bool) -> Delivery:
        if EDITABLE_TEXT not in await field.accessible.interfaces():
            raise NotFound("The element can't be given the focus, and its text can't be set either.")
        await field.remember(is_cleared=clear_before)
        before = field.before or _EMPTY
        if field.is_secret and not clear_before and await field.accessible.length():
            raise Conflict("What is in a password field can't be kept: ask for it to be cleared before.")
        if not await field.accessible.set_contents(text if field.is_secret else composed(before, text)):
            raise Conflict("The app did not take the text.")
        return Delivery("contents", await field.shows())


class _Field:
    """What is typed into, and what it held before."""

    def __init__(self, accessible: Accessible, element: Element, text: str) -> None:
        self.accessible = accessible
        self.element = element
        self.before: Writing | None = None
        self._text = text
        self._length_before: int | None = None

    @property
    def is_secret(self) -> bool:
        return self.element.role == _SECRET

    @property
    def is_whole(self) -> bool:
        """Not a part of a document, in which selecting all means the document."""
        return self.element.native_role != "paragraph"

    def takes_as_keys(self, text: str) -> bool:
        """Enter would send a form off, Tab go on to the next field."""
        return "multi-line" in self.element.states or not set(text) & set("\r\n\t")

    async def remember(self, *, is_cleared: bool) -> None:
        """`is_cleared`: what it holds is about to be replaced, so nothing of it counts."""
        length = await self.accessible.length()
        self._length_before = 0 if is_cleared and length is not None else length
        if not self.is_secret:
            self.before = await self.accessible.writing() if not is_cleared else _EMPTY

    async def shows(self) -> bool | None:
        """Waits for the text; None where the field lets nobody read it."""
        if self._length_before is None:
            return None
        return await _comes_true(self._holds, _ARRIVING_SECONDS + len(self._text) / 1e6 * _SECONDS_A_MEGABYTE)

    async def _holds(self) -> bool:
        if self.before is None:
            return await self.accessible.length() == (self._length_before or 0) + len(self._text)
        now = await self.accessible.writing()
        return now is not None and has_arrived(self.before, self._text, now.text)


async def _comes_true(look: Callable[[], Awaitable[bool]], seconds: float) -> bool | None:
    """None where the app was too busy to tell. Only the time between two looks counts against the others."""
    left, pause, is_told = seconds, _LOOK_EVERY, False
    while left > 0:
        try:
            if await look():
                return True
            is_told = True
        except Timeout:
            left -= PATIENCE
        await asyncio.sleep(pause)
        left -= pause
        pause = min(pause * 1.5, _LOOK_AT_LEAST_EVERY)
    return False if is_told else None
