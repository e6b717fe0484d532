"""Lines from a byte stream, cut at LF alone and bounded before anybody parses them."""

from collections import deque
from dataclasses import dataclass

from handrail.faces.mcp.standard_streams import Source

_EDGE = 4096


@dataclass(frozen=True, slots=True)
class TooLong:
    """What is kept of a line that was thrown away: enough to tell whose it was."""

    head: bytes
    tail: bytes
    size: int


class Lines:
    def __init__(self, source: Source, limit: int) -> None:
        self._source = source
        self._limit = limit
        self._ready: deque[bytes | TooLong] = deque()
        self._rest = bytearray()
        self._head: bytes | None = None
        self._dropped = 0

    async def next(self) -> bytes | TooLong | None:
        """None at the end of the stream."""
        while not self._ready:
            chunk = await self._source.read()
            if not chunk:
                if self._rest or self._head is not None:
                    self._end_line()
                    continue
                return None
            self._take(chunk)
        return self._ready.popleft()

    def _take(self, chunk: bytes) -> None:
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._extend(piece)
            self._end_line()
        self._extend(rest)

    def _extend(self, piece: bytes) -> None:
        self._rest += piece
        if len(self._rest) > self._limit and self._head is None:
            self._head = bytes(self._rest[:_EDGE])
        if self._head is not None and len(self._rest) > _EDGE:
            self._dropped += len(self._rest) - _EDGE
            del self._rest[:-_EDGE]

    def _end_line(self) -> None:
        if self._head is not None:
            self._ready.append(TooLong(self._head, bytes(self._rest), self._dropped + len(self._rest)))
            self._head, self._dropped = None, 0
        elif stripped := bytes(self._rest).strip(b" \t\r"):
            self._ready.append(stripped)
        self._rest.clear()
