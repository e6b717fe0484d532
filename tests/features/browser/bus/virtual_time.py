"""An event loop whose clock jumps to the next timer when nothing else is left to do, so that no test waits."""

import asyncio
import selectors
from typing import Any


class VirtualTime(asyncio.SelectorEventLoop):
    """While a thread works for it, its clock stands still."""

    def __init__(self) -> None:
        self._now = 0.0
        self._working = 0
        super().__init__(_Selector(self))

    def time(self) -> float:
        return self._now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]
        future = super().run_in_executor(executor, func, *args)
        self._working += 1
        future.add_done_callback(self._end_work)
        return future

    def _end_work(self, future: object) -> None:
        self._working -= 1

    def jump(self, seconds: float) -> bool:
        if self._working:
            return False
        self._now += seconds
        return True


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTime) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is not None and self._loop.jump(timeout):
            return []
        return super().select(None)
