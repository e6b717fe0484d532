"""The texts that stand open in the editor, kept as lines: a keystroke costs the lines that it touches.

The protocol counts a lone CR as the end of a line, the engine does not; here the editor's lines count.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

from lsprotocol.types import Position, TextDocumentContentChangeEvent, TextDocumentContentChangePartial

from handrail.features.webgal.lsp.columns import Columns


def lines_of(text: str) -> list[str]:
    return normal(text).split("\n")


def normal(text: str) -> str:
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
        """Behind the end it is the end."""
        if position.line >= len(self.lines):
            return len(self.lines) - 1, len(self.lines[-1])
        return position.line, columns.characters(self.lines[position.line], position.character)


class Documents:
    """By their address as the client writes it."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}

    def open(self, uri: str, text: str, version: int | None) -> None:
        self._open[uri] = Document(uri, text, version)

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)

    def get(self, uri: str) -> Document | None:
        return self._open.get(uri)

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))
