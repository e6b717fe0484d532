"""One thread for all that takes time, in turns: what is long lets what is short in between."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_TURN_SECONDS = 0.03


class Worker:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="webgal")

    async def do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def in_turns(self, steps: Iterator[T]) -> AsyncIterator[list[T]]:
        """What the steps give, a turn's worth at a time; who stops asking stops the work."""
        has_ended = False
        while not has_ended:
            given, has_ended = await self.do(lambda: _turn(steps))
            yield given

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)


def _turn(steps: Iterator[T]) -> tuple[list[T], bool]:
    given: list[T] = []
    end = time.monotonic() + _TURN_SECONDS
    for step in steps:
        given.append(step)
        if time.monotonic() >= end:
            return given, False
    return given, True
