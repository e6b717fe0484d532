"""An index of the prompt log: the offsets of requests and responses by id, and the pending requests.

It reads every byte of the log once and uses 8 bytes per entry, so a log of a million entries can be searched by id.
"""

from array import array
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from io import BytesIO
from itertools import accumulate, chain, compress
from operator import attrgetter
from typing import Literal

import msgspec

from handrail.kernel.prompts.entries import LONGEST_LINE, UNREADABLE, Action, Head, read_head, split_entries
from handrail.ports.journal import LockedJournal

_BLOCK = 1 << 16
_LONGEST_TAIL = 256
_FIRST_READ = 1 << 12


class _UsualHead(msgspec.Struct, gc=False, rename="camel"):
    """The head of an entry that handrail wrote; decoding it is faster than for other heads."""

    type: Literal["ui_prompt"]
    action: Literal["request", "response"]
    request_id: str


_USUAL = msgspec.json.Decoder(_UsualHead)
_ID = attrgetter("request_id")


class PromptIndex:
    def __init__(self) -> None:
        self.waiting: dict[str, int] = {}
        """Ids with a request and no response, in the order of the log, with the offset of the request."""
        self.responses = array("Q")
        """The offsets of the responses, in the order of the log."""
        self._places = _Places()
        self._stems = _Places()
        self._offset = 0
        self._tail = b""
        self._is_inside_line = False
        self._fresh: list[str] | None = None  # ids requested since the last read; None: all of them

    def lines_of(self, action: Action, request_id: str, journal: LockedJournal) -> Iterator[tuple[int, bytes]]:
        """The entries with this action and id, the oldest first: offset and line, without LF."""
        for place in self._places.of(request_id) if request_id else ():
            line = line_at(journal, place)
            if (head := read_head(line)) is not None and head.is_of(action, request_id):
                yield place, line

    def ids_with_stem(self, stem: str, journal: LockedJournal) -> list[str]:
        """Requests whose id is `stem`, an underscore and text without one; the oldest first."""
        heads = (read_head(line_at(journal, place)) for place in self._stems.of(stem))
        ids = (head.request_id for head in heads if head is not None)
        return list(dict.fromkeys(each for each in ids if each.rpartition("_")[0] == stem))

    def matches(self, journal: LockedJournal) -> bool:
        """False if the log was rotated, truncated or replaced."""
        start = self._offset - len(self._tail)
        return journal.size >= self._offset and journal.read(start, len(self._tail)) == self._tail

    def read(self, journal: LockedJournal, limit: int | None = None) -> bool:
        """Reads what was appended, or about `limit` bytes of it. `waiting` is complete once this returns True."""
        stop = journal.size if limit is None else self._offset + limit
        while (lines := self._next_lines(journal)) is not None:
            data, end = lines
            self._add(*_heads(data, end, self._offset))
            self._advance(data, end)
            if self._offset >= stop:
                break
        if lines is not None and self._offset < journal.size:
            return False
        self._drop_answered(journal)
        return True

    def _drop_answered(self, journal: LockedJournal) -> None:
        """Removes answered requests from `waiting`. A response may precede its request, and an id may be used again."""
        fresh = [*self.waiting] if self._fresh is None else [each for each in self._fresh if each in self.waiting]
        if self._fresh is None or len(fresh) > _FEW:
            places = self._places.of_any(fresh)
        else:
            places = [place for each in fresh for place in self._places.of(each)]
        asked = {self.waiting[each] for each in fresh}
        for place in places:
            head = read_head(line_at(journal, place)) if place not in asked else None
            if head is not None and head.action == "response":
                self.waiting.pop(head.request_id, None)
        self._fresh = []

    def _add(self, heads: Sequence[Head | _UsualHead], places: list[int]) -> None:
        waiting, answered = self.waiting, []
        for head, place in zip(heads, places, strict=True):
            if head.action == "request":
                if head.request_id not in waiting:
                    waiting[head.request_id] = place
            elif head.action == "response":
                answered.append(place)
                waiting.pop(head.request_id, None)
        waiting.pop("", None)  # no id
        self.responses.extend(answered)
        ids = list(map(_ID, heads))
        self._places.add(ids, places)
        if "_" in "".join(ids):
            stems = {place: each.rpartition("_")[0] for each, place in zip(ids, places, strict=True) if "_" in each}
            self._stems.add(stems.values(), list(stems))
        if self._fresh is not None:
            self._fresh += [head.request_id for head in heads if head.action == "request"]

    def _next_lines(self, journal: LockedJournal) -> tuple[bytes, int] | None:
        """A block, and where its last line ends; None if there is no line, or only a torn one."""
        size = _BLOCK
        # Reads no more than there is: allocating a whole block takes longer than reading a short line.
        while data := journal.read(self._offset, min(size, max(0, journal.size - self._offset))):
            if self._is_inside_line:
                end = data.find(b"\n") + 1
                self._is_inside_line = not end
                self._advance(data, end or len(data))
            elif end := data.rfind(b"\n") + 1:
                return data, end
            elif len(data) < size:
                # Perhaps only its LF is missing, which the next append adds.
                is_whole = all(read_head(part) is not None for _, part in split_entries(data))
                return (data, len(data)) if is_whole else None
            elif size < LONGEST_LINE:
                size = min(size * 4, LONGEST_LINE)
            else:
                self._is_inside_line = True  # skipped, because it is longer than any entry may be
        return None

    def _advance(self, data: bytes, end: int) -> None:
        self._offset += end
        self._tail = data[max(0, end - _LONGEST_TAIL) : end]


