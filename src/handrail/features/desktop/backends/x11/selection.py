"""A hidden window that exchanges X selections with other programs, over its own connection."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from Xlib import X, error

from handrail.features.desktop.backends.x11.connection import UNREACHABLE, X11
from handrail.ports.errors import Offline

_MAX_PROPERTY_LENGTH = 1 << 26


class Content(NamedTuple):
    """A selection's content in one target, in the form of an X property."""

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
        self.window = self.display.screen().root.create_window(
            -1, -1, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
        )
        self._property = self.atom("_HANDRAIL_SELECTION")
        self._expected: list[tuple[Callable[[Any], bool], asyncio.Future[Any]]] = []
        self.on_event: Callable[[Any], None] = lambda _: None
        self.is_lost = False
        self._fd = self.display.fileno()
        self._loop.add_reader(self._fd, self.dispatch_events)

    def atom(self, name: str) -> int:
        return int(self.display.get_atom(name))

    async def now(self) -> int:
        """Returns the server's time, from the event of an empty change."""
        clock = self.atom("_HANDRAIL_CLOCK")
        changed = self._expect(lambda event: event.type == X.PropertyNotify and event.atom == clock)
        self.window.change_property(clock, self.atom("INTEGER"), 8, b"", X.PropModeAppend)
        return int((await self._wait_for(changed)).time)

    async def read(self, selection: int, target: int, *, max_bytes: int) -> Content | None:
        """Returns None if the owner has no such target, or more than `max_bytes`. The caller sets the timeout."""
        answered = self._expect(
            lambda event: event.type == X.SelectionNotify and (event.selection, event.target) == (selection, target)
        )
        self.window.convert_selection(selection, target, self._property, X.CurrentTime)
        if not (await self._wait_for(answered)).property:
            return None
        content = self._take_property()
        if content is None or content.type != self.atom("INCR"):
            return content if content is None or content.size <= max_bytes else None
        return await self._read_in_parts(max_bytes)

    def _expect(self, matches: Callable[[Any], bool]) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = self._loop.create_future()
        self._expected.append((matches, future))
        return future

    def dispatch_events(self) -> None:
        """Dispatches queued events as well: those that came with a reply don't make the socket readable."""
        try:
            self.display.flush()
            while not self.is_lost and self.display.pending_events():
                self._dispatch(self.display.next_event())
                self.display.flush()
        except UNREACHABLE:
            self.close()

    def catch_up(self) -> None:
        """Dispatches everything that has happened so far."""
        try:
            self.display.sync()
        except UNREACHABLE:
            self.close()
        else:
            self.dispatch_events()

    def close(self) -> None:
        if self.is_lost:
            return
        self.is_lost = True
        self._loop.remove_reader(self._fd)
        for _, future in self._expected:
            if not future.done():
                future.set_exception(Offline("The X server closed the connection."))
        self._expected.clear()
        with contextlib.suppress(*UNREACHABLE):
            self.display.close()

    def _dispatch(self, event: Any) -> None:
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
            return  # the requestor is gone

    async def _wait_for(self, future: "asyncio.Future[Any]") -> Any:
        self.dispatch_events()
        return await future

    async def _read_in_parts(self, max_bytes: int) -> Content | None:
        """Reads parts. The owner writes one after the last one was deleted, and an empty one at the end."""
        parts: list[Any] = []
        size = 0
        while True:
            await self._wait_for(self._expect(self._is_new_part))
            part = self._take_property()
            if part is None or size > max_bytes:
                return None
            if not part.value:
                return Content(part.type, part.format, b"".join(parts)) if part.format == 8 else None
            size += part.size
            parts.append(part.value)

    def _is_new_part(self, event: Any) -> bool:
        is_ours = event.type == X.PropertyNotify and event.atom == self._property
        return bool(is_ours and event.state == X.PropertyNewValue)

    def _take_property(self) -> Content | None:
        answer = self.window.get_property(self._property, X.AnyPropertyType, 0, _MAX_PROPERTY_LENGTH, delete=True)
        self._loop.call_soon(self.dispatch_events)
        if answer is None:
            return None
        value = bytes(answer.value) if answer.format == 8 else list(answer.value)
        return Content(answer.property_type, answer.format, value)
