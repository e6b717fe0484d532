"""What a question is about: a file of a game, as it stands in the editor, in the client's ways of counting."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lsprotocol.types import Location, Position, Range

from handrail.features.webgal.lsp.columns import Columns
from handrail.features.webgal.lsp.diagnostics import span
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.snapshot import Snapshot
from handrail.features.webgal.lsp.statements import Placed, part_at
from handrail.features.webgal.lsp.usages import Place
from handrail.features.webgal.script.findings import Language


@dataclass(frozen=True)
class Sight:
    game: Game
    path: str
    snapshot: Snapshot
    columns: Columns
    language: Language

    @cached_property
    def lines(self) -> Sequence[str]:
        return self.game.lines(self.path)

    def at(self, position: Position) -> tuple[int, int]:
        """The line and the character; behind the end, a line that is not there."""
        if position.line >= len(self.lines):
            return len(self.lines), 0
        return position.line, self.columns.characters(self.lines[position.line], position.character)

    def part(self, position: Position) -> Placed | None:
        return part_at(self.lines, *self.at(position)) if self.game.scene(self.path) is not None else None

    def span(self, line: int, start: int, end: int) -> Range:
        return span(self.lines, line, start, end, self.columns)

    def range_of(self, place: Place) -> Range:
        if not (place.line or place.end):  # the whole file, which may be a picture
            return Range(Position(0, 0), Position(0, 0))
        return span(self.game.lines(place.path), place.line, place.start, place.end, self.columns)

    def locations(self, places: Sequence[Place]) -> list[Location]:
        return [Location(self.snapshot.uri(place.path), self.range_of(place)) for place in places]
