"""A desktop in a thread of its own, so that an X server that stops answering stops nothing else.

The libraries that speak to it wait for each answer. A thread that doesn't come back is left behind, and the next call
gets a new one; what the old one was doing is cancelled as soon as it goes on.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from handrail.features.desktop.platform import (
    Arrangement,
    Changes,
    Combination,
    Covered,
    Delivery,
    Desktop,
    Element,
    Found,
    Gesture,
    Mark,
    Place,
    Query,
    Readiness,
    Rect,
    Shot,
    Tree,
    Window,
)
from handrail.ports.errors import Timeout

_BEAT_SECONDS = 0.2
_STUCK_SECONDS = 3.0
"""Without a beat. No single step takes that long on a machine that has anything left to give."""
_END_SECONDS = 0.4
"""For what is cancelled to let go of keys and pointer."""

T = TypeVar("T")
Work = Callable[[Desktop], Awaitable[T]]


class _Thread:
    """An event loop in a thread, and the desktop that was opened on it."""

    def __init__(self, open_desktop: Callable[[], Desktop]) -> None:
        self._open = open_desktop
        self._host_loop = asyncio.get_running_loop()
        self._loop = asyncio.new_event_loop()
        self._desktop: Desktop | None = None
        self._waiting: set[asyncio.Future[Any]] = set()
        self._beat_at = time.monotonic()
        self.is_lost = False
        threading.Thread(target=self._run, name="desktop", daemon=True).start()

    def do(self, work: Work[T]) -> "tuple[asyncio.Future[T], Callable[[], None]]":
        """Of the host's loop: what comes of it, and how it is cancelled. The future ends when the work has."""
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
            with suppress(RuntimeError):  # the host has ended
                self._host_loop.call_soon_threadsafe(_settle, outcome, task)

        def cancel() -> None:
            self._tell(lambda: tasks[0].cancel())

        self._tell(begin)
        return outcome, cancel

    def is_stuck(self) -> bool:
        return time.monotonic() - self._beat_at > _STUCK_SECONDS

    def lose(self) -> None:
        """Whoever waits for it hears that it doesn't answer."""
        if self.is_lost:
            return
        self.is_lost = True
        for outcome in list(self._waiting):
            if not outcome.done():
                outcome.set_exception(_no_answer())
        self._tell(self._end)

    async def close(self) -> None:
        outcome, _ = self.do(lambda desktop: desktop.close())
        await asyncio.wait({outcome}, timeout=_END_SECONDS)
        self.lose()

    def _tell(self, do: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # its loop has ended
            self._loop.call_soon_threadsafe(do)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._beat()
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _beat(self) -> None:
        self._beat_at = time.monotonic()
        self._loop.call_later(_BEAT_SECONDS, self._beat)

    def _end(self) -> None:
        async def ended() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await self._loop.shutdown_default_executor()
            self._loop.stop()

        self._ending = self._loop.create_task(ended())


class ThreadedDesktop:
    """The port `Desktop` over one that is opened and used in a thread of its own."""

    def __init__(self, open_desktop: Callable[[], Desktop]) -> None:
        self._open = open_desktop
        self._current: _Thread | None = None
        self._silent: Collection[int] = ()

    async def _do(self, work: Work[T], thread: _Thread | None = None) -> T:
        thread = thread or self._thread()
        outcome, cancel = thread.do(work)
        try:
            while not (await asyncio.wait({outcome}, timeout=_BEAT_SECONDS))[0]:
                if thread.is_stuck():
                    thread.lose()
        except asyncio.CancelledError:
            cancel()
            if not (await asyncio.wait({outcome}, timeout=_END_SECONDS))[0]:
                thread.lose()
            if outcome.done() and not outcome.cancelled():
                outcome.exception()  # it was cancelled, whatever came of it
            raise
        return await outcome

    def _thread(self) -> _Thread:
        if self._current is None or self._current.is_lost:
            self._current = _Thread(self._open)
        return self._current

    async def windows(self) -> Sequence[Window]:
        async def look(desktop: Desktop) -> tuple[Sequence[Window], Collection[int]]:
            return await desktop.windows(), desktop.silent()

        windows, self._silent = await self._do(look)
        return windows

    def silent(self) -> Collection[int]:
        return self._silent

    async def tree(self, window: Window, *, max_depth: int, max_nodes: int) -> Tree:
        return await self._do(lambda desktop: desktop.tree(window, max_depth=max_depth, max_nodes=max_nodes))

    async def find(self, window: Window, query: Query) -> Sequence[Found]:
        return await self._do(lambda desktop: desktop.find(window, query))

    async def addresses(self, window: Window) -> Sequence[str] | None:
        return await self._do(lambda desktop: desktop.addresses(window))

    async def at_path(self, window: Window, path: Sequence[int]) -> Found | None:
        return await self._do(lambda desktop: desktop.at_path(window, path))

    async def look(self, handle: str) -> Element | None:
        return await self._do(lambda desktop: desktop.look(handle))

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        thread = self._thread()

        async def enter(desktop: Desktop) -> tuple[Any, Changes]:
            entered = desktop.changes(window)
            return entered, await entered.__aenter__()

        entered, inner = await self._do(enter, thread)
        try:
            yield _Followed(self, thread, inner)
        finally:
            if not thread.is_lost:
                with suppress(Timeout):
                    await self._do(lambda _: entered.__aexit__(None, None, None), thread)

    async def bring_to_front(self, window: Window) -> bool:
        return await self._do(lambda desktop: desktop.bring_to_front(window))

    async def press(self, window: Window, element: Element) -> Delivery:
        return await self._do(lambda desktop: desktop.press(window, element))

    async def window_at(self, x: int, y: int) -> Window | None:
        return await self._do(lambda desktop: desktop.window_at(x, y))

    async def point(self, window: Window, place: Element | Place, gesture: Gesture) -> Delivery:
        return await self._do(lambda desktop: desktop.point(window, place, gesture))

    async def arrange(self, window: Window, change: Arrangement) -> None:
        await self._do(lambda desktop: desktop.arrange(window, change))

    async def focus(self, window: Window, element: Element) -> bool:
        return await self._do(lambda desktop: desktop.focus(window, element))

    async def type_text(
        self, window: Window | None, element: Element | None, text: str, *, clear_before: bool
    ) -> Delivery:
        return await self._do(lambda desktop: desktop.type_text(window, element, text, clear_before=clear_before))

    async def set_value(self, window: Window, element: Element, value: str | float) -> Delivery:
        return await self._do(lambda desktop: desktop.set_value(window, element, value))

    async def choose(self, window: Window, path: Sequence[str]) -> Delivery:
        return await self._do(lambda desktop: desktop.choose(window, path))

    async def clipboard(self) -> str | None:
        return await self._do(lambda desktop: desktop.clipboard())

    async def put_on_clipboard(self, text: str) -> None:
        await self._do(lambda desktop: desktop.put_on_clipboard(text))

    async def launch(self, app: str, file: str | None) -> int:
        return await self._do(lambda desktop: desktop.launch(app, file))

    async def send_keys(self, window: Window, combinations: Sequence[Combination], *, delay_ms: int) -> None:
        await self._do(lambda desktop: desktop.send_keys(window, combinations, delay_ms=delay_ms))

    async def shot(
        self,
        area: Rect | None = None,
        *,
        outlined: Rect | None = None,
        cropped: Rect | None = None,
        marked: Sequence[Mark] = (),
        hidden: Sequence[Window] = (),
        covered: Sequence[Covered] = (),
    ) -> Shot:
        return await self._do(
            lambda desktop: desktop.shot(
                area, outlined=outlined, cropped=cropped, marked=marked, hidden=hidden, covered=covered
            )
        )

    async def highlight(self, frame: Rect, duration_ms: int) -> None:
        await self._do(lambda desktop: desktop.highlight(frame, duration_ms))

    async def readiness(self) -> Readiness:
        return await self._do(lambda desktop: desktop.readiness())

    async def close(self) -> None:
        if self._current is not None and not self._current.is_lost:
            await self._current.close()


class _Followed:
    def __init__(self, owner: ThreadedDesktop, thread: _Thread, inner: Changes) -> None:
        self._owner = owner
        self._thread = thread
        self._inner = inner

    async def next(self, within: float) -> bool:
        if self._thread.is_lost:
            raise _no_answer()
        return await self._owner._do(lambda _: self._inner.next(within), self._thread)


def _settle(outcome: "asyncio.Future[T]", task: "asyncio.Task[T]") -> None:
    if outcome.done():
        if not task.cancelled():
            task.exception()  # nobody waits for it any more
    elif task.cancelled():
        outcome.cancel()
    elif (fault := task.exception()) is not None:
        outcome.set_exception(fault)
    else:
        outcome.set_result(task.result())


def _no_answer() -> Timeout:
    return Timeout("The display doesn't answer, so nothing more was sent.", hint="Try again when it does.")
