"""The beginning and the end of what a program prints, however much it is. Knows bytes and lines, and no program."""

from collections import deque
from collections.abc import Sequence

from handrail.features.webgal.commands.masking import Mask
from handrail.features.webgal.commands.printed_lines import printed_lines
from handrail.features.webgal.commands.told_lines import ToldLines

_FIRST_BYTES = 1024 * 1024
_LAST_BYTES = 3 * 1024 * 1024
_FIRST_LINES = 100
_LAST_LINES = 300
_MOST_CHARACTERS = 60_000


class KeptOutput:
    def __init__(self, masked: Sequence[str] = ()) -> None:
        """`masked`: texts that are shown as stars wherever they are printed."""
        self._mask = Mask(masked)
        self._first = bytearray()
        self._last: deque[bytes] = deque()
        self._last_size = 0
        self._left_out = 0

    def add(self, chunk: bytes) -> None:
        if len(self._first) < _FIRST_BYTES:
            taken = _FIRST_BYTES - len(self._first)
            self._first += chunk[:taken]
            chunk = chunk[taken:]
        if chunk:
            self._last.append(chunk)
            self._last_size += len(chunk)
        while self._last and self._last_size - len(self._last[0]) >= _LAST_BYTES:
            gone = self._last.popleft()
            self._last_size -= len(gone)
            self._left_out += len(gone)

    def whole(self) -> bytes:
        """As evidence: all that was kept, and how much was not."""
        rest = b"".join(self._last)
        if not self._left_out:
            return self._mask.hidden(bytes(self._first) + rest)
        gap = f"\n… {self._left_out} bytes left out …\n".encode()
        first = self._mask.without_loose_end(bytes(self._first))
        return self._mask.hidden(first) + gap + self._mask.hidden(self._mask.without_loose_start(rest))

    def lines(self) -> list[str]:
        """For whoever asked: short enough to read, the end more important than the beginning."""
        lines = printed_lines(self.whole())
        if len(lines) <= _FIRST_LINES + _LAST_LINES and sum(map(len, lines)) <= _MOST_CHARACTERS:
            return lines
        first = _within(lines[:_FIRST_LINES], _MOST_CHARACTERS // 4)
        last = _within(lines[len(first) :][::-1][:_LAST_LINES], _MOST_CHARACTERS * 3 // 4)[::-1]
        missing = len(lines) - len(first) - len(last)
        return [*first, f"… {missing} lines left out; output.log in the evidence has more …", *last]

    def told(self) -> ToldLines:
        """For somebody who watches, with the same texts masked."""
        return ToldLines(self._mask)


def _within(lines: list[str], most: int) -> list[str]:
    kept, size = [], 0
    for line in lines:
        size += len(line)
        if size > most:
            break
        kept.append(line)
    return kept
