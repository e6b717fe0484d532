"""What a program prints, limited to its beginning and end, as lines with secrets masked."""

import re
from collections import deque
from collections.abc import Sequence

_STARS = b"******"


class Mask:
    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [text.encode() for text in sorted(texts, key=len, reverse=True)]

    def apply(self, data: bytes) -> bytes:
        for text in self._texts:
            data = data.replace(text, _STARS)
        return data

    def without_loose_end(self, data: bytes) -> bytes:
        """Without a possible beginning of a secret at the end, whose rest has not come yet."""
        while size := max((_begun(text, data) for text in self._texts), default=0):
            data = data[:-size]  # what is left may end in the beginning of one again
        return data

    def without_loose_start(self, data: bytes) -> bytes:
        """Without a possible rest of a secret at the start."""
        while size := max((_begun(text[::-1], data[::-1]) for text in self._texts), default=0):
            data = data[size:]
        return data


def _begun(text: bytes, data: bytes) -> int:
    """How many bytes of a text the data ends with, if not the whole text."""
    tail = data[-len(text) + 1 :] if len(text) > 1 else b""
    return next((len(tail) - at for at in range(len(tail)) if text.startswith(tail[at:])), 0)


_LONGEST_LINE = 1000
# Colours, cursor movements and titles.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def printed_lines(data: bytes) -> list[str]:
    text = _TERMINAL.sub("", data.decode(errors="replace")).replace("\r\n", "\n")
    found = text.removesuffix("\n").split("\n") if text else []
    return [_shortened(_UNSEEN.sub("", line.rpartition("\r")[2])) for line in found]


def _shortened(line: str) -> str:
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]} … ({len(line) - _LONGEST_LINE} more characters)"


_MOST_UNREAD_BYTES = 16 * 1024


class LiveLines:
    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._pending = b""
        self._is_cut = False

    def add(self, chunk: bytes) -> None:
        self._pending += chunk
        if len(self._pending) > _MOST_UNREAD_BYTES:
            self._pending, self._is_cut = self._pending[-_MOST_UNREAD_BYTES:], True

    def take(self, most: int) -> str:
        """The last lines that were completed since the last call."""
        told = _whole_lines(self._pending)
        while (safe := _whole_lines(self._mask.without_loose_end(told))) != told:
            told = safe  # a secret may have several lines
        if not told:
            return ""
        self._pending = self._pending[len(told) :]
        if self._is_cut:
            told, self._is_cut = self._mask.without_loose_start(told).partition(b"\n")[2], False
        return "\n".join(printed_lines(self._mask.apply(told))[-most:])


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


_FIRST_BYTES = 1024 * 1024
_LAST_BYTES = 3 * 1024 * 1024
_FIRST_LINES = 100
_LAST_LINES = 300
_MOST_CHARACTERS = 60_000


class LimitedOutput:
    def __init__(self, masked: Sequence[str] = ()) -> None:
        """`masked` are texts that are replaced by asterisks."""
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
        """For evidence: all that was kept, and how much was dropped."""
        rest = b"".join(self._last)
        if not self._left_out:
            return self._mask.apply(bytes(self._first) + rest)
        gap = f"\n… {self._left_out} bytes left out …\n".encode()
        first = self._mask.without_loose_end(bytes(self._first))
        return self._mask.apply(first) + gap + self._mask.apply(self._mask.without_loose_start(rest))

    def lines(self) -> list[str]:
        """For the caller: a readable amount, with more of the end than of the beginning."""
        lines = printed_lines(self.whole())
        if len(lines) <= _FIRST_LINES + _LAST_LINES and sum(map(len, lines)) <= _MOST_CHARACTERS:
            return lines
        first = _within(lines[:_FIRST_LINES], _MOST_CHARACTERS // 4)
        last = _within(lines[len(first) :][::-1][:_LAST_LINES], _MOST_CHARACTERS * 3 // 4)[::-1]
        missing = len(lines) - len(first) - len(last)
        return [*first, f"… {missing} lines left out; output.log in the evidence has more …", *last]

    def live_lines(self) -> LiveLines:
        """For someone who watches, with the same texts masked."""
        return LiveLines(self._mask)


def _within(lines: list[str], most: int) -> list[str]:
    kept, size = [], 0
    for line in lines:
        size += len(line)
        if size > most:
            break
        kept.append(line)
    return kept
