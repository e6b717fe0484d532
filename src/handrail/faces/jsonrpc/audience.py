"""Counts the connected clients."""

import asyncio
from collections.abc import Collection
from typing import Generic, TypeVar

T = TypeVar("T")


class Audience(Generic[T]):
    def __init__(self) -> None:
        self._present: set[T] = set()
        self._changed = asyncio.Event()

    @property
    def present(self) -> Collection[T]:
        return list(self._present)

    def enter(self, one: T) -> None:
        self._present.add(one)
        self._changed.set()

    def leave(self, one: T) -> None:
        self._present.discard(one)
        self._changed.set()

    async def gone(self, seconds: float) -> None:
        """Returns when nobody has been connected for so long."""
        while True:
            self._changed.clear()
            try:
                async with asyncio.timeout(None if self._present else seconds):
                    await self._changed.wait()
            except TimeoutError:
                return
