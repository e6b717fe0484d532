"""The audit: an append-only log of what was done.

Each record contains the hash of the one before it (`chain`). The head is stored apart from the log, so a log whose end
was cut off is detected too. The audit writes only what it is given: callers pass digests, never parameters. It uses a
journal and knows no files.

A record is announced in the head, written to the log, then acknowledged in the head. If the process dies in between,
the head contains an announcement, and the log is unchanged, has exactly the announced record, or has a torn part of
it, whose hash the next record repeats. Nothing else is accepted as a crash. `append` continues from the head and not
from the log's content, so appending after somebody has changed the log hides nothing.

A power cut can lose more: the newest head, and the part of the log that wasn't synced. The head says how much was
synced. After a restart, whole records after that point are accepted, the hash of anything else is recorded, and a
record says so.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec

from handrail.kernel.audit_queue import AuditQueue
from handrail.kernel.chain import RESERVED, Head, InvalidRecord, encode_members, read_head, read_record, seal_record
from handrail.kernel.chain_check import BrokenChain, OnRecord, check_chain, follow_records
from handrail.kernel.checkpoint_maker import CheckpointMaker, WrittenRecord
from handrail.kernel.recorded_evidence import RECOVERED
from handrail.ports.errors import Damaged
from handrail.ports.journal import Journal, LockedJournal
from handrail.ports.unreadable_json import UNREADABLE_JSON

_LINE = 1 << 12


class Audit:
    """`clock` returns seconds since 1970; `keeper` makes checkpoints of what is written."""

    def __init__(
        self, journal: Journal, clock: Callable[[], float] = time.time, keeper: CheckpointMaker | None = None
    ) -> None:
        self._journal = journal
        self.keeper = keeper
        if keeper is not None:
            keeper.append = self.append
        self._clock = clock
        self.lag = 0
        """How many whole records `verify` found after the head, which a power cut had set back."""
        self.lost = 0
        """How many records `verify` found missing after a power cut, compared with the head."""
        self.may_lag = False
        """Whether, when `verify` ran, nothing had been written since the machine started."""
        self._last = Head()
        self._last_spelled = self._last.spelled()
        self._second = -1, ""
        """The second of the last record, and its text."""
        self._queue = AuditQueue(self._append_all)

    def append(self, record: Mapping[str, Any], durable: bool = False) -> int:
        """The record's number, once it is written; with `durable`, once it is on disk. Blocks."""
        return self._append_all([_spelled(record)], durable=durable)

    async def add(self, record: Mapping[str, Any], *, durable: bool = False) -> None:
        """Like `append`, for an event loop."""
        spelled = _spelled(record)
        if durable or not self._queue.add_now(spelled):
            await self._queue.add(spelled, durable=durable)

    def put(self, record: Mapping[str, Any], *, durable: bool) -> None:
        """Like `add`, for a thread of a call: records of several calls share one disk access. Blocks."""
        self._queue.put(_spelled(record), durable=durable)

    def entries(self, *, reverse: bool = False) -> Iterator[dict[str, Any]]:
        """Every readable record; only `verify` detects damage. Blocks."""
        return (entry for _, entry in self.lines(reverse=reverse))

    def lines(self, *, reverse: bool = False) -> Iterator[tuple[bytes, dict[str, Any]]]:
        """Every readable record with its line."""
        for line in self._journal.lines_backwards() if reverse else self._journal.lines():
            try:
                entry = msgspec.json.decode(line)
            except UNREADABLE_JSON:
                continue
            if isinstance(entry, dict):
                yield line, entry

    def verify(self, each: OnRecord = lambda link, line: None) -> int:
        """The number of records. BrokenChain at the first line that isn't as it was written. Blocks.

        `each` is called with every record.
        """
        snapshot = self._journal.snapshot()
        if snapshot.mark is None:
            if snapshot.size:
                raise BrokenChain(None, "the head is missing")
            return 0
        head = read_head(snapshot.mark)
        if head is None:
            raise BrokenChain(None, "the head was changed: its checksum does not fit")
        if snapshot.size is None:
            raise BrokenChain(None, "the log is missing")
        lines = self._journal.lines(until=snapshot.size)
        count = check_chain(lines, snapshot.size, head, each, may_lag=snapshot.may_lag)
        self.lag = max(0, count - head.settled().count if head.is_announcing else count - head.count)
        self.lost, self.may_lag = max(0, head.count - count), snapshot.may_lag
        return count

    def has_record(self, sealed: str, end: int) -> bool:
        """Whether a record with this hash ends at this offset of the log."""
        start = max(0, end - len(sealed) - 3)
        return b"".join(self._journal.lines(start, end)) == b'%b"}\n' % sealed.encode()

    def flush(self) -> None:
        self._queue.drain()
        self._journal.flush()

    def close(self) -> None:
        self._queue.close()
        if self.keeper is not None:
            self.keeper.close()
        self._journal.close()

    def _append_all(self, spelled: Sequence[bytes], *, durable: bool, patience: float | None = None) -> int:
        """Appends all of them or none; returns the number of the last one."""
        with self._journal.lock(is_durable=durable, patience=patience) as journal:
            # If somebody else has changed the log, a repair after a later crash must cover only our own bytes.
            head = before = self._settle(journal, self._read_head(journal)).placed_at(journal.size)
            written: list[WrittenRecord] = []
            for members in spelled:
                head = self._write(journal, head, members, written)
            if durable:
                journal.sync()
                head = head.saved()
            self._acknowledge(journal, head)
        if self.keeper is not None:
            self.keeper.note(before.count + 1, before.hash, written)
        return head.count

    def _read_head(self, journal: LockedJournal) -> Head:
        if journal.mark == self._last_spelled:
            return self._last
        head = Head() if journal.mark is None and journal.size == 0 else read_head(journal.mark or b"")
        if head is None:
            raise Damaged(
                f"The audit can't continue: the head beside {self._journal.location} is missing or was changed.",
                hint="`handrail audit verify` says more. Moving the folder aside starts a new record.",
            )
        return head

    def _settle(self, journal: LockedJournal, head: Head) -> Head:
        """Acknowledges, withdraws or repairs what a killed process announced. After a power cut, accepts what is left
        of the log and records that.
        """
        if journal.may_lag and (recovered := self._recovered(journal, head)) is not None:
            return recovered
        if not head.is_announcing:
            return head
        size = journal.size - head.size
        expected = head.next_size - head.size
        if 0 < size <= expected:
            written = journal.read(head.size, size)
            if _is_announced(written, expected, head.next_hash):
                journal.end_line()
                return head.settled()
            if size < expected:
                torn = written.removesuffix(b"\n")
                vouching = {"repair": {"length": len(torn), "sha256": sha256(torn).hexdigest()}}
                return self._write(journal, head.withdrawn(), encode_members(vouching), [])
        return head.withdrawn()

    def _recovered(self, journal: LockedJournal, head: Head) -> Head | None:
        """None if there is nothing to recover, or if the log's state can't be the result of a power cut."""
        floor = _floor(journal, head)
        if floor is None:
            return None
        rest = journal.read(floor.size, journal.size - floor.size)
        counted = head.size - floor.size
        count, last, end = follow_records(floor.count, floor.hash, rest[:counted])
        if count >= head.count:
            if (count, floor.size + end, last) != head.end:
                return None
            count, last, more = follow_records(count, last, rest[counted:])
            end += more
        is_whole = end == len(rest) and head.count <= count <= head.count + head.is_announcing
        if is_whole and (self.keeper is None or self.keeper.signed >= count):
            return None
        members: dict[str, Any] = {"event": RECOVERED, "records": max(0, count - head.count)}
        if count < head.count:
            members["lost"] = head.count - count
        if torn := rest[end:].removesuffix(b"\n"):
            members["repair"] = {"length": len(torn), "sha256": sha256(torn).hexdigest()}
        return self._write(journal, Head(count, floor.size + end, last, safe=floor.size), encode_members(members), [])

    def _write(self, journal: LockedJournal, head: Head, members: bytes, written: list[WrittenRecord]) -> Head:
        line, sealed = seal_record(head.count + 1, self._now(), head.hash, members)
        announced = head.announcing(journal.size_after(line), sealed)
        journal.set_mark(announced.spelled())
        journal.append(line)
        written.append((line, sealed, announced.next_size))
        return announced.settled()

    def _acknowledge(self, journal: LockedJournal, head: Head) -> None:
        self._last, self._last_spelled = head, head.spelled()
        journal.set_mark(self._last_spelled)

    def _now(self) -> str:
        second, micros = divmod(round(self._clock() * 1_000_000), 1_000_000)
        if second != self._second[0]:
            self._second = second, datetime.fromtimestamp(second, UTC).isoformat()[:-6]
        return f"{self._second[1]}.{micros // 1000:03d}Z"


