"""Sends keys and types texts: by pasting, by single keys, or by setting a field's contents."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from handrail.features.desktop.backends.actions.accessible import EDITABLE_TEXT, Accessible
from handrail.features.desktop.backends.actions.element_actions import ElementActions
from handrail.features.desktop.backends.actions.field import EMPTY, Field
from handrail.features.desktop.backends.atspi.bus import AccessibilityBus
from handrail.features.desktop.backends.compositor import Check, Compositor, TopWindow
from handrail.features.desktop.desktop_port import Delivery, Element, KeyCombination, Window
from handrail.ports.errors import Conflict, InvalidParams, NotFound, PermissionMissing

_SELECT_ALL = KeyCombination(("ctrl",), "a")
_DELETE = KeyCombination((), "delete")
_PASTE = KeyCombination(("ctrl",), "v")
_PASTE_IN_TERMINAL = KeyCombination(("ctrl", "shift"), "v")
_MAX_TYPED = 2_000
_REQUEST_SECONDS = 1.0
_TRANSFER_SECONDS = 2.0
_SECONDS_PER_MEGABYTE = 10.0
_SECOND_REQUEST_SECONDS = 0.1
"""Some programs request the content a second time."""
_TERMINALS = frozenset(
    {
        *("alacritty", "blackbox", "com.gexperts.tilix", "contour", "cool-retro-term", "deepin-terminal", "foot"),
        *("ghostty", "gnome-terminal", "gnome-terminal-server", "guake", "io.elementary.terminal", "kgx", "kitty"),
        *("konsole", "lxterminal", "mate-terminal", "org.gnome.console", "org.gnome.ptyxis", "org.gnome.terminal"),
        *("org.wezfurlong.wezterm", "ptyxis", "qterminal", "sakura", "terminator", "terminology", "tilda", "tilix"),
        *("wezterm", "wezterm-gui", "xfce4-terminal", "yakuake"),
    }
)
_SPREADSHEETS = frozenset({"libreoffice-calc", "gnumeric", "et", "calligrasheets"})
_KEYS_IN_TEXT = frozenset("\n\r\t")
_WITHOUT_PASTE = frozenset({"xterm", "uxterm", "rxvt", "urxvt", "st", "st-256color", "aterm", "eterm"})


class KeyboardInput:
    """Types only into the target window, whose focus is checked before each key."""

    def __init__(self, bus: AccessibilityBus, compositor: Compositor, actions: ElementActions) -> None:
        self._bus = bus
        self._compositor = compositor
        self._windows = compositor.windows
        self._actions = actions
        self._clipboard = compositor.clipboard
        self._keyboard = compositor.keyboard

    async def send_keys(self, window: Window, combinations: Sequence[KeyCombination], *, delay_ms: int) -> None:
        top = await self._actions.require_top_window(window)
        check = partial(self._windows.require_focus, top.id)
        await self._keyboard.send(combinations, before_each=check, delay_ms=delay_ms)

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        if "\0" in text:
            raise InvalidParams("A text can't contain the character NUL.")
        field = None
        if element is not None:
            field = Field(await Accessible.of(self._bus, element.handle), element, text)
            await field.accessible.require_states()
        try:
            top = await self._require_front(window)
        except PermissionMissing:
            if field is None:
                raise
            return await self._set_contents(field, text, clear_before=clear_before)
        if field is not None and window is not None and not await self._actions.focus(window, field.element):
            return await self._set_contents(field, text, clear_before=clear_before)
        check = partial(self._windows.require_focus, top.id)
        if clear_before:
            await self._clear(field, check)
        if field is not None:
            await field.remember(is_cleared=clear_before)
        return await self._deliver(top, field, text, check)

    async def _deliver(self, top: TopWindow, field: Field | None, text: str, check: Check) -> Delivery:
        if not text:
            return await self._delete_selection(field, check)
        names = {name.lower() for name in top.classes}
        can_paste = not names & _WITHOUT_PASTE
        if len(text) <= _MAX_TYPED and (_is_for_cell(names, field) or (names & _TERMINALS and _KEYS_IN_TEXT & {*text})):
            can_paste = False  # a pasted formula would stay a text, and a shell doesn't run a pasted line
        if can_paste:
            shortcut = _PASTE_IN_TERMINAL if names & _TERMINALS else _PASTE
            if (delivery := await self._paste(top, field, text, shortcut, check)) is not None:
                return delivery
        if len(text) <= _MAX_TYPED and (field is None or not can_paste or field.takes_as_keys(text)):
            arrived = partial(_shows_text, field)
            return Delivery("keys", await self._keyboard.write(text, before_each=check, arrived=arrived))
        if field is None:
            raise Conflict("The window doesn't accept pasting, and the text is too long to type key by key.")
        return await self._set_contents(field, text, clear_before=False)

    async def _paste(
        self, top: TopWindow, field: Field | None, text: str, shortcut: KeyCombination, check: Check
    ) -> Delivery | None:
        """Returns None if the program did not request the text."""
        async with self._clipboard.lending(text, top.id) as offer:
            await self._keyboard.send([shortcut], before_each=check)
            if not await _is_set(offer.requested, _REQUEST_SECONDS):
                # A busy program handles the keys later, when the content would be different: wait until it answers.
                if field is not None:
                    await field.accessible.states()
                if not await _is_set(offer.requested, _REQUEST_SECONDS):
                    return None
            if not await _is_set(offer.transferred, _TRANSFER_SECONDS + len(text) / 1e6 * _SECONDS_PER_MEGABYTE):
                return Delivery("paste", False)
            is_verified = await _shows_text(field)
            if is_verified is None:
                await asyncio.sleep(_SECOND_REQUEST_SECONDS)
            return Delivery("paste", is_verified)

    async def _require_front(self, window: Window | None) -> TopWindow:
        if not self._compositor.can_act:
            raise PermissionMissing("No keys can be sent in this session.", hint="`handrail doctor` says why.")
        if window is None:
            active = self._windows.active() or self._windows.focused_window()
            top = self._windows.read(active) if active is not None else None
            if top is None:
                raise Conflict("No window has the keyboard focus.", hint="Name the app or the window to type into.")
            return top
        top = await self._actions.require_top_window(window)
        if not await self._windows.activate(top.id):
            raise Conflict("The window can't be brought to the front.", hint="Another window may prevent it.")
        return top

    async def _clear(self, field: Field | None, check: Check) -> None:
        """Selects the field's content, so that the new text replaces it."""
        if field is not None:
            length = await field.accessible.length()
            if length == 0 or (length is not None and await field.accessible.select(0, length)):
                return
            if not field.is_whole:
                raise Conflict("The element's text can't be selected, and the whole document must not be cleared.")
        await self._keyboard.send([_SELECT_ALL], before_each=check)

    async def _delete_selection(self, field: Field | None, check: Check) -> Delivery:
        if field is None or await field.accessible.length():
            await self._keyboard.send([_DELETE], before_each=check)
        return Delivery("keys", await _shows_text(field))

    async def _set_contents(self, field: Field, text: str, *, clear_before: bool) -> Delivery:
        if EDITABLE_TEXT not in await field.accessible.interfaces():
            raise NotFound("The element can't be focused, and its text can't be set either.")
        await field.remember(is_cleared=clear_before)
        content_before = field.before or EMPTY
        if field.is_secret and not clear_before and await field.accessible.length():
            raise Conflict("A password field's content can't be kept: set clearBefore.")
        if not await field.accessible.set_contents(text if field.is_secret else content_before.replaced_by(text)):
            raise Conflict("The app did not accept the text.")
        return Delivery("contents", await field.shows_text())


def _is_for_cell(window_names: set[str], field: Field | None) -> bool:
    if field is not None:
        return field.element.native_role == "table cell"
    return bool(window_names & _SPREADSHEETS)


async def _shows_text(field: Field | None) -> bool | None:
    return await field.shows_text() if field is not None else None


async def _is_set(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()
