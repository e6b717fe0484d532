"""Lends the clipboard a text for one program to paste, and gives a person's own content back afterwards.

Refuses to press keys: who pastes does that while the text is lent.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from Xlib import X

from handrail.features.desktop.backends.x11.connection import X11
from handrail.features.desktop.backends.x11.offer import Offer
from handrail.features.desktop.backends.x11.selection import Content, SelectionWindow

_NO_CONTENT = frozenset({"TARGETS", "TIMESTAMP", "MULTIPLE", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION"})
_MOST_TARGETS = 40
_MOST_BYTES = 32 * 1024 * 1024
_ANSWERING_SECONDS = 1.0
_SAVING_SECONDS = 5.0
_HANDING_OVER_SECONDS = 1.0
_CAN_HOLD = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain")


class Clipboard:
    def __init__(self, x11: X11) -> None:
        self._x11 = x11
        self._selection: SelectionWindow | None = None
        self._offer: Offer | None = None
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def lending(self, text: str, pasting_window: int) -> AsyncIterator[Offer]:
        """Only the program of that window gets the text: no clipboard manager keeps it in its history."""
        async with self._turn:
            selection = self._open()
            before = await self._saved(selection)
            contents = _contents(selection, text)
            lent = await self._own(selection, contents, only_for=pasting_window)
            try:
                yield lent
            finally:
                selection.catch_up()
                if self._offer is lent:
                    self._give_back(selection, before, lent.owned_since)

    async def close(self) -> None:
        """What a person had copied must outlive us where somebody keeps it."""
        selection, self._selection = self._selection, None
        if selection is None or selection.is_lost:
            return
        if self._offer is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_HANDING_OVER_SECONDS):
                    await self._hand_over(selection)
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
            self._offer.go_on(event)
        elif event.type == X.SelectionClear:
            self._offer = None  # A person has copied something: that is the clipboard's content now.

    async def _own(
        self, selection: SelectionWindow, contents: Mapping[int, Content], *, only_for: int | None = None
    ) -> Offer:
        now = await selection.now()
        return self._take(selection, contents, now, only_for)

    def _take(
        self, selection: SelectionWindow, contents: Mapping[int, Content], now: int, only_for: int | None = None
    ) -> Offer:
        x11 = self._x11
        offer = Offer(
            selection,
            contents,
            now,
            allows=lambda requestor: only_for is None or x11.is_same_client(requestor, only_for),
        )
        self._offer = offer
        # Not at `now`: the server's clock lags in its events, and what seems earlier than the last change is ignored.
        selection.window.set_selection_owner(selection.atom("CLIPBOARD"), X.CurrentTime)
        selection.catch_up()  # The keys go another way, and must not be there first.
        return offer

    async def _saved(self, selection: SelectionWindow) -> dict[int, Content]:
        """Every form of the present content that can be had within bounds."""
        if self._offer is not None:
            return dict(self._offer.contents)
        clipboard = selection.atom("CLIPBOARD")
        saved: dict[int, Content] = {}
        if not selection.display.get_selection_owner(clipboard):
            return saved
        left = _MOST_BYTES
        with suppress(TimeoutError):
            async with asyncio.timeout(_ANSWERING_SECONDS):
                offered = await selection.read(clipboard, selection.atom("TARGETS"), most=left)
            async with asyncio.timeout(_SAVING_SECONDS):
                for target in list(offered.value)[:_MOST_TARGETS] if offered and offered.format == 32 else []:
                    if selection.display.get_atom_name(target) in _NO_CONTENT:
                        continue
                    content = await selection.read(clipboard, target, most=left)
                    if content is not None:
                        saved[target] = content
                        left -= content.size
        return saved

    def _give_back(self, selection: SelectionWindow, before: Mapping[int, Content], since: int) -> None:
        """Without a pause, so that a call that is cancelled does it too."""
        if selection.is_lost:
            return
        if before:
            self._take(selection, before, since)
        else:
            self._offer = None
            nobody = selection.display.create_resource_object("window", X.NONE)
            nobody.set_selection_owner(selection.atom("CLIPBOARD"), X.CurrentTime)
            selection.catch_up()

    async def _hand_over(self, selection: SelectionWindow) -> None:
        manager = selection.atom("CLIPBOARD_MANAGER")
        if selection.display.get_selection_owner(manager):
            await selection.read(manager, selection.atom("SAVE_TARGETS"), most=0)


def _contents(selection: SelectionWindow, text: str) -> dict[int, Content]:
    utf8 = text.encode()
    contents = {selection.atom(name): Content(selection.atom(name), 8, utf8) for name in _CAN_HOLD}
    contents[selection.atom("TEXT")] = Content(selection.atom("UTF8_STRING"), 8, utf8)
    with suppress(UnicodeEncodeError):
        contents[selection.atom("STRING")] = Content(selection.atom("STRING"), 8, text.encode("latin-1"))
    return contents
