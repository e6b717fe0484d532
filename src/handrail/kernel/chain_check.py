"""Checks a chain of records from its first line to its head.

One pass, with one line in memory. Reports the line and the reason; repairs nothing.
"""

import re
from collections.abc import Callable, Iterable
from hashlib import sha256

from handrail.kernel.chain import NO_HASH, Head, InvalidRecord, Link, Repair, read_record
from handrail.ports.errors import Damaged

_LINES = re.compile(rb"[^\n]*\n")

OnRecord = Callable[[Link, bytes], None]
"""Called with every record and its line."""


class BrokenChain(Damaged):
    """`details` has the `reason`, and the `line` (from 1) unless the head is wrong."""

    recoverable = False

    def __init__(self, line: int | None, reason: str) -> None:
        super().__init__(
            f"The audit is not as it was written: {reason}."
            if line is None
            else f"The audit is not as it was written, line {line}: {reason}.",
            reason=reason,
            line=line,
        )


class _Torn:
    """Lines that aren't records: left by a crash if the next record has their hash, otherwise damage."""

    def __init__(self, line: int, start: int, reason: str) -> None:
        self.line = line
        self.start = start
        self.reason = reason
        self._length = 0
        self._digest = sha256()
        self._separator = b""

    def add(self, line: bytes) -> None:
        # The repair added the last LF, so it counts only once another line follows.
        text = line.removesuffix(b"\n")
        self._digest.update(self._separator + text)
        self._length += len(self._separator) + len(text)
        self._separator = line[len(text) :]

    def is_vouched_for(self, repair: Repair | None) -> bool:
        return repair is not None and (repair.length, repair.sha256) == (self._length, self._digest.hexdigest())

    @property
    def damage(self) -> BrokenChain:
        return BrokenChain(self.line, self.reason)


def check_chain(
    lines: Iterable[bytes], size: int, head: Head, each: OnRecord = lambda link, line: None, *, may_lag: bool = False
) -> int:
    """The number of records in these `size` bytes. BrokenChain if they don't match the head.

    `may_lag`: a power cut may have left an older head, and lost what follows the head's floor. Then further whole
    records after the head are accepted.
    """
    count, last, offset, number, beyond = 0, NO_HASH, 0, 0, 0
    torn: _Torn | None = None
    has_passed_head, has_passed_floor = head.count == 0, head.floor == 0
    for number, line in enumerate(lines, 1):
        try:
            link = read_record(line)
            _check_place(link, count + 1, last)
        except InvalidRecord as fault:
            torn = torn or _Torn(number, offset, str(fault))
            torn.add(line)
        else:
            if torn is not None and not torn.is_vouched_for(link.repair):
                raise torn.damage
            if torn is None and link.repair is not None:
                raise BrokenChain(number, "it repairs a torn line that is not there")
            torn = None
            count, last = link.seq, link.hash
            end = offset + len(line)
            has_passed_head = has_passed_head or (count, end, last) == head.end
            has_passed_floor = has_passed_floor or end == head.floor
            each(link, line)
            if count == head.count + 1:
                beyond = number
        offset += len(line)
    if may_lag and has_passed_floor and (has_passed_head or count < head.count):
        return count
    if torn is not None:
        return _check_tail(torn, count, last, size, head)
    end_of_log = (count, size, last)
    if end_of_log == head.end or (head.is_announcing and end_of_log == head.settled().end):
        return count
    if count < head.count:
        raise BrokenChain(number + 1, f"{_records(count + 1, head.count)} missing: the end was cut off")
    if count > head.count:
        raise BrokenChain(beyond, "it lies beyond the head, which never announced it")
    raise BrokenChain(number, "it is not the record that the head names as the last")


def follow_records(count: int, last: str, data: bytes) -> tuple[int, str, int]:
    """Follows the chain through `data`: number and hash of the last whole record, and where it ends in `data`."""
    end, offset = 0, 0
    torn: _Torn | None = None
    for line in _LINES.findall(data):
        try:
            link = read_record(line)
            _check_place(link, count + 1, last)
        except InvalidRecord as fault:
            torn = torn or _Torn(0, offset, str(fault))
            torn.add(line)
        else:
            if (torn is not None or link.repair is not None) and not (torn and torn.is_vouched_for(link.repair)):
                break
            torn, count, last, end = None, link.seq, link.hash, offset + len(line)
        offset += len(line)
    return count, last, end


def _check_place(link: Link, seq: int, last: str) -> None:
    if link.seq > seq:
        raise InvalidRecord(f"{_records(seq, link.seq - 1)} missing before it")
    if link.seq < seq:
        raise InvalidRecord(f"it is record {link.seq} again, or out of order")
    if link.prev != last:
        raise InvalidRecord("it does not follow the record before it")


def _check_tail(torn: _Torn, count: int, last: str, size: int, head: Head) -> int:
    """A torn end is a crash only if the head had announced a longer record at that place."""
    is_crash = (
        head.is_announcing and (count, last, torn.start) == (head.count, head.hash, head.size) and size < head.next_size
    )
    if not is_crash:
        raise torn.damage
    return count


def _records(first: int, last: int) -> str:
    return f"record {first} is" if first == last else f"records {first} to {last} are"
