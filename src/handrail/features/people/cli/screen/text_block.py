"""A block of lines in a page. Only what is on the screen is drawn, however long the text is."""

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from handrail.features.people.cli.screen.lines import Line, Piece, wrapped

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
    """Not interpreted in any way: no markup, no links."""

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
        """What is shown, for whoever can't see it."""
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
        ground = self.rich_style
        if y >= len(self._rows):
            return Strip.blank(self.size.width, ground)
        row = self._rows[y]
        strip = Strip([Segment(text, self._style(name)) for text, name in row])
        last = row[-1][1] if row else ""
        fill = self._style(last) if last in _WHOLE_LINE else ground
        return strip.adjust_cell_length(self.size.width, fill)

    def _wrap(self, width: int) -> None:
        if width != self._width:
            self._rows, self._width = wrapped(self._lines, width), width

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"text--{name}") if name else self.rich_style
