"""An append-only journal in PostgreSQL: a row for each line, and one head that is held by one writer at a time.

What is written in one `lock` is one transaction: a line is never torn, and mark and lines never disagree.
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
from handrail.stores.team.database import Connection, TeamDatabase, spelled
from handrail.stores.team.leases import fence

PATIENCE = 10.0
_AT_ONCE = 500


class HeldRows:
    """What is written stays here until the block is left."""

    def __init__(self, journal: TeamJournal, size: int, mark: bytes | None) -> None:
        self._journal = journal
        self._before = size
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
            raise ValueError("a line can't hold a line feed")
        self.starts.append(self.size)
        self.lines.append(line + b"\n")
        self.size += len(line) + 1
        self.has_changed = True

    def end_line(self) -> None:
        """A transaction leaves no torn tail."""

    def sync(self) -> None:
        """Lines and mark are on disk together, once the transaction is."""

    def read(self, offset: int, size: int) -> bytes:
        until = min(offset + size, self.size)
        stored = b"".join(self._journal.lines(offset, min(until, self._before))) if offset < self._before else b""
        at = offset + len(stored)
        if at >= until:
            return stored
        first = bisect_right(self.starts, at) - 1
        rest = b"".join(self.lines[first:])[at - self.starts[first] :]
        return stored + rest[: until - at]


class TeamJournal:
    """`name` tells it from the other journals of the same tenant."""

    def __init__(self, database: TeamDatabase, name: str) -> None:
        self._database = database
        self._name = name
        self.fenced_by: Lease | None = None
        """While this is set, a write is refused once somebody else has taken the lease."""
        self._last: tuple[int, bytes | None] | None = None
        """Size and mark as this process left them."""

    @property
    def location(self) -> str:
        return f"{self._database.location}#{self._name}"

    @contextmanager
    def lock(
        self, *, is_durable: bool, releases_early: bool = False, patience: float | None = None
    ) -> Iterator[HeldRows]:
        if patience == 0:
            raise Conflict("The journal is not on this machine.")
        last = self._last
        if patience is not None and last is not None and self.fenced_by is None:
            held = HeldRows(self, *last)
            yield held
            if held.has_changed:
                with self._looking_after(held):
                    self._database.engine.run(self._appended(held, last, is_durable, patience))
            return
        stack = AsyncExitStack()
        milliseconds = max(1, round(1000 * (PATIENCE if patience is None else patience)))
        connection, held = self._database.engine.run(self._begun(stack, is_durable, milliseconds))
        try:
            yield held
            if held.has_changed:
                self._database.engine.run(self._written(connection, held))
        except BaseException as fault:
            self._database.engine.run(self._ended(stack, fault))
            raise
        with self._looking_after(held):
            self._database.engine.run(self._ended(stack, None))
        self._last = (held.size, held.mark)

    def append(self, line: bytes, *, is_durable: bool, releases_early: bool = False) -> None:
        with self.lock(is_durable=is_durable, releases_early=releases_early) as held:
            held.append(line)

    def snapshot(self) -> JournalSnapshot:
        head = "SELECT size, mark FROM journal_head WHERE journal = $1"
        found = self._database.run(lambda rows: rows.fetchrow(head, self._name))
        return JournalSnapshot(None, None) if found is None else JournalSnapshot(found["size"], found["mark"])

    def lines(self, start: int = 0, until: int | None = None) -> Iterator[bytes]:
        """A page at a time, each with a connection of its own: who reads slowly keeps none."""
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
        before = 1 << 62
        while page := self._page(query, before):
            yield from (line for _, line in page)
            before = page[-1]["start"]

    def _page(self, query: str, place: int) -> list[Any]:
        return self._database.run(lambda rows: rows.fetch(query, self._name, place, _AT_ONCE))

    def flush(self) -> None:
        """A commit that waits for the disk takes everything before it along."""
        self._database.run(lambda rows: rows.fetchval("SELECT pg_current_xact_id()::text"))

    def rewrite(self, lines: Sequence[bytes]) -> None:
        """Replaces all lines. PostgreSQL lets servers do that to checkpoints, and to no other journal."""
        whole = [line + b"\n" for line in lines]
        starts = [0, *accumulate(map(len, whole))]

        async def replaced(connection: Connection) -> None:
            async with connection.transaction():
                await connection.execute("SELECT hold_journal($1, $2, true)", self._name, round(1000 * PATIENCE))
                if self.fenced_by is not None:
                    await fence(connection, self.fenced_by)
                await connection.execute("DELETE FROM journal_line WHERE journal = $1", self._name)
                adding = "SELECT append_journal($1, $2, $3, $4, NULL)"
                await connection.execute(adding, self._name, starts[:-1], whole, starts[-1])

        self._database.run(replaced)

    def close(self) -> None:
        """The connections are the database's."""

    async def _begun(self, stack: AsyncExitStack, is_durable: bool, milliseconds: int) -> tuple[Connection, HeldRows]:
        try:
            connection: Any = await stack.enter_async_context(self._database.connection())
            with spelled(self._database.location):
                await stack.enter_async_context(connection.transaction())
                query = "SELECT size, mark FROM hold_journal($1, $2, $3)"
                found = await connection.fetchrow(query, self._name, milliseconds, is_durable)
        except BaseException as fault:
            await self._ended(stack, fault)
            raise
        return connection, HeldRows(self, found["size"], found["mark"])

    async def _appended(
        self, held: HeldRows, last: tuple[int, bytes | None], is_durable: bool, patience: float
    ) -> None:
        """In one trip, if nobody has written since we did; otherwise Conflict, and whoever is patient looks first."""
        query = "SELECT append_journal_after($1, $2, $3, $4, $5, $6, $7, $8, $9)"
        when = (max(1, round(1000 * patience)), is_durable, *last)
        self._last = None
        async with self._database.connection() as connection:
            is_done = await connection.fetchval(query, self._name, *when, held.starts, held.lines, held.size, held.mark)
        if not is_done:
            raise Conflict("Another server has written meanwhile.")
        self._last = (held.size, held.mark)

    @contextmanager
    def _looking_after(self, held: HeldRows) -> Iterator[None]:
        """Around a commit: where its outcome was lost on the way, it is looked up."""
        try:
            yield
        except InputOutput as lost:
            if not held.lines:
                raise
            try:
                is_there = self._database.engine.run(self._has(held))
            except Failure:
                raise OutcomeUnknown(f"{lost.message} Whether it was written is not known.") from lost
            if not is_there:
                raise

    async def _has(self, held: HeldRows) -> bool:
        """Whether the lines are in the journal. Waits for the end of a transaction that is still writing them."""
        query = "SELECT line FROM journal_line WHERE journal = $1 AND start = $2"
        async with self._database.connection() as connection, connection.transaction():
            await connection.execute("SELECT hold_journal($1, $2, false)", self._name, round(1000 * PATIENCE))
            return bool(await connection.fetchval(query, self._name, held.starts[-1]) == held.lines[-1])

    async def _written(self, connection: Connection, held: HeldRows) -> None:
        with spelled(self._database.location):
            if self.fenced_by is not None:
                await fence(connection, self.fenced_by)
            adding = "SELECT append_journal($1, $2, $3, $4, $5)"
            await connection.execute(adding, self._name, held.starts, held.lines, held.size, held.mark)

    async def _ended(self, stack: AsyncExitStack, fault: BaseException | None) -> None:
        """Commits, or rolls back. What fails while rolling back is said by the fault that led there."""
        with spelled(self._database.location):
            if fault is None:
                await stack.aclose()
                return
            try:
                await stack.__aexit__(type(fault), fault, fault.__traceback__)
            except BaseException as later:  # noqa: BLE001
                if later is fault:
                    return
