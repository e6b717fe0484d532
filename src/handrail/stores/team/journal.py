"""An append-only journal in PostgreSQL: a row for each line, and a head row that one writer locks at a time.

Writes within one `lock` are one transaction, so a line is never torn, and mark and lines are consistent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from itertools import accumulate
from typing import Any

from handrail.ports.errors import Conflict, Failure, InputOutput
from handrail.ports.journal import JournalSnapshot, OutcomeUnknown
from handrail.ports.team import Lease
from handrail.stores.team.database import Connection, TeamDatabase, translate_errors
from handrail.stores.team.leases import fence

PATIENCE = 10.0
_AT_ONCE = 500


class PendingWrite:
    """Collects writes until the block ends."""

    def __init__(self, journal: TeamJournal, size: int, mark: bytes | None) -> None:
        self._journal = journal
        self._stored_size = size
        self.size = size
        self.mark = mark
        self.may_lag = False
        self.starts: list[int] = []
        self.lines: list[bytes] = []
        self.has_changed = False

    def set_mark(self, mark: bytes) -> None:
        self.mark = mark
        self.has_changed = True

    def size_after(self, line: bytes) -> int:
        return self.size + len(line) + 1

    def append(self, line: bytes) -> None:
        if b"\n" in line:
            raise ValueError("a line can't contain a line feed")
        self.starts.append(self.size)
        self.lines.append(line + b"\n")
        self.size += len(line) + 1
        self.has_changed = True

    def end_line(self) -> None:
        """Does nothing: a transaction leaves no torn line."""

    def sync(self) -> None:
        """Does nothing: lines and mark are on disk with the transaction."""

    def read(self, offset: int, size: int) -> bytes:
        until = min(offset + size, self.size)
        stored = (
            b"".join(self._journal.lines(offset, min(until, self._stored_size))) if offset < self._stored_size else b""
        )
        at = offset + len(stored)
        if at >= until:
            return stored
        first = bisect_right(self.starts, at) - 1
        pending = b"".join(self.lines[first:])[at - self.starts[first] :]
        return stored + pending[: until - at]


class TeamJournal:
    """`name` distinguishes the journals of a tenant."""

    def __init__(self, database: TeamDatabase, name: str) -> None:
        self._database = database
        self._name = name
        self.fenced_by: Lease | None = None
        """While this is set, writes are refused if another server has taken the lease."""
        self._last: tuple[int, bytes | None] | None = None
        """Size and mark after this process's last write."""

    @property
    def location(self) -> str:
        return f"{self._database.location}#{self._name}"

    @contextmanager
    def lock(
        self, *, is_durable: bool, releases_early: bool = False, patience: float | None = None
    ) -> Iterator[PendingWrite]:
        if patience == 0:
            raise Conflict("The journal is not on this machine.")
        last = self._last
        if patience is not None and last is not None and self.fenced_by is None:
            pending = PendingWrite(self, *last)
            yield pending
            if pending.has_changed:
                with self._resolve_outcome(pending):
                    self._database.engine.run(self._append_in_one_trip(pending, last, is_durable, patience))
            return
        stack = AsyncExitStack()
        milliseconds = max(1, round(1000 * (PATIENCE if patience is None else patience)))
        connection, pending = self._database.engine.run(self._begin(stack, is_durable, milliseconds))
        try:
            yield pending
            if pending.has_changed:
                self._database.engine.run(self._write(connection, pending))
        except BaseException as fault:
            self._database.engine.run(self._end(stack, fault))
            raise
        with self._resolve_outcome(pending):
            self._database.engine.run(self._end(stack, None))
        self._last = (pending.size, pending.mark)

    def append(self, line: bytes, *, is_durable: bool, releases_early: bool = False) -> None:
        with self.lock(is_durable=is_durable, releases_early=releases_early) as pending:
            pending.append(line)

    def snapshot(self) -> JournalSnapshot:
        head = "SELECT size, mark FROM journal_head WHERE journal = $1"
        row = self._database.run(lambda rows: rows.fetchrow(head, self._name))
        return JournalSnapshot(None, None) if row is None else JournalSnapshot(row["size"], row["mark"])

    def lines(self, start: int = 0, until: int | None = None) -> Iterator[bytes]:
        """Reads page by page, so that a slow reader doesn't occupy a connection."""
        query = (
            "SELECT start, line FROM journal_line WHERE journal = $1 AND start >= coalesce((SELECT max(start)"
            " FROM journal_line WHERE journal = $1 AND start <= $2), $2) ORDER BY start LIMIT $3"
        )
        at = start
        while until is None or at < until:
            page = self._page(query, at)
            for begin, line in page:
                end = len(line) if until is None else min(len(line), until - begin)
                if end <= 0:
                    return
                if part := line[max(0, at - begin) : end]:
                    yield part
                at = begin + len(line)
            if len(page) < _AT_ONCE:
                return

    def lines_backwards(self) -> Iterator[bytes]:
        query = "SELECT start, line FROM journal_line WHERE journal = $1 AND start < $2 ORDER BY start DESC LIMIT $3"
        start = 1 << 62
        while page := self._page(query, start):
            yield from (line for _, line in page)
            start = page[-1]["start"]

    def _page(self, query: str, place: int) -> list[Any]:
        return self._database.run(lambda rows: rows.fetch(query, self._name, place, _AT_ONCE))

    def flush(self) -> None:
        """Makes a durable commit, which also syncs everything before it."""
        self._database.run(lambda rows: rows.fetchval("SELECT pg_current_xact_id()::text"))

    def rewrite(self, lines: Sequence[bytes]) -> None:
        """Replaces all lines. PostgreSQL allows servers this for checkpoints only."""
        stored = [line + b"\n" for line in lines]
        starts = [0, *accumulate(map(len, stored))]

        async def replaced(connection: Connection) -> None:
            async with connection.transaction():
                await connection.execute("SELECT hold_journal($1, $2, true)", self._name, round(1000 * PATIENCE))
                if self.fenced_by is not None:
                    await fence(connection, self.fenced_by)
                await connection.execute("DELETE FROM journal_line WHERE journal = $1", self._name)
                adding = "SELECT append_journal($1, $2, $3, $4, NULL)"
                await connection.execute(adding, self._name, starts[:-1], stored, starts[-1])

        self._database.run(replaced)

    def close(self) -> None:
        """Does nothing: the connections belong to the database."""

    async def _begin(
        self, stack: AsyncExitStack, is_durable: bool, milliseconds: int
    ) -> tuple[Connection, PendingWrite]:
        try:
            connection: Any = await stack.enter_async_context(self._database.connection())
            with translate_errors(self._database.location):
                await stack.enter_async_context(connection.transaction())
                query = "SELECT size, mark FROM hold_journal($1, $2, $3)"
                row = await connection.fetchrow(query, self._name, milliseconds, is_durable)
        except BaseException as fault:
            await self._end(stack, fault)
            raise
        return connection, PendingWrite(self, row["size"], row["mark"])

    async def _append_in_one_trip(
        self, pending: PendingWrite, last: tuple[int, bytes | None], is_durable: bool, patience: float
    ) -> None:
        """Appends in one round trip if no other server has written since our last write; otherwise raises Conflict."""
        query = "SELECT append_journal_after($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        when = (max(1, round(1000 * patience)), is_durable, *last)
        self._last = None
        async with self._database.connection() as connection:
            is_done = await connection.fetchval(
                query, self._name, *when, pending.starts, pending.lines, pending.size, pending.mark
            )
        if not is_done:
            raise Conflict("Another server has written since.")
        self._last = (pending.size, pending.mark)

    @contextmanager
    def _resolve_outcome(self, pending: PendingWrite) -> Iterator[None]:
        """Wraps a commit; if its outcome was lost with the connection, looks it up."""
        try:
            yield
        except InputOutput as lost:
            if not pending.lines:
                raise
            try:
                is_there = self._database.engine.run(self._has(pending))
            except Failure:
                raise OutcomeUnknown(f"{lost.message} It is unknown whether it was written.") from lost
            if not is_there:
                raise

    async def _has(self, pending: PendingWrite) -> bool:
        """Whether the lines are in the journal. Waits for the end of a transaction that is still writing them."""
        query = "SELECT line FROM journal_line WHERE journal = $1 AND start = $2"
        async with self._database.connection() as connection, connection.transaction():
            await connection.execute("SELECT hold_journal($1, $2, false)", self._name, round(1000 * PATIENCE))
            return bool(await connection.fetchval(query, self._name, pending.starts[-1]) == pending.lines[-1])

    async def _write(self, connection: Connection, pending: PendingWrite) -> None:
        with translate_errors(self._database.location):
            if self.fenced_by is not None:
                await fence(connection, self.fenced_by)
            adding = "SELECT append_journal($1, $2, $3, $4, $5)"
            await connection.execute(adding, self._name, pending.starts, pending.lines, pending.size, pending.mark)

    async def _end(self, stack: AsyncExitStack, fault: BaseException | None) -> None:
        """Commits or rolls back. Errors while rolling back are ignored, because the original fault is raised."""
        with translate_errors(self._database.location):
            if fault is None:
                await stack.aclose()
                return
            try:
                await stack.__aexit__(type(fault), fault, fault.__traceback__)
            except BaseException as later:  # noqa: BLE001
                if later is fault:
                    return
