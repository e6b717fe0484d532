"""The texts that are open in the editor, with URIs and columns as the client counts them."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from urllib.parse import quote, unquote, urlsplit

from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)

_SAFE = "/~!$&'()*+,;=@"


def path_of(uri: str) -> str | None:
    """Returns the absolute path of a file on this machine; None for any other URI."""
    try:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            return None
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return None
    return path if path.startswith("/") and "\0" not in path else None


class ProjectUris:
    """The URIs of one project. `client_folder` is its folder as the client writes it, which may be a link."""

    def __init__(self, location: str, client_folder: str) -> None:
        self._client_folder = client_folder.rstrip("/")
        self._roots = dict.fromkeys((self._client_folder, location.rstrip("/"), os.path.realpath(location).rstrip("/")))

    def below(self, uri: str) -> str | None:
        """Returns the path relative to the project, not checked; None if the file is outside."""
        path = path_of(uri)
        for root in self._roots if path is not None else ():
            if path is not None and path.startswith(f"{root}/"):
                return path[len(root) + 1 :]
        return None

    def uri(self, path: str) -> str:
        return "file://" + quote(f"{self._client_folder}/{path}", safe=_SAFE)


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
        # A member of such an enum equals its text but is a different dictionary key.
        requested = encoding.value if isinstance(encoding, PositionEncodingKind) else encoding
        used = requested if requested in _WIDTHS else _UTF16
        self._width, self._plain = _WIDTHS[used], _LAST_PLAIN[used]

    def units(self, line: str, column: int) -> int:
        before = line[:column]
        return len(before) if self._is_plain(before) else sum(map(self._width, before))

    def characters(self, line: str, units: int) -> int:
        """A column inside a character means that character; one after the line's end means the end."""
        if self._is_plain(line):
            return min(units, len(line))
        for column, char in enumerate(line):
            width = self._width(char)
            if units < width:
                return column
            units -= width
        return len(line)

    def span(self, lines: Sequence[str], line: int, start: int, end: int) -> Range:
        """Converts a range of characters of a line, counted from 0. A missing line means the end of the text."""
        if line >= len(lines):
            line, start, end = len(lines) - 1, len(lines[-1]), len(lines[-1])
        text = lines[line]
        return Range(Position(line, self.units(text, start)), Position(line, self.units(text, end)))

    def _is_plain(self, text: str) -> bool:
        return text.isascii() or max(text) <= self._plain


def lines_of(text: str) -> list[str]:
    return normalize_line_ends(text).split("\n")


def normalize_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Document:
    def __init__(self, uri: str, text: str, version: int | None) -> None:
        self.uri = uri
        self.version = version
        self.lines = lines_of(text)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    def change(self, changes: Sequence[TextDocumentContentChangeEvent], version: int | None, columns: Columns) -> None:
        for change in changes:
            if isinstance(change, TextDocumentContentChangePartial):
                self._splice(change, columns)
            else:
                self.lines = lines_of(change.text)
        self.version = version
        self.__dict__.pop("text", None)

    def _splice(self, change: TextDocumentContentChangePartial, columns: Columns) -> None:
        first, start = self._place(change.range.start, columns)
        last, end = max((first, start), self._place(change.range.end, columns))
        new = lines_of(change.text)
        new[0] = self.lines[first][:start] + new[0]
        new[-1] += self.lines[last][end:]
        self.lines[first : last + 1] = new

    def _place(self, position: Position, columns: Columns) -> tuple[int, int]:
        """A position after the end means the end."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return position.line, columns.characters(self.lines[position.line], position.character)


class Snapshot:
    def __init__(self, uris: ProjectUris, documents: Iterable[Document]) -> None:
        self._uris = uris
        self._documents = {path: document for document in documents if (path := uris.below(document.uri)) is not None}
        self.texts: Mapping[str, str] = {path: document.text for path, document in self._documents.items()}
        self._versions = {path: document.version for path, document in self._documents.items()}

    def version(self, path: str) -> int | None:
        """Returns None if the file is not open."""
        return self._versions.get(path)

    def uri(self, path: str) -> str:
        """Returns the URI as the client writes it, if it has the file open."""
        document = self._documents.get(path)
        return document.uri if document is not None else self._uris.uri(path)

    def is_current(self, path: str, documents: Iterable[Document]) -> bool:
        """Returns whether the editor still has the text that was checked."""
        before = self._documents.get(path)
        return before is None or any(now is before and now.version == self._versions[path] for now in documents)