_PLACE_BITS = 40
_PLACES = (1 << _PLACE_BITS) - 1
_KEYS = (1 << 24) - 1
_CHUNK = 1 << 16
_FEW = 1000


class _Places:
    """Offsets by id, as sorted chunks of integers that combine a part of the id's hash with the offset.

    Ids can share that part of the hash, so callers have to check the line at the offset.
    """

    def __init__(self) -> None:
        self._chunks: list[array[int]] = []
        self._hashes, self._unsorted = array("q"), array("Q")

    def add(self, request_ids: Iterable[str], places: list[int]) -> None:
        self._hashes.fromlist(list(map(hash, request_ids)))
        self._unsorted.fromlist(places)

    def of(self, request_id: str) -> list[int]:
        """Possible offsets of an id, in the order of the log."""
        self._sort()
        low = (hash(request_id) & _KEYS) << _PLACE_BITS
        offsets: list[int] = []
        for chunk in self._chunks:
            at = bisect_left(chunk, low)
            offsets += (each & _PLACES for each in chunk[at : bisect_left(chunk, low + _PLACES + 1, at)])
        return sorted(offsets)

    def of_any(self, request_ids: Collection[str]) -> list[int]:
        """Possible offsets of many ids, in one pass and without sorting."""
        keys = {hash(each) & _KEYS for each in request_ids}
        offsets = [each & _PLACES for each in chain(*self._chunks) if each >> _PLACE_BITS in keys]
        hashes = set(map(hash, request_ids))
        return [*offsets, *compress(self._unsorted, map(hashes.__contains__, self._hashes))]

    def _sort(self) -> None:
        """Called only when an id is looked up; listing pending prompts after a start doesn't need it."""
        pairs = zip(self._hashes, self._unsorted, strict=True)
        new = [(each & _KEYS) << _PLACE_BITS | place for each, place in pairs]
        self._hashes, self._unsorted = array("q"), array("Q")
        if len(new) > _FEW:
            self._chunks += (array("Q", sorted(new[at : at + _CHUNK])) for at in range(0, len(new), _CHUNK))
            return
        for each in new:
            if not self._chunks or len(self._chunks[-1]) >= _CHUNK:
                self._chunks.append(array("Q"))
            insort(self._chunks[-1], each)


def line_at(journal: LockedJournal, place: int) -> bytes:
    """The entry at an offset, without LF; empty if it is longer than an entry may be."""
    size = _FIRST_READ
    while True:
        data = journal.read(place, size)
        if (end := data.find(b"\n")) >= 0 or len(data) < size:
            line = data if end < 0 else data[:end]
            return split_entries(line)[0][1] if line else line
        if size > LONGEST_LINE:
            return b""
        size *= 4


def _heads(data: bytes, end: int, offset: int) -> tuple[Sequence[Head | _UsualHead], list[int]]:
    """The head of each entry, empty for other lines, and its offset."""
    lines = BytesIO(data).readlines()  # several times faster than `split`
    if end < len(data):
        lines.pop()  # torn
    *places, _ = accumulate(map(len, lines), initial=offset)
    try:
        usual = _USUAL.decode_lines(memoryview(data)[:end])
        if len(usual) == len(lines) and b"\n" not in lines:  # otherwise a value spans lines, or a line has several
            return usual, places
    except UNREADABLE:
        pass
    entries = [
        (place + at, part)
        for place, line in zip(places, lines, strict=True)
        for at, part in split_entries(line.removesuffix(b"\n"))
    ]
    return [_own_head(part) for _, part in entries], [place for place, _ in entries]


def _own_head(line: bytes) -> Head:
    head = read_head(line)
    return head if head is not None and head.type == "ui_prompt" else Head()
