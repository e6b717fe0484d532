"""Other programs' text as terminal lines: hard-wrapped behind a gutter that it can't leave, with nothing left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from handrail.kernel.visible import visible

_SUSPECT = re.compile(r"[^\x20-\x7e]")
_TAB = 4
_NARROWEST = 8

Piece = tuple[str, str]
"""A text and the name of its style."""


@dataclass(frozen=True, slots=True)
class Line:
    """One source line. `gutter` is put before it, `again` before each of its wrapped rows.

    Lines with `is_ours` are wrapped between words; other programs' text is folded wherever the row is full.
    """

    text: str
    style: str = ""
    gutter: str = "│ "
    again: str = "┆ "
    gutter_style: str = "gutter"
    is_ours: bool = False


def text_lines(text: str, style: str = "") -> list[Line]:
    return [Line(line, style) for line in text.removesuffix("\n").split("\n")]


def fact_lines(facts: Sequence[tuple[str, str]], style: str = "", *, is_ours: bool = False) -> list[Line]:
    """Names in a column of their own, values behind it."""
    width = max((cell_len(name) for name, _ in facts), default=0)
    lines = []
    for name, value in facts:
        label, blank = name + " " * (width - cell_len(name)), " " * width
        for at, text in enumerate(value.removesuffix("\n").split("\n")):
            gutter, again = f"{label if at == 0 else blank} │ ", f"{blank} {'│' if is_ours else '┆'} "
            lines.append(Line(text, style, gutter, again, is_ours=is_ours))
    return lines


def own_line(text: str, style: str = "") -> Line:
    """A line of handrail's own text, which needs no gutter."""
    return Line(text, style, "", "", "", is_ours=True)


def wrapped(lines: Sequence[Line], width: int) -> list[list[Piece]]:
    """Each line as pieces, folded hard at the width, so that no space is dropped and no word moves."""
    rows: list[list[Piece]] = []
    for line in lines:
        room = max(width - cell_len(line.gutter), _NARROWEST)
        gutter = line.gutter
        for folded in _between_words(line, room) if line.is_ours else _folded(line, room):
            rows.append([(gutter, line.gutter_style), *folded] if gutter else folded)
            gutter = line.again
    return rows


def _between_words(line: Line, room: int) -> Iterator[list[Piece]]:
    for row in Text(visible(line.text)).wrap(Console(width=room, file=StringIO()), room):
        yield [(row.plain.rstrip() or row.plain, line.style)]


def _folded(line: Line, room: int) -> Iterator[list[Piece]]:
    """Folds after a nearby space, otherwise wherever the row is full; keeps every character."""
    if len(line.text) <= room and line.text.isascii() and line.text.isprintable():
        yield [(line.text, line.style)]
        return
    pieces = list(_visible_pieces(line.text.expandtabs(_TAB), line.style))
    flat = "".join(text for text, _ in pieces)
    rest = iter(pieces)
    text, style = next(rest, ("", ""))
    for start, end in _breaks(flat, room):
        row: list[Piece] = []
        remaining = end - start
        while remaining > len(text):
            row.append((text, style))
            remaining -= len(text)
            text, style = next(rest)
        row.append((text[:remaining], style))
        text = text[remaining:]
        yield row


def _breaks(flat: str, room: int) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(flat) or start == 0:
        # Slices by characters, never more than cells, so that a huge line isn't measured again for each row.
        end = start + len(next(iter(chop_cells(flat[start : start + room], room)), ""))
        if end < len(flat) and flat[end] != " ":
            blank = flat.rfind(" ", start + room // 2, end)
            end = blank + 1 if blank >= 0 else end
        yield start, end
        start = end or 1


def _visible_pieces(text: str, style: str) -> Iterator[Piece]:
    """Gives escaped characters a style of their own, to distinguish them from text that only looks like an escape."""
    end = 0
    for suspect in _SUSPECT.finditer(text):
        escaped = visible(suspect.group())
        if escaped != suspect.group():
            if suspect.start() > end:
                yield text[end : suspect.start()], style
            yield escaped, "escape"
            end = suspect.end()
    if end < len(text):
        yield text[end:], style


_STYLES = (
    "title",
    "muted",
    "note",
    "gutter",
    "escape",
    "added",
    "removed",
    "added-number",
    "removed-number",
    "problem",
    "good",
    "bad",
)
_WHOLE_LINE = {"added", "removed"}


class TextBlock(Widget):
    """Text that isn't interpreted in any way: no markup, no links."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"text--{name}" for name in _STYLES}
    DEFAULT_CSS = """
    TextBlock { height: auto; width: 1fr; }
    """

    def __init__(self, lines: Sequence[Line] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines = lines
        self._rows: list[list[Piece]] = []
        self._width = -1

    @property
    def plain(self) -> str:
        """What is shown, as plain text."""
        return "\n".join("".join(text for text, _ in row) for row in wrapped(self._lines, self._width))

    def update(self, lines: Sequence[Line]) -> None:
        self._lines, self._width = lines, -1
        self.display = bool(lines)
        self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._wrap(width)
        return len(self._rows)

    def render_line(self, y: int) -> Strip:
        self._wrap(self.size.width)
        background = self.rich_style
        if y >= len(self._rows):
            return Strip.blank(self.size.width, background)
        row = self._rows[y]
        strip = Strip([Segment(text, self._style(name)) for text, name in row])
        last = row[-1][1] if row else ""
        fill = self._style(last) if last in _WHOLE_LINE else background
        return strip.adjust_cell_length(self.size.width, fill)

    def _wrap(self, width: int) -> None:
        if width != self._width:
            self._rows, self._width = wrapped(self._lines, width), width

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"text--{name}") if name else self.rich_style
