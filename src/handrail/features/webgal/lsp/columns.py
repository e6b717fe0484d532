"""Columns as a client counts them, and as we do: in characters. Clients count units of UTF-16 unless both agree."""

from collections.abc import Callable

from lsprotocol.types import PositionEncodingKind

_UTF8, _UTF16, _UTF32 = "utf-8", "utf-16", "utf-32"
_WIDTHS: dict[str, Callable[[str], int]] = {
    _UTF8: lambda char: len(char.encode("utf-8", "surrogatepass")),
    _UTF16: lambda char: 2 if char > "\uffff" else 1,
    _UTF32: lambda char: 1,
}
# Up to this character a unit is a character.
_LAST_PLAIN = {_UTF8: "\x7f", _UTF16: "\uffff", _UTF32: "\U0010ffff"}


class Columns:
    def __init__(self, encoding: PositionEncodingKind | str | None = None) -> None:
        # A member of such an enum equals its text and is yet another key.
        wanted = encoding.value if isinstance(encoding, PositionEncodingKind) else encoding
        known = wanted if wanted in _WIDTHS else _UTF16
        self._width, self._plain = _WIDTHS[known], _LAST_PLAIN[known]

    def units(self, line: str, column: int) -> int:
        before = line[:column]
        return len(before) if self._is_plain(before) else sum(map(self._width, before))

    def characters(self, line: str, units: int) -> int:
        """Inside a character it is that character; behind the end of the line it is the end."""
        if self._is_plain(line):
            return min(units, len(line))
        for column, char in enumerate(line):
            width = self._width(char)
            if units < width:
                return column
            units -= width
        return len(line)

    def _is_plain(self, text: str) -> bool:
        return text.isascii() or max(text) <= self._plain
