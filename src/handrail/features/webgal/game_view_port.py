"""The port through which a page sees the project's game. What it gives is ready to be spelled as JSON.

Everything blocks, reads no further than the project's rules allow, and changes nothing.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Place:
    """Of a problem: its line, its rule and the first character that it is about."""

    line: int
    code: str
    start: int


@dataclass(frozen=True, slots=True)
class Mended:
    """A file as it would be; the hashes are of what it holds now and of what it would hold."""

    path: str
    content: str
    diff: str
    base_hash: str
    after_hash: str


class GameView(Protocol):
    def stamp(self) -> str | None:
        """Differs once anything that the page shows may have changed; None where there is no game."""
        ...

    def overview(self, language: Language) -> Any:
        """The scenes and all that is wrong with the game; None where there is none."""
        ...

    def scene(self, path: str) -> Any:
        """The text of a scene or of `config.txt`, with the parts of each line; NotFound for anything else."""
        ...

    def graph(self) -> Any:
        """Which scene leads to which, laid out to be drawn."""
        ...

    def resources(self) -> Any:
        """The files that scenes can name, where they are named, and what is named and not there."""
        ...

    def file(self, path: str) -> tuple[str, bytes]:
        """The media type and content of a picture or a sound of the game; NotFound for anything else."""
        ...

    def mended(self, path: str, place: Place | None) -> Mended:
        """With one problem mended, or without a place with all that can safely be; Conflict where there is no such."""
        ...
