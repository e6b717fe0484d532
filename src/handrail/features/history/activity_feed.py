"""The audit as it grows, whoever writes it. Knows a journal and a sign that it may have changed, and no file."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec

from handrail.features.history.outcome import with_outcome
from handrail.ports.journal import Journal


class Watch(Protocol):
    async def change(self) -> None:
        """Returns when there may be news; at once the first time."""
        ...


class ActivityFeed:
    def __init__(self, journal: Journal, watching: Callable[[], AbstractAsyncContextManager[Watch]]) -> None:
        self._journal = journal
        self._watching = watching

    async def follow(self) -> AsyncGenerator[Sequence[dict[str, Any]], None]:
        """None at first, then the records that are added from there on."""
        tail = await asyncio.to_thread(_Tail, self._journal)
        async with self._watching() as watch:
            yield ()
            while True:
                await watch.change()
                if records := await asyncio.to_thread(tail.records):
                    yield records


class _Tail:
    """Begins at the journal's present end."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._at = journal.snapshot().size or 0

    def records(self) -> list[dict[str, Any]]:
        """What is new; a line that is still being written comes next time."""
        size = self._journal.snapshot().size or 0
        if size < self._at:  # another log has taken its place
            self._at = 0
        found = []
        for line in self._journal.lines(self._at, size):
            if not line.endswith(b"\n"):
                break
            self._at += len(line)
            try:
                record = msgspec.json.decode(line)
            except msgspec.DecodeError:
                continue
            if isinstance(record, dict):
                found.append(with_outcome(record))
        return found
