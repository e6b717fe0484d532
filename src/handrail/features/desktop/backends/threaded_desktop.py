"""Runs a desktop in its own thread, so that an X server that stops responding blocks nothing else.

X11 libraries block until each answer arrives. A thread that hangs is abandoned, and the next call gets a new one; the
old thread's work is cancelled as soon as it continues.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Concatenate, ParamSpec, TypeVar

from handrail.features.desktop.backends.desktop_thread import (
    CANCEL_SECONDS,
    HEARTBEAT_SECONDS,
    DesktopThread,
    Work,
    no_answer,
)
from handrail.features.desktop.desktop_port import Changes, DesktopPort, Window
from handrail.ports.errors import Timeout

P = ParamSpec("P")
T = TypeVar("T")


def _in_thread(
    method: Callable[Concatenate[DesktopPort, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["ThreadedDesktop", P], Coroutine[Any, Any, T]]:
    """The same method of the desktop in the thread."""

    async def call(self: "ThreadedDesktop", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(lambda desktop: getattr(desktop, method.__name__)(*args, **kwargs))

    return call


class ThreadedDesktop:
    """Implements `DesktopPort` with a desktop that is opened and used in its own thread."""

    def __init__(self, open_desktop: Callable[[], DesktopPort]) -> None:
        self._open = open_desktop
        self._current: DesktopThread | None = None
        self._silent: Collection[int] = ()

    async def run(self, work: Work[T], thread: DesktopThread | None = None) -> T:
        thread = thread or self._thread()
        outcome, cancel = thread.start(work)
        try:
            while not (await asyncio.wait({outcome}, timeout=HEARTBEAT_SECONDS))[0]:
                if thread.is_stuck():
                    thread.abandon()
        except asyncio.CancelledError:
            cancel()
            if not (await asyncio.wait({outcome}, timeout=CANCEL_SECONDS))[0]:
                thread.abandon()
            if outcome.done() and not outcome.cancelled():
                outcome.exception()  # retrieved, because the call was cancelled anyway
            raise
        return await outcome

    def _thread(self) -> DesktopThread:
        if self._current is None or self._current.is_abandoned:
            self._current = DesktopThread(self._open)
        return self._current

    async def windows(self) -> Sequence[Window]:
        async def look(desktop: DesktopPort) -> tuple[Sequence[Window], Collection[int]]:
            return await desktop.windows(), desktop.unresponsive_pids()

        windows, self._silent = await self.run(look)
        return windows

    def unresponsive_pids(self) -> Collection[int]:
        return self._silent

    tree = _in_thread(DesktopPort.tree)
    find = _in_thread(DesktopPort.find)
    page_addresses = _in_thread(DesktopPort.page_addresses)
    element_at_path = _in_thread(DesktopPort.element_at_path)
    read_element = _in_thread(DesktopPort.read_element)
    bring_to_front = _in_thread(DesktopPort.bring_to_front)
    press = _in_thread(DesktopPort.press)
    window_at = _in_thread(DesktopPort.window_at)
    point = _in_thread(DesktopPort.point)
    arrange = _in_thread(DesktopPort.arrange)
    focus = _in_thread(DesktopPort.focus)
    type_text = _in_thread(DesktopPort.type_text)
    set_value = _in_thread(DesktopPort.set_value)
    choose = _in_thread(DesktopPort.choose)
    clipboard = _in_thread(DesktopPort.clipboard)
    put_on_clipboard = _in_thread(DesktopPort.put_on_clipboard)
    launch = _in_thread(DesktopPort.launch)
    send_keys = _in_thread(DesktopPort.send_keys)
    screenshot = _in_thread(DesktopPort.screenshot)
    highlight = _in_thread(DesktopPort.highlight)
    readiness = _in_thread(DesktopPort.readiness)

    @asynccontextmanager
    async def changes(self, window: Window) -> AsyncIterator[Changes]:
        thread = self._thread()

        async def enter(desktop: DesktopPort) -> tuple[Any, Changes]:
            entered = desktop.changes(window)
            return entered, await entered.__aenter__()

        entered, inner = await self.run(enter, thread)
        try:
            yield _ThreadedChanges(self, thread, inner)
        finally:
            if not thread.is_abandoned:
                with suppress(Timeout):
                    await self.run(lambda _: entered.__aexit__(None, None, None), thread)

    async def close(self) -> None:
        if self._current is not None and not self._current.is_abandoned:
            await self._current.close()


class _ThreadedChanges:
    def __init__(self, owner: ThreadedDesktop, thread: DesktopThread, inner: Changes) -> None:
        self._owner = owner
        self._thread = thread
        self._inner = inner

    async def next(self, within: float) -> bool:
        if self._thread.is_abandoned:
            raise no_answer()
        return await self._owner.run(lambda _: self._inner.next(within), self._thread)
