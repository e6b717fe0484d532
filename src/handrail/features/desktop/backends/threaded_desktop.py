"""Runs a desktop in its own thread, so that an X server that stops responding blocks nothing else.

X11 libraries block until each answer arrives. A thread that hangs is abandoned, and the next call gets a new one; the
old thread's work is cancelled as soon as it continues.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from handrail.features.desktop.desktop_port import (
    Changes,
    CoveredArea,
    Delivery,
    DesktopPort,
    Element,
    Gesture,
    KeyCombination,
    LocatedElement,
    Mark,
    Place,
    Query,
    Readiness,
    Rect,
    Screenshot,
    Tree,
    Window,
    WindowChange,
)
from handrail.ports.errors import Timeout

_HEARTBEAT_SECONDS = 0.2
_STUCK_SECONDS = 3.0
"""How long a thread may show no heartbeat. No single step takes that long unless the machine is overloaded."""
_CANCEL_SECONDS = 0.4
"""How long cancelled work may take to release keys and pointer."""

T = TypeVar("T")
Work = Callable[[DesktopPort], Awaitable[T]]


class _Thread:
    """A thread with an event loop, and the desktop that was opened on it."""

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
                outcome.set_exception(_no_answer())
        self._schedule(self._stop_loop)

    async def close(self) -> None:
        outcome, _ = self.start(lambda desktop: desktop.close())
        await asyncio.wait({outcome}, timeout=_CANCEL_SECONDS)
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
        self._loop.call_later(_HEARTBEAT_SECONDS, self._heartbeat)

    def _stop_loop(self) -> None:
        async def ended() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self._loop.shutdown_default_executor()
            self._loop.stop()

        self._ending = self._loop.create_task(ended())


class ThreadedDesktop:
    """Implements `DesktopPort` with a desktop that is opened and used in its own thread."""

    def __init__(self, open_desktop: Callable[[], DesktopPort]) -> None:
        self._open = open_desktop
        self._current: _Thread | None = None
        self._silent: Collection[int] = ()

    async def _run_in_thread(self, work: Work[T], thread: _Thread | None = None) -> T:
        thread = thread or self._thread()
        outcome, cancel = thread.start(work)
        try:
            while not (await asyncio.wait({outcome}, timeout=_HEARTBEAT_SECONDS))[0]:
                if thread.is_stuck():
                    thread.abandon()
        except asyncio.CancelledError:
            cancel()
            if not (await asyncio.wait({outcome}, timeout=_CANCEL_SECONDS))[0]:
                thread.abandon()
            if outcome.done() and not outcome.cancelled():
                outcome.exception()  # retrieved, because the call was cancelled anyway
            raise
        return await outcome

    def _thread(self) -> _Thread:
        if self._current is None or self._current.is_abandoned:
            self._current = _Thread(self._open)
        return self._current

    async def windows(self) -> Sequence[Window]:
        async def look(desktop: DesktopPort) -> tuple[Sequence[Window], Collection[int]]:
            return await desktop.windows(), desktop.unresponsive_pids()

        windows, self._silent = await self._run_in_thread(look)
        return windows

    def unresponsive_pids(self) -> Collection[int]:
        return self._silent

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        return await self._run_in_thread(lambda desktop: desktop.tree(window, max_depth=max_depth, max_nodes=max_nodes))

    async def find(self, window: Window, query: Query) -> Sequence[LocatedElement]:
        return await self._run_in_thread(lambda desktop: desktop.find(window, query))

    async def page_addresses(self, window: Window) -> Sequence[str] | None:
        return await self._run_in_thread(lambda desktop: desktop.page_addresses(window))

    async def element_at_path(self, window: Window, path: Sequence[int]) -> LocatedElement | None:
        return await self._run_in_thread(lambda desktop: desktop.element_at_path(window, path))

    async def read_element(self, handle: str) -> Element | None:
        return await self._run_in_thread(lambda desktop: desktop.read_element(handle))

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        thread = self._thread()

        async def enter(desktop: DesktopPort) -> tuple[Any, Changes]:
            entered = desktop.changes(window)
            return entered, await entered.__aenter__()

        entered, inner = await self._run_in_thread(enter, thread)
        try:
            yield _ThreadedChanges(self, thread, inner)
        finally:
            if not thread.is_abandoned:
                with suppress(Timeout):
                    await self._run_in_thread(lambda _: entered.__aexit__(None, None, None), thread)

    async def bring_to_front(self, window: Window) -> bool:
        return await self._run_in_thread(lambda desktop: desktop.bring_to_front(window))

    async def press(self, window: Window, element: Element) -> Delivery:
        return await self._run_in_thread(lambda desktop: desktop.press(window, element))

    async def window_at(self, x: int, y: int) -> Window | None:
        return await self._run_in_thread(lambda desktop: desktop.window_at(x, y))

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        return await self._run_in_thread(lambda desktop: desktop.point(window, place, gesture))

    async def arrange(self, window: Window, change: WindowChange) -> None:
        await self._run_in_thread(lambda desktop: desktop.arrange(window, change))

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._run_in_thread(lambda desktop: desktop.focus(window, element))

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._run_in_thread(
            lambda desktop: desktop.type_text(window, element, text, clear_before=clear_before)
        )

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        return await self._run_in_thread(lambda desktop: desktop.set_value(window, element, value))

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        return await self._run_in_thread(lambda desktop: desktop.choose(window, path))

    async def clipboard(self) -> str | None:
        return await self._run_in_thread(lambda desktop: desktop.clipboard())

    async def put_on_clipboard(self, text: str) -> None:
        await self._run_in_thread(lambda desktop: desktop.put_on_clipboard(text))

    async def launch(self, app: str, file: str | None) -> int:
        return await self._run_in_thread(lambda desktop: desktop.launch(app, file))

    async def send_keys(self, window: Window, combinations: Sequence[KeyCombination], *, delay_ms: int) -> None:
        await self._run_in_thread(lambda desktop: desktop.send_keys(window, combinations, delay_ms=delay_ms))

    async def screenshot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[CoveredArea] = (),
    ) -> Screenshot:
        return await self._run_in_thread(
            lambda desktop: desktop.screenshot(
                area, outlined=outlined, cropped=cropped, marked=marked, hidden=hidden, covered=covered
            )
        )

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._run_in_thread(lambda desktop: desktop.highlight(frame, duration_ms))

    async def readiness(self) -> Readiness:
        return await self._run_in_thread(lambda desktop: desktop.readiness())

    async def close(self) -> None:
        if self._current is not None and not self._current.is_abandoned:
            await self._current.close()


class _ThreadedChanges:
    def __init__(self, owner: ThreadedDesktop, thread: _Thread, inner: Changes) -> None:
        self._owner = owner
        self._thread = thread
        self._inner = inner

    async def next(self, within: float) -> bool:
        if self._thread.is_abandoned:
            raise _no_answer()
        return await self._owner._run_in_thread(lambda _: self._inner.next(within), self._thread)


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


def _no_answer() -> Timeout:
    return Timeout("The display doesn't answer, so nothing more was sent.", hint="Try again when it does.")
