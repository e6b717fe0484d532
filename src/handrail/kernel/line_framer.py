"""Splits a stream of bytes into lines: only at LF, with a maximum length, without blank lines."""

from dataclasses import dataclass

_EDGE = 4096


@dataclass(frozen=True, slots=True)
class LongLine:
    """A line beyond the limit. Its middle was dropped; its start and end may show who sent it."""

    head: bytes
    tail: bytes
    size: int


class LineFramer:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._head: bytes | None = None
        self._dropped = 0

    @property
    def is_overlong(self) -> bool:
        """Whether the current line, which has not ended yet, is beyond the limit."""
        return self._head is not None

    def feed(self, chunk: bytes) -> list[bytes | LongLine]:
        """The lines that end in this chunk, without white space around them."""
        *ended, rest = chunk.split(b"\n")
        lines: list[bytes | LongLine] = []
        for piece in ended:
            if self._rest or self._head is not None or len(piece) > self._limit:
                self._extend(piece)
                lines += self.end()
            elif line := piece.strip(b" \t\r"):
                lines.append(line)
        self._extend(rest)
        return lines

    def end(self) -> list[bytes | LongLine]:
        """The line that the stream ended in, if any."""
        rest, head, size = bytes(self._rest), self._head, self._dropped + len(self._rest)
        self._rest.clear()
        self._head, self._dropped = None, 0
        if head is not None:
            return [LongLine(head, rest, size)]
        line = rest.strip(b" \t\r")
        return [line] if line else []

    def _extend(self, piece: bytes) -> None:
        self._rest += piece
        if self._head is None and len(self._rest) > self._limit:
            self._head = bytes(self._rest[:_EDGE])
        if self._head is not None and len(self._rest) > _EDGE:
            self._dropped += len(self._rest) - _EDGE
            del self._rest[:-_EDGE]
