"""Streams new audit records as any process writes them. Doesn't depend on files, only on a journal and a watch."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec

from handrail.features.history.outcome import with_outcome
from handrail.ports.journal import Journal
from handrail.ports.unreadable_json import UNREADABLE_JSON

_GATHER_SECONDS = 0.05
"""News is sent at once, and what follows within this time together."""


class Watch(Protocol):
    async def change(self) -> None:
        """Waits for a possible change; returns immediately the first time."""
        ...


class ActivityFeed:
    def __init__(self, journal: Journal, open_watch: Callable[[], AbstractAsyncContextManager[Watch]]) -> None:
        self._journal = journal
        self._open_watch = open_watch

    async def follow(self) -> AsyncGenerator[Sequence[dict[str, Any]], None]:
        """Yields an empty list first, then the records that are added from now on."""
        tail = await asyncio.to_thread(_Tail, self._journal)
        async with self._open_watch() as watch:
            yield ()
            while True:
                await watch.change()
                if records := await asyncio.to_thread(tail.records):
                    yield records
                    await asyncio.sleep(_GATHER_SECONDS)


class _Tail:
    """Reads what is added to a journal after this object was created."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._offset = journal.snapshot().size or 0

    def records(self) -> list[dict[str, Any]]:
        """Returns the new records. A line that is still being written is returned next time."""
        size = self._journal.snapshot().size or 0
        if size < self._offset:  # the log was replaced
            self._offset = 0
        records = []
        for line in self._journal.lines(self._offset, size):
            if not line.endswith(b"\n"):
                break
            self._offset += len(line)
            try:
                record = msgspec.json.decode(line)
            except UNREADABLE_JSON:
                continue
            if isinstance(record, dict):
                records.append(with_outcome(record))
        return records
