"""Which prompts wait for an answer and which have one, derived from the log as it grows.

Every byte is read once. What stays in memory is ids and places, no prompt. A start on a long log
must be cheap, so lines are read in blocks and decoded as far as their heads, many at a time.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from handrail.kernel.prompts.entries import LONGEST_LINE, UNREADABLE, Head, read_head
from handrail.ports.journal import HeldJournal

Stretch = tuple[int, int]
"""Whole lines of the log: from one offset up to another."""

_BLOCK = 1 << 16
_LONGEST_TAIL = 256


class _UsualHead(msgspec.Struct, gc=False, rename="camel"):
    """The head of an entry of ours. Decodes faster than any head, and nothing else."""

    type: Literal["ui_prompt"]
    action: Literal["request", "response"]
    request_id: str


_USUAL = msgspec.json.Decoder(_UsualHead)
_ANY = msgspec.json.Decoder(Head)


class PromptIndex:
    def __init__(self) -> None:
        self.waiting: dict[str, Stretch] = {}
        """Ids with a request and no response, in the order of the log, and where the request is."""
        self._answered = _Answered()
        self._offset = 0
        self._tail = b""
        self._is_inside_line = False
        self._fresh: list[str] | None = None  # ids asked for since the last read; None: all of them

    def answer_to(self, request_id: str) -> Stretch | None:
        """Where the first response is."""
        return self._answered.place_of(request_id)

    def is_about(self, held: HeldJournal) -> bool:
        """False when the log is another one than before: rotated, truncated or replaced."""
        start = self._offset - len(self._tail)
        return held.size >= self._offset and held.read(start, len(self._tail)) == self._tail

    def read(self, held: HeldJournal, limit: int | None = None) -> bool:
        """Takes in what was appended, or about `limit` bytes of it. `waiting` is right once this is true."""
        stop = held.size if limit is None else self._offset + limit
        while (lines := self._next_lines(held)) is not None:
            data, end = lines
            stretch = (self._offset, self._offset + end)
            self._take_in(_heads(data, end), stretch)
            self._go_on(data, end)
            if self._offset >= stop:
                break
        if lines is not None and self._offset < held.size:
            return False
        self._drop_answered()
        return True

    def _drop_answered(self) -> None:
        """A response may stand before its request, and an id may be used again: answered is answered."""
        if self._fresh is None:
            early = self._answered.among(self.waiting)
        else:
            early = {each for each in self._fresh if self._answered.place_of(each) is not None}
        for request_id in early:
            self.waiting.pop(request_id, None)
        self._fresh = []

    def _take_in(self, heads: Sequence[Head | _UsualHead], stretch: Stretch) -> None:
        waiting = self.waiting
        answers = []
        for head in heads:
            if head.action == "request":
                waiting.setdefault(head.request_id, stretch)
            else:
                request_id = head.request_id
                answers.append(request_id)
                waiting.pop(request_id, None)
        waiting.pop("", None)  # no id
        if answers:
            self._answered.add(answers, stretch)
        if self._fresh is not None:
            self._fresh += [head.request_id for head in heads if head.action == "request"]

    def _next_lines(self, held: HeldJournal) -> tuple[bytes, int] | None:
        """A block, and where its last line ends; None when there is no line, or only a torn one."""
        size = _BLOCK
        # Never more than there is: a buffer for a whole block costs more than a short line.
        while data := held.read(self._offset, min(size, max(0, held.size - self._offset))):
            if self._is_inside_line:
                end = data.find(b"\n") + 1
                self._is_inside_line = not end
                self._go_on(data, end or len(data))
            elif end := data.rfind(b"\n") + 1:
                return data, end
            elif len(data) < size:
                # Perhaps nothing but its LF is missing: whoever appends next makes a line of it.
                return (data, len(data)) if read_head(data) is not None else None
            elif size < LONGEST_LINE:
                size = min(size * 4, LONGEST_LINE)
            else:
                self._is_inside_line = True  # and left behind: it is longer than any of ours
        return None

    def _go_on(self, data: bytes, end: int) -> None:
        self._offset += end
        self._tail = data[max(0, end - _LONGEST_TAIL) : end]


class _Answered:
    """Ids and places of responses. Of a long log most are never looked for, so they are kept small and unsorted."""

    def __init__(self) -> None:
        self._places: dict[str, Stretch] = {}
        self._unsorted: list[tuple[str, Stretch]] = []

    def add(self, request_ids: list[str], stretch: Stretch) -> None:
        joined = "\n".join(request_ids)  # a third of the memory, and faster than keeping each
        if joined.count("\n") >= len(request_ids):
            joined = "\n".join(each for each in request_ids if "\n" not in each)
        self._unsorted.append((joined, stretch))

    def place_of(self, request_id: str) -> Stretch | None:
        for joined, stretch in self._unsorted:
            for each in joined.split("\n"):
                self._places.setdefault(each, stretch)
        self._unsorted.clear()
        self._places.pop("", None)
        return self._places.get(request_id)

    def among(self, waiting: dict[str, Stretch]) -> set[str]:
        """Asked once, of all that wait after a first read: a pass over the unsorted costs a fraction of sorting."""
        parts = (joined.split("\n") for joined, _ in self._unsorted)
        return {each for ids in parts if not waiting.keys().isdisjoint(ids) for each in ids if each in waiting}


def _heads(data: bytes, end: int) -> Sequence[Head | _UsualHead]:
    """Of the lines that are entries of ours."""
    # Several times as fast as data.count(b"\n"), which looks at each byte by itself.
    count = len(data) - len(data.replace(b"\n", b""))
    lines = memoryview(data)[:end]
    try:
        usual = _USUAL.decode_lines(lines)
        if len(usual) == count:  # otherwise a value spans lines, or a line holds several
            return usual
    except UNREADABLE:
        pass
    try:
        heads = _ANY.decode_lines(lines)
        if len(heads) == count:
            return [head for head in heads if _is_ours(head)]
    except UNREADABLE:
        pass
    return [head for line in data[:end].split(b"\n") if (head := read_head(line)) is not None and _is_ours(head)]


def _is_ours(head: Head) -> bool:
    return head.type == "ui_prompt" and head.action in ("request", "response")
