"""Lends the clipboard a text for one program to paste, then restores what it held."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from Xlib import X
from Xlib.protocol import event as events

from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.selection import Content, SelectionWindow

_NOT_CONTENT = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION"})
_TEXT_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain")
_MOST_TARGETS = 40
_MOST_BYTES = 32 * 1024 * 1024
_ANSWER_SECONDS = 1.0
_SAVE_SECONDS = 5.0
_HAND_OVER_SECONDS = 1.0
_PART_BYTES = 128 * 1024
"""Below the 256 KiB that every X server takes in one request."""


class Offer:
    """Answers programs that ask for our clipboard content; large contents go in parts."""

    def __init__(
        self, x11: X11, selection: SelectionWindow, contents: Mapping[int, Content], since: int, only_for: int | None
    ) -> None:
        self.contents = contents
        self.requested = asyncio.Event()
        """Set when a program that may have the content begins to take it."""
        self.transferred = asyncio.Event()
        """Set when it has all of it."""
        self._selection = selection
        self.owned_since = since
        self._x11 = x11
        self._only_for = only_for
        self._unfinished: dict[tuple[int, int], tuple[Content, int]] = {}
        self._targets, self._timestamp, self._multiple, self._incr, self._atom_type, self._pairs = (
            selection.atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE", "INCR", "ATOM", "ATOM_PAIR")
        )

    def answer(self, request: Any) -> None:
        """Tells the requestor where its answer is, or that there is none."""
        place = request.property or request.target
        requestor = request.requestor
        is_allowed = self._only_for is None or self._x11.is_same_client(requestor.id, self._only_for)
        is_given = is_allowed and self._give(requestor, request.target, place)
        requestor.send_event(
            events.SelectionNotify(
                time=request.time,
                requestor=requestor,
                selection=request.selection,
                target=request.target,
                property=place if is_given else X.NONE,
            )
        )
        self._selection.display.flush()

    def send_next_part(self, deleted: Any) -> None:
        """Called when the requestor has deleted a part; an empty part ends the transfer."""
        key = (deleted.window.id, deleted.atom)
        if (unfinished := self._unfinished.get(key)) is None:
            return
        content, at = unfinished
        part = content.value[at : at + _PART_BYTES]
        deleted.window.change_property(deleted.atom, content.type, 8, part)
        if part:
            self._unfinished[key] = (content, at + len(part))
        else:
            del self._unfinished[key]
            self.transferred.set()
        self._selection.display.flush()

    def _give(self, requestor: Any, target: int, place: int) -> bool:
        if target == self._targets:
            known = [self._targets, self._timestamp, self._multiple, *self.contents]
            requestor.change_property(place, self._atom_type, 32, known)
            return True
        if target == self._timestamp:
            requestor.change_property(place, self._selection.atom("INTEGER"), 32, [self.owned_since])
            return True
        if target == self._multiple:
            return self._give_several(requestor, place)
        if (content := self.contents.get(target)) is None:
            return False
        self.requested.set()
        if content.format == 8 and content.size > _PART_BYTES:
            requestor.change_attributes(event_mask=X.PropertyChangeMask)
            requestor.change_property(place, self._incr, 32, [content.size])
            self._unfinished[requestor.id, place] = (content, 0)
        else:
            requestor.change_property(place, content.type, content.format, content.value)
            self.transferred.set()
        return True

    def _give_several(self, requestor: Any, place: int) -> bool:
        asked = requestor.get_full_property(place, X.AnyPropertyType)
        if asked is None or asked.format != 32:
            return False
        pairs = list(asked.value)
        for at in range(0, len(pairs) - 1, 2):
            if pairs[at] == self._multiple or not self._give(requestor, pairs[at], pairs[at + 1]):
                pairs[at + 1] = X.NONE
        requestor.change_property(place, self._pairs, 32, pairs)
        return True


class Clipboard:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._selection: SelectionWindow | None = None
        self._offer: Offer | None = None
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def lending(self, text: str, pasting_window: int) -> AsyncIterator[Offer]:
        """Only the program of that window gets the text, so no clipboard manager keeps it in its history."""
        async with self._turn:
            selection = self._open()
            before = await self._saved(selection)
            lent = self._own(selection, _contents(selection, text), await selection.now(), pasting_window)
            try:
                yield lent
            finally:
                selection.catch_up()
                if self._offer is lent:
                    self._restore(selection, before, lent.owned_since)

    async def text(self) -> str | None:
        """None where it is empty or holds no text."""
        async with self._turn:
            selection = self._open()
            held = await self._saved(selection)
        for name in _TEXT_TARGETS:
            if (content := held.get(selection.atom(name))) is not None and content.format == 8:
                return bytes(content.value).decode("utf-8", "replace")
        return None

    async def put(self, text: str) -> None:
        """It stays until another program copies something, or handrail ends and no clipboard manager keeps it."""
        async with self._turn:
            selection = self._open()
            self._own(selection, _contents(selection, text), await selection.now())

    async def close(self) -> None:
        """Hands what a person copied to the clipboard manager, if there is one."""
        selection, self._selection = self._selection, None
        if selection is None or selection.is_lost:
            return
        if self._offer is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_HAND_OVER_SECONDS):
                    manager = selection.atom("CLIPBOARD_MANAGER")
                    if selection.display.get_selection_owner(manager):
                        await selection.read(manager, selection.atom("SAVE_TARGETS"), most=0)
        self._offer = None
        selection.close()

    def _open(self) -> SelectionWindow:
        if self._selection is None or self._selection.is_lost:
            self._selection = SelectionWindow(self._x11)
            self._selection.on_event = self._on_event
            self._offer = None
        return self._selection

    def _on_event(self, event: Any) -> None:
        if self._offer is None:
            return
        if event.type == X.SelectionRequest:
            self._offer.answer(event)
        elif event.type == X.PropertyNotify and event.state == X.PropertyDelete:
            self._offer.send_next_part(event)
        elif event.type == X.SelectionClear:
            self._offer = None  # A person has copied something else.

    def _own(
        self, selection: SelectionWindow, contents: Mapping[int, Content], now: int, only_for: int | None = None
    ) -> Offer:
        self._offer = offer = Offer(self._x11, selection, contents, now, only_for)
        # Not at `now`: it may seem earlier than the last change, and the server would ignore the request.
        selection.window.set_selection_owner(selection.atom("CLIPBOARD"), X.CurrentTime)
        selection.catch_up()  # The paste keys go over another connection and must not arrive first.
        return offer

    async def _saved(self, selection: SelectionWindow) -> dict[int, Content]:
        """The current content in every target that fits the limits."""
        if self._offer is not None:
            return dict(self._offer.contents)
        clipboard = selection.atom("CLIPBOARD")
        saved: dict[int, Content] = {}
        if not selection.display.get_selection_owner(clipboard):
            return saved
        left = _MOST_BYTES
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                offered = await selection.read(clipboard, selection.atom("TARGETS"), most=left)
            async with asyncio.timeout(_SAVE_SECONDS):
                for target in list(offered.value)[:_MOST_TARGETS] if offered and offered.format == 32 else []:
                    if selection.display.get_atom_name(target) in _NOT_CONTENT:
                        continue
                    content = await selection.read(clipboard, target, most=left)
                    if content is not None:
                        saved[target] = content
                        left -= content.size
        return saved

    def _restore(self, selection: SelectionWindow, before: Mapping[int, Content], since: int) -> None:
        """Without an await, so that a cancelled call does it too."""
        if selection.is_lost:
            return
        if before:
            self._own(selection, before, since)
        else:
            self._offer = None
            nobody = selection.display.create_resource_object("window", X.NONE)
            nobody.set_selection_owner(selection.atom("CLIPBOARD"), X.CurrentTime)
            selection.catch_up()


def _contents(selection: SelectionWindow, text: str) -> dict[int, Content]:
    utf8 = text.encode()
    contents = {selection.atom(name): Content(selection.atom(name), 8, utf8) for name in _TEXT_TARGETS}
    contents[selection.atom("TEXT")] = Content(selection.atom("UTF8_STRING"), 8, utf8)
    with suppress(UnicodeEncodeError):
        contents[selection.atom("STRING")] = Content(selection.atom("STRING"), 8, text.encode("latin-1"))
    return contents
