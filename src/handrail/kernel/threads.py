"""Runs blocking work of calls in threads. A cancelled call waits until its thread has finished.

Each caller gets only a few threads, so a caller whose work hangs doesn't block others.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from handrail.kernel.call import Call
from handrail.ports.identity import Caller
from handrail.ports.waiting import finish, wait_until_done

T = TypeVar("T")

_MOST = 64
_MOST_OF_ONE = 3


class SharedThreads:
    """Threads for many callers. Each may use a few; further work waits for the same caller's earlier work."""

    def __init__(self, most: int = _MOST, most_of_one: int = _MOST_OF_ONE) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._begin()

    def _begin(self) -> None:
        self._threads = ThreadPoolExecutor(self._most, "call")
        self._turn = threading.Lock()
        self._running: dict[str, int] = {}
        self._waiting: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}
        self._process = os.getpid()

    def submit(self, caller: str, work: Callable[[], T]) -> "Future[T]":
        if self._process != os.getpid():
            self._begin()  # threads do not survive a fork
        future: Future[T] = Future()
        with self._turn:
            if self._running.get(caller, 0) >= self._most_of_one:
                self._waiting.setdefault(caller, deque()).append((future, work))
                return future
            self._running[caller] = self._running.get(caller, 0) + 1
        self._threads.submit(self._run, caller, future, work)
        return future

    def _run(self, caller: str, future: "Future[Any]", work: Callable[[], Any]) -> None:
        following: tuple[Future[Any], Callable[[], Any]] | None = (future, work)
        while following is not None:
            _do(*following)
            following = self._following(caller)

    def _following(self, caller: str) -> "tuple[Future[Any], Callable[[], Any]] | None":
        with self._turn:
            if waiting := self._waiting.get(caller):
                return waiting.popleft()
            self._waiting.pop(caller, None)
            self._running[caller] -= 1
            if not self._running[caller]:
                del self._running[caller]
            return None


def _do(future: "Future[Any]", work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        outcome = work()
    except BaseException as failure:  # noqa: BLE001 - raised where the future is awaited
        future.set_exception(failure)
    else:
        future.set_result(outcome)


_threads = SharedThreads()


async def in_thread(call: Call, work: Callable[[], T], *, is_final: bool = False) -> T:
    """Runs `work` in a thread. If the call is cancelled, `call.checkpoint()` stops it; after the last one it finishes.

    `is_final`: the work is the call's purpose. If it finished, its result counts and the cancellation came too late. So
    a write is either done or not done, and the answer says which.
    """
    future = asyncio.wrap_future(_threads.submit(call.caller.identity, work))
    try:
        await asyncio.wait({future})
    except asyncio.CancelledError:
        call.is_aborted = True
        await wait_until_done(future)
        has_failed = future.exception() is not None
        if has_failed or not is_final:
            raise
    return future.result()


async def run_for_caller(caller: Caller, work: Callable[[], T]) -> T:
    """Like `run_in_thread`, with the caller's own share of the threads."""
    return await finish(asyncio.wrap_future(_threads.submit(caller.identity, work)))
