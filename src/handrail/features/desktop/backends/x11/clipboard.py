"""Puts a text on the X clipboard for one program to paste, and restores the previous content afterwards."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from Xlib import X
from Xlib.protocol import event as events

from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.selection import Content, SelectionWindow

_META_TARGETS = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION"})
_TEXT_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain")
_MAX_TARGETS = 40
_MAX_BYTES = 32 * 1024 * 1024
_ANSWER_SECONDS = 1.0
_SAVE_SECONDS = 5.0
_HAND_OVER_SECONDS = 1.0
_PART_BYTES = 128 * 1024
"""Less than the 256 KiB that every X server accepts in one request."""


class Offer:
    """Answers programs that request our clipboard content; large contents are sent in parts."""

    def __init__(
        self, x11: X11, selection: SelectionWindow, contents: Mapping[int, Content], since: int, only_for: int | None
    ) -> None:
        self.contents = contents
        self.requested = asyncio.Event()
        """Set when a program that may have the content starts to read it."""
        self.transferred = asyncio.Event()
        """Set when it has read all of it."""
        self._selection = selection
        self.owned_since = since
        self._x11 = x11
        self._only_for = only_for
        self._transfers: dict[tuple[int, int], tuple[Content, int]] = {}
        self._targets, self._timestamp, self._multiple, self._incr, self._atom_type, self._pairs = (
            selection.atom(name) for name in ("TARGETS", "TIMESTAMP", "MULTIPLE", "INCR", "ATOM", "ATOM_PAIR")
        )

    def answer(self, request: Any) -> None:
        """Writes the answer and notifies the requestor, or tells it that there is none."""
        property_atom = request.property or request.target
        requestor = request.requestor
        is_allowed = self._only_for is None or self._x11.is_same_client(requestor.id, self._only_for)
        is_written = is_allowed and self._write_target(requestor, request.target, property_atom)
        requestor.send_event(
            events.SelectionNotify(
                time=request.time,
                requestor=requestor,
                selection=request.selection,
                target=request.target,
                property=property_atom if is_written else X.NONE,
            )
        )
        self._selection.display.flush()

    def send_next_part(self, event: Any) -> None:
        """Sends the next part, after the requestor has deleted the last one. An empty part ends the transfer."""
        key = (event.window.id, event.atom)
        if (transfer := self._transfers.get(key)) is None:
            return
        content, position = transfer
        part = content.value[position : position + _PART_BYTES]
        event.window.change_property(event.atom, content.type, 8, part)
        if part:
            self._transfers[key] = (content, position + len(part))
        else:
            del self._transfers[key]
            self.transferred.set()
        self._selection.display.flush()

    def _write_target(self, requestor: Any, target: int, property_atom: int) -> bool:
        if target == self._targets:
            targets = [self._targets, self._timestamp, self._multiple, *self.contents]
            requestor.change_property(property_atom, self._atom_type, 32, targets)
            return True
        if target == self._timestamp:
            requestor.change_property(property_atom, self._selection.atom("INTEGER"), 32, [self.owned_since])
            return True
        if target == self._multiple:
            return self._write_targets(requestor, property_atom)
        if (content := self.contents.get(target)) is None:
            return False
        self.requested.set()
        if content.format == 8 and content.size > _PART_BYTES:
            requestor.change_attributes(event_mask=X.PropertyChangeMask)
            requestor.change_property(property_atom, self._incr, 32, [content.size])
            self._transfers[requestor.id, property_atom] = (content, 0)
        else:
            requestor.change_property(property_atom, content.type, content.format, content.value)
            self.transferred.set()
        return True

    def _write_targets(self, requestor: Any, property_atom: int) -> bool:
        request_pairs = requestor.get_full_property(property_atom, X.AnyPropertyType)
        if request_pairs is None or request_pairs.format != 32:
            return False
        pairs = list(request_pairs.value)
        for position in range(0, len(pairs) - 1, 2):
            if pairs[position] == self._multiple or not self._write_target(
                requestor, pairs[position], pairs[position + 1]
            ):
                pairs[position + 1] = X.NONE
        requestor.change_property(property_atom, self._pairs, 32, pairs)
        return True


class Clipboard:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._selection: SelectionWindow | None = None
        self._offer: Offer | None = None
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def lending(self, text: str, pasting_window: int) -> AsyncIterator[Offer]:
        """Gives the text only to the program of that window, so that no clipboard manager stores it in its history."""
        async with self._lock:
            selection = self._open()
            previous = await self._read_contents(selection)
            offer = self._take_ownership(selection, _contents(selection, text), await selection.now(), pasting_window)
            try:
                yield offer
            finally:
                selection.catch_up()
                if self._offer is offer:
                    self._restore(selection, previous, offer.owned_since)

    async def text(self) -> str | None:
        """Returns None if it is empty or contains no text."""
        async with self._lock:
            selection = self._open()
            contents = await self._read_contents(selection)
        for name in _TEXT_TARGETS:
            if (content := contents.get(selection.atom(name))) is not None and content.format == 8:
                return bytes(content.value).decode("utf-8", "replace")
        return None

    async def put(self, text: str) -> None:
        """Puts a text on the clipboard. It is lost if handrail ends and there is no clipboard manager."""
        async with self._lock:
            selection = self._open()
            self._take_ownership(selection, _contents(selection, text), await selection.now())

    async def close(self) -> None:
        """Hands the content over to the clipboard manager, if there is one."""
        selection, self._selection = self._selection, None
        if selection is None or selection.is_lost:
            return
        if self._offer is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_HAND_OVER_SECONDS):
                    manager = selection.atom("CLIPBOARD_MANAGER")
                    if selection.display.get_selection_owner(manager):
                        await selection.read(manager, selection.atom("SAVE_TARGETS"), max_bytes=0)
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
            self._offer = None  # a person has copied something else

    def _take_ownership(
        self, selection: SelectionWindow, contents: Mapping[int, Content], now: int, only_for: int | None = None
    ) -> Offer:
        self._offer = offer = Offer(self._x11, selection, contents, now, only_for)
        # Not at `now`: it may seem earlier than the last change, and the server would ignore the request.
        selection.window.set_selection_owner(selection.atom("CLIPBOARD"), X.CurrentTime)
        selection.catch_up()  # the paste keys use another connection and must not arrive first
        return offer

    async def _read_contents(self, selection: SelectionWindow) -> dict[int, Content]:
        """Reads the current content in every target, within the limits."""
        if self._offer is not None:
            return dict(self._offer.contents)
        clipboard = selection.atom("CLIPBOARD")
        contents: dict[int, Content] = {}
        if not selection.display.get_selection_owner(clipboard):
            return contents
        remaining = _MAX_BYTES
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                targets = await selection.read(clipboard, selection.atom("TARGETS"), max_bytes=remaining)
            async with asyncio.timeout(_SAVE_SECONDS):
                for target in list(targets.value)[:_MAX_TARGETS] if targets and targets.format == 32 else []:
                    if selection.display.get_atom_name(target) in _META_TARGETS:
                        continue
                    content = await selection.read(clipboard, target, max_bytes=remaining)
                    if content is not None:
                        contents[target] = content
                        remaining -= content.size
        return contents

    def _restore(self, selection: SelectionWindow, previous: Mapping[int, Content], since: int) -> None:
        """Restores the content without awaiting, so that it also happens when a call is cancelled."""
        if selection.is_lost:
            return
        if previous:
            self._take_ownership(selection, previous, since)
        else:
            self._offer = None
            no_window = selection.display.create_resource_object("window", X.NONE)
            no_window.set_selection_owner(selection.atom("CLIPBOARD"), X.CurrentTime)
            selection.catch_up()


def _contents(selection: SelectionWindow, text: str) -> dict[int, Content]:
    utf8 = text.encode()
    contents = {selection.atom(name): Content(selection.atom(name), 8, utf8) for name in _TEXT_TARGETS}
    contents[selection.atom("TEXT")] = Content(selection.atom("UTF8_STRING"), 8, utf8)
    with suppress(UnicodeEncodeError):
        contents[selection.atom("STRING")] = Content(selection.atom("STRING"), 8, text.encode("latin-1"))
    return contents
