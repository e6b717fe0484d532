"""Lines out of chunks, cut at LF alone and bounded before anybody parses them."""

from collections.abc import Iterator

LONGEST_LINE = 8 * 1024 * 1024


class LineCutter:
    """A line beyond the limit is thrown away as it comes and told as None."""

    def __init__(self, limit: int = LONGEST_LINE) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._is_dropping = False

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            yield from self._ended(chunk[start:end])
            start = end + 1
        self._keep(chunk[start:] if start else chunk)

    def _keep(self, piece: bytes) -> None:
        if self._is_dropping:
            return
        self._rest += piece
        if len(self._rest) > self._limit:
            self._rest.clear()
            self._is_dropping = True

    def _ended(self, piece: bytes) -> Iterator[bytes | None]:
        if self._rest or self._is_dropping:
            self._keep(piece)
            piece = bytes(self._rest)
            self._rest.clear()
        if self._is_dropping or len(piece) > self._limit:
            self._is_dropping = False
            yield None
        elif stripped := piece.strip(b" \t\r"):
            yield stripped
