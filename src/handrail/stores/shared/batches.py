"""Batches small writes from an event loop: they are queued in order, and all pending ones share one transaction.

A write that fails doesn't affect the others. Committed writes survive a crash, but not always a power cut.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from handrail.ports.errors import Failure

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Statement:
    """`refusal` is raised if no row is found or changed; the whole write is then rolled back."""

    query: str
    values: Sequence[Any] = ()
    refusal: Failure | None = None


class Batches(ABC):
    """Queries have numbered parameters (`$1`) and name the tenant in conflict targets, as a team's tables need it."""

    def __init__(self) -> None:
        self._pending: list[tuple[Sequence[Statement], asyncio.Future[None]]] = []
        self._flushing: asyncio.Task[None] | None = None
        self._last: asyncio.Future[None] | None = None

    def write(self, *statements: Statement) -> asyncio.Future[None]:
        """Done once all statements are committed together. Cancelling the wait doesn't cancel the write."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.add_done_callback(_mark_retrieved)
        self._pending.append((statements, done))
        self._last = done
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())
        return _shielded(done)

    def execute(self, query: str, *values: Any) -> asyncio.Future[None]:
        return self.write(Statement(query, values))

    def write_permission(self, query: str, *values: Any) -> asyncio.Future[None]:
        """A durable write in its own transaction, for rows that grant permissions."""
        return _shielded(asyncio.ensure_future(self._write_permission(query, values)))

    async def rows(self, query: str, *values: Any) -> Sequence[Row]:
        """Reads after all writes that were queued before; doesn't wait for later ones."""
        if self._last is not None and not self._last.done():
            await asyncio.wait({self._last})
        return await self._fetch(query, values)

    async def row(self, query: str, *values: Any) -> Row | None:
        rows = await self.rows(query, *values)
        return rows[0] if rows else None

    async def close(self) -> None:
        while self._flushing is not None:
            await asyncio.shield(self._flushing)
        await self._close()

    async def _flush(self) -> None:
        try:
            while self._pending:
                batch, self._pending = self._pending, []
                outcomes = await self._commit_all([statements for statements, _ in batch])
                for (_, done), failure in zip(batch, outcomes, strict=True):
                    if failure is None:
                        done.set_result(None)
                    else:
                        done.set_exception(failure)
        finally:
            self._flushing = None

    async def _commit_all(self, writes: Sequence[Sequence[Statement]]) -> list[Failure | None]:
        """The failure of each write, or None."""
        try:
            await self._commit([statement for statements in writes for statement in statements])
            return [None] * len(writes)
        except Failure as failure:
            if len(writes) == 1:
                return [failure]
        return [outcome for statements in writes for outcome in await self._commit_all([statements])]

    @abstractmethod
    async def _commit(self, statements: Sequence[Statement]) -> None:
        """Executes the statements in one transaction."""

    @abstractmethod
    async def _write_permission(self, query: str, values: Sequence[Any]) -> None: ...

    @abstractmethod
    async def _fetch(self, query: str, values: Sequence[Any]) -> Sequence[Row]: ...

    @abstractmethod
    async def _close(self) -> None: ...


def _shielded(done: asyncio.Future[None]) -> asyncio.Future[None]:
    result = asyncio.shield(done)
    result.add_done_callback(_mark_retrieved)
    return result


def _mark_retrieved(done: asyncio.Future[None]) -> None:
    """Keeps asyncio from logging an exception that no one awaits."""
    if not done.cancelled():
        done.exception()
