"""A program's output, limited to its beginning and end, as lines with secrets masked."""

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
        """Removes an end that may be the beginning of a secret whose rest hasn't arrived yet."""
        while size := max((_partial_length(text, data) for text in self._texts), default=0):
            data = data[:-size]  # the rest may again end with the beginning of a secret
        return data

    def without_loose_start(self, data: bytes) -> bytes:
        """Removes a start that may be the rest of a secret."""
        while size := max((_partial_length(text[::-1], data[::-1]) for text in self._texts), default=0):
            data = data[size:]
        return data


def _partial_length(text: bytes, data: bytes) -> int:
    """Returns how many bytes of a text the data ends with, if not the whole text."""
    tail = data[-len(text) + 1 :] if len(text) > 1 else b""
    return next((len(tail) - at for at in range(len(tail)) if text.startswith(tail[at:])), 0)


_LONGEST_LINE = 1000
# Colours, cursor movements and titles.
_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def printed_lines(data: bytes) -> list[str]:
    text = _TERMINAL.sub("", data.decode(errors="replace")).replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n") if text else []
    return [_shorten(_UNSEEN.sub("", line.rpartition("\r")[2])) for line in lines]


def _shorten(line: str) -> str:
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
        """Returns the last lines that were completed since the last call."""
        complete = _whole_lines(self._pending)
        while (safe := _whole_lines(self._mask.without_loose_end(complete))) != complete:
            complete = safe  # a secret may span several lines
        if not complete:
            return ""
        self._pending = self._pending[len(complete) :]
        if self._is_cut:
            complete, self._is_cut = self._mask.without_loose_start(complete).partition(b"\n")[2], False
        return "\n".join(printed_lines(self._mask.apply(complete))[-most:])


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


_FIRST_BYTES = 1024 * 1024
_LAST_BYTES = 3 * 1024 * 1024
_FIRST_LINES = 100
_LAST_LINES = 300
_MOST_CHARACTERS = 60_000


class LimitedOutput:
    def __init__(self, secrets: Sequence[str] = ()) -> None:
        """`secrets` are texts that are replaced by asterisks."""
        self._mask = Mask(secrets)
        self._first = bytearray()
        self._last: deque[bytes] = deque()
        self._last_size = 0
        self._left_out = 0

    def add(self, chunk: bytes) -> None:
        if len(self._first) < _FIRST_BYTES:
            room = _FIRST_BYTES - len(self._first)
            self._first += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._last.append(chunk)
            self._last_size += len(chunk)
        while self._last and self._last_size - len(self._last[0]) >= _LAST_BYTES:
            dropped = self._last.popleft()
            self._last_size -= len(dropped)
            self._left_out += len(dropped)

    def whole(self) -> bytes:
        """Returns everything that was kept, and how much was dropped, for the evidence."""
        rest = b"".join(self._last)
        if not self._left_out:
            return self._mask.apply(bytes(self._first) + rest)
        gap = f"\n… {self._left_out} bytes left out …\n".encode()
        first = self._mask.without_loose_end(bytes(self._first))
        return self._mask.apply(first) + gap + self._mask.apply(self._mask.without_loose_start(rest))

    def lines(self) -> list[str]:
        """Returns a readable amount for the caller, with more of the end than of the beginning."""
        lines = printed_lines(self.whole())
        if len(lines) <= _FIRST_LINES + _LAST_LINES and sum(map(len, lines)) <= _MOST_CHARACTERS:
            return lines
        first = _take_while_short(lines[:_FIRST_LINES], _MOST_CHARACTERS // 4)
        last = _take_while_short(lines[len(first) :][::-1][:_LAST_LINES], _MOST_CHARACTERS * 3 // 4)[::-1]
        missing = len(lines) - len(first) - len(last)
        return [*first, f"… {missing} lines left out; output.log in the evidence has more …", *last]

    def live_lines(self) -> LiveLines:
        """Returns the lines for someone who watches, with the same secrets masked."""
        return LiveLines(self._mask)


def _take_while_short(lines: list[str], most: int) -> list[str]:
    taken, size = [], 0
    for line in lines:
        size += len(line)
        if size > most:
            break
        taken.append(line)
    return taken
