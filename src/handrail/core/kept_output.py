"""The beginning and the end of what a program prints, however much it is. Knows bytes and lines, and no program."""

import re
from collections import deque
from collections.abc import Sequence

_FIRST_BYTES = 1024 * 1024
_LAST_BYTES = 3 * 1024 * 1024
_FIRST_LINES = 100
_LAST_LINES = 300
_LONGEST_LINE = 1000
_MOST_CHARACTERS = 60_000
# Colours, cursor movements and titles, which a terminal would act on.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class KeptOutput:
    def __init__(self, masked: Sequence[str] = ()) -> None:
        """`masked`: texts that are shown as stars wherever they are printed."""
        self._masked = [text.encode() for text in sorted(masked, key=len, reverse=True)]
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
            return self._hidden(bytes(self._first) + rest)
        gap = f"\n… {self._left_out} bytes left out …\n".encode()
        return self._hidden(bytes(self._first)) + gap + self._hidden(rest)

    def lines(self) -> list[str]:
        """For whoever asked: short enough to read, the end more important than the beginning."""
        lines = _lines(self.whole())
        if len(lines) <= _FIRST_LINES + _LAST_LINES and sum(map(len, lines)) <= _MOST_CHARACTERS:
            return lines
        first = _within(lines[:_FIRST_LINES], _MOST_CHARACTERS // 4)
        last = _within(lines[len(first) :][::-1][:_LAST_LINES], _MOST_CHARACTERS * 3 // 4)[::-1]
        missing = len(lines) - len(first) - len(last)
        return [*first, f"… {missing} lines left out; output.log in the evidence has more …", *last]

    def latest(self, chunk: bytes, most: int) -> str:
        """The last lines of what has just been printed, for somebody who watches."""
        return "\n".join(_lines(self._hidden(chunk[-8192:]))[-most:])

    def _hidden(self, data: bytes) -> bytes:
        for text in self._masked:
            data = data.replace(text, b"******")
        return data


def _lines(data: bytes) -> list[str]:
    text = _TERMINAL.sub("", data.decode(errors="replace")).replace("\r\n", "\n")
    found = text.removesuffix("\n").split("\n") if text else []
    return [_shortened(_UNSEEN.sub("", line.rpartition("\r")[2])) for line in found]


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]} … ({len(line) - _LONGEST_LINE} more characters)"


def _within(lines: list[str], most: int) -> list[str]:
    kept, size = [], 0
    for line in lines:
        size += len(line)
        if size > most:
            break
        kept.append(line)
    return kept
