"""A window that takes part in the exchange of selections: its events, its clock, and reading what others offer.

Refuses to know what a clipboard is for. Runs on the event loop over a connection of its own.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from Xlib import X, error

from handrail.features.desktop.backends.x11.connection import UNREACHABLE, X11
from handrail.ports.errors import Offline

_LONGEST_READ = 1 << 26
"""In units of four bytes: a property is read whole."""


class Content(NamedTuple):
    """What a selection holds in one of its targets, as an X property has it."""

    type: int
    format: int
    value: Any

    @property
    def size(self) -> int:
        return len(self.value) * self.format // 8


class SelectionWindow:
    def __init__(self, x11: X11) -> None:
        self._loop = asyncio.get_running_loop()
        self.display = x11.open_another()
        self._atoms: dict[str, int] = {}
        self.window = self.display.screen().root.create_window(
            -1, -1, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
        )
        self._property = self.atom("_HANDRAIL_SELECTION")
        self._expected: list[tuple[Callable[[Any], bool], asyncio.Future[Any]]] = []
        self.on_event: Callable[[Any], None] = lambda _: None
        self.is_lost = False
        self._fd = self.display.fileno()
        self._loop.add_reader(self._fd, self.pump)

    def atom(self, name: str) -> int:
        if name not in self._atoms:
            self._atoms[name] = self.display.intern_atom(name)
        return self._atoms[name]

    async def now(self) -> int:
        """The server's clock, told by a change that changes nothing."""
        clock = self.atom("_HANDRAIL_CLOCK")
        ticked = self.expect(lambda event: event.type == X.PropertyNotify and event.atom == clock)
        self.window.change_property(clock, self.atom("INTEGER"), 8, b"", X.PropModeAppend)
        return int((await self._arrival(ticked)).time)

    async def read(self, selection: int, target: int, *, most: int) -> Content | None:
        """None where the owner has nothing of that kind, or more than `most` bytes. The caller keeps the time."""
        answered = self.expect(
            lambda event: event.type == X.SelectionNotify and (event.selection, event.target) == (selection, target)
        )
        self.window.convert_selection(selection, target, self._property, X.CurrentTime)
        if not (await self._arrival(answered)).property:
            return None
        content = self._taken()
        if content is None or content.type != self.atom("INCR"):
            return content if content is None or content.size <= most else None
        return await self._read_in_parts(most)

    def expect(self, matches: Callable[[Any], bool]) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = self._loop.create_future()
        self._expected.append((matches, future))
        return future

    def pump(self) -> None:
        """Hands out every event that is there: those that came with an answer make no socket readable."""
        try:
            self.display.flush()
            while not self.is_lost and self.display.pending_events():
                self._hand_out(self.display.next_event())
                self.display.flush()
        except UNREACHABLE:
            self.close()

    def catch_up(self) -> None:
        """Knows afterwards all that has happened until now."""
        try:
            self.display.sync()
        except UNREACHABLE:
            self.close()
        else:
            self.pump()

    def close(self) -> None:
        if self.is_lost:
            return
        self.is_lost = True
        self._loop.remove_reader(self._fd)
        for _, future in self._expected:
            if not future.done():
                future.set_exception(Offline("The X server went away."))
        self._expected.clear()
        with contextlib.suppress(*UNREACHABLE):
            self.display.close()

    def _hand_out(self, event: Any) -> None:
        for entry in list(self._expected):
            matches, future = entry
            if future.done():
                self._expected.remove(entry)
            elif matches(event):
                self._expected.remove(entry)
                future.set_result(event)
        try:
            self.on_event(event)
        except error.XError:
            return  # Who asked is gone.

    async def _arrival(self, future: "asyncio.Future[Any]") -> Any:
        self.pump()
        return await future

    async def _read_in_parts(self, most: int) -> Content | None:
        """The owner writes the next part when the last was taken away, and an empty one at the end."""
        parts: list[Any] = []
        size = 0
        while True:
            part = await self._next_part()
            if part is None or size > most:
                return None
            if not part.value:
                return Content(part.type, part.format, b"".join(parts)) if part.format == 8 else None
            size += part.size
            parts.append(part.value)

    async def _next_part(self) -> Content | None:
        written = self.expect(
            lambda event: (
                event.type == X.PropertyNotify and event.atom == self._property and event.state == X.PropertyNewValue
            )
        )
        await self._arrival(written)
        return self._taken()

    def _taken(self) -> Content | None:
        found = self.window.get_property(self._property, X.AnyPropertyType, 0, _LONGEST_READ, delete=True)
        self._loop.call_soon(self.pump)
        if found is None:
            return None
        value = bytes(found.value) if found.format == 8 else list(found.value)
        return Content(found.property_type, found.format, value)
