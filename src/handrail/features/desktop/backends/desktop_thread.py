"""A thread with an event loop, and the desktop that was opened on it."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from handrail.features.desktop.desktop_port import DesktopPort
from handrail.ports.errors import Timeout

HEARTBEAT_SECONDS = 0.2
CANCEL_SECONDS = 0.4
"""How long cancelled work may take to release keys and pointer."""
_STUCK_SECONDS = 3.0
"""How long a thread may show no heartbeat. No single step takes that long unless the machine is overloaded."""

T = TypeVar("T")
Work = Callable[[DesktopPort], Awaitable[T]]


class DesktopThread:
    def __init__(self, open_desktop: Callable[[], DesktopPort]) -> None:
        self._open = open_desktop
        self._host_loop = asyncio.get_running_loop()
        self._loop = asyncio.new_event_loop()
        self._desktop: DesktopPort | None = None
        self._waiting: set[asyncio.Future[Any]] = set()
        self._last_heartbeat = time.monotonic()
        self.is_abandoned = False
        threading.Thread(target=self._run, name="desktop", daemon=True).start()

    def start(self, work: Work[T]) -> "tuple[asyncio.Future[T], Callable[[], None]]":
        """Starts work in the thread. Returns a future of the host's loop, and a function that cancels the work."""
        outcome: asyncio.Future[T] = self._host_loop.create_future()
        tasks: list[asyncio.Task[T]] = []
        self._waiting.add(outcome)
        outcome.add_done_callback(self._waiting.discard)

        async def run() -> T:
            if self._desktop is None:
                self._desktop = self._open()
            return await work(self._desktop)

        def begin() -> None:
            tasks.append(self._loop.create_task(run()))
            tasks[0].add_done_callback(end)

        def end(task: "asyncio.Task[T]") -> None:
            with suppress(RuntimeError):  # the host's loop is closed
                self._host_loop.call_soon_threadsafe(_settle, outcome, task)

        def cancel() -> None:
            self._schedule(lambda: tasks[0].cancel())

        self._schedule(begin)
        return outcome, cancel

    def is_stuck(self) -> bool:
        return time.monotonic() - self._last_heartbeat > _STUCK_SECONDS

    def abandon(self) -> None:
        """Gives up on the thread: everything that waits for it fails with Timeout."""
        if self.is_abandoned:
            return
        self.is_abandoned = True
        for outcome in list(self._waiting):
            if not outcome.done():
                outcome.set_exception(no_answer())
        self._schedule(self._stop_loop)

    async def close(self) -> None:
        outcome, _ = self.start(lambda desktop: desktop.close())
        await asyncio.wait({outcome}, timeout=CANCEL_SECONDS)
        self.abandon()

    def _schedule(self, start: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # its loop is closed
            self._loop.call_soon_threadsafe(start)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._heartbeat()
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _heartbeat(self) -> None:
        self._last_heartbeat = time.monotonic()
        self._loop.call_later(HEARTBEAT_SECONDS, self._heartbeat)

    def _stop_loop(self) -> None:
        async def ended() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self._loop.shutdown_default_executor()
            self._loop.stop()

        self._ending = self._loop.create_task(ended())


def _settle(outcome: "asyncio.Future[T]", task: "asyncio.Task[T]") -> None:
    if outcome.done():
        if not task.cancelled():
            task.exception()  # retrieved, because no one waits for it
    elif task.cancelled():
        outcome.cancel()
    elif (fault := task.exception()) is not None:
        outcome.set_exception(fault)
    else:
        outcome.set_result(task.result())


def no_answer() -> Timeout:
    return Timeout("The display doesn't answer, so nothing more was sent.", hint="Try again when it does.")