def _spelled(record: Mapping[str, Any]) -> bytes:
    if not RESERVED.isdisjoint(record):
        raise ValueError(f"The audit writes these members itself: {sorted(RESERVED.intersection(record))}")
    return encode_members(record)


def _floor(journal: LockedJournal, head: Head) -> Head | None:
    """The head at the time when all of the log was last known to be on disk; None if the log doesn't contain that."""
    if journal.size < head.floor:
        return None
    if head.floor == head.size:
        return head.withdrawn()
    if head.floor == 0:
        return Head()
    try:
        link = read_record(_line_before(journal, head.floor))
    except InvalidRecord:
        return None
    return Head(link.seq, head.floor, link.hash, safe=head.floor)


def _line_before(journal: LockedJournal, end: int) -> bytes:
    size = _LINE
    while True:
        size = min(size, end)
        read = journal.read(end - size, size)
        start = read.rfind(b"\n", 0, -1) + 1
        if start or size == end:
            return read[start:]
        size *= 2


def _is_announced(written: bytes, expected: int, sealed: str) -> bool:
    """Whether these bytes are the announced record, perhaps without its LF."""
    whole = written if written.endswith(b"\n") else written + b"\n"
    if len(whole) != expected:
        return False
    try:
        return read_record(whole[whole.rfind(b"\n", 0, -1) + 1 :]).hash == sealed
    except InvalidRecord:
        return False
