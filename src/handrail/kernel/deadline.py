"""A call's time limit. Time that a person takes to answer doesn't count."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType

from handrail.ports.errors import Timeout


class Deadline:
    """Without a limit it never passes; then the tool limits each of its steps."""

    __slots__ = ("_cancelled_before", "_has_passed", "_limit_ms", "_task", "_tool", "_watch", "until")

    def __init__(self, tool: str, limit_ms: int | None) -> None:
        self._tool = tool
        self._limit_ms = limit_ms
        self._has_passed = False

    async def __aenter__(self) -> "Deadline":
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None
        self._task = task
        self._cancelled_before = task.cancelling()
        self._watch = _watch_of(loop)
        if self._limit_ms is not None:
            self.until = loop.time() + self._limit_ms / 1000
            self._watch.add(self)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, fault: object, trace: TracebackType | None) -> None:
        self._watch.discard(self)
        if self._has_passed and self._task.uncancel() <= self._cancelled_before and kind is asyncio.CancelledError:
            message = f"{self._tool} did not finish within {self._limit_ms} ms."
            raise Timeout(message, timeoutMs=self._limit_ms) from None

    def end_work(self) -> None:
        self._has_passed = True
        self._task.cancel()

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Stops the clock while inside."""
        loop = asyncio.get_running_loop()
        began, is_running = loop.time(), self._watch.discard(self)
        try:
            yield
        finally:
            if is_running:
                self.until += loop.time() - began
                self._watch.add(self)


class _Watch:
    """One timer for all deadlines of a loop: most calls finish long before theirs and need no timer of their own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._running: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, deadline: Deadline) -> None:
        self._running.add(deadline)
        if self._timer is None or deadline.until < self._timer.when():
            self._look_at(deadline.until)

    def discard(self, deadline: Deadline) -> bool:
        """Returns whether it was running."""
        if deadline not in self._running:
            return False
        self._running.remove(deadline)
        return True

    def _look_at(self, moment: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_at(moment, self._look)

    def _look(self) -> None:
        assert self._timer is not None
        now, self._timer = max(self._timer.when(), self.loop.time()), None
        for deadline in [one for one in self._running if one.until <= now]:
            self._running.remove(deadline)
            deadline.end_work()
        if self._running:
            self._look_at(min(one.until for one in self._running))


class _Current(threading.local):
    watch: _Watch | None = None


_current = _Current()


def _watch_of(loop: asyncio.AbstractEventLoop) -> _Watch:
    """The thread's watch; a thread runs one loop at a time."""
    watch = _current.watch
    if watch is None or watch.loop is not loop:
        watch = _current.watch = _Watch(loop)
    return watch
