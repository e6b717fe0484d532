"""The port through which a project is read. Whoever implements it follows no link and writes nothing."""

from collections.abc import Mapping
from typing import Protocol

from handrail.features.webgal.script.listing import Surroundings


class Ground(Protocol):
    """Paths are relative to the project. What can't be read raises a condition of the error tree."""

    @property
    def location(self) -> str: ...

    @property
    def largest(self) -> int:
        """How many bytes of one file are looked at."""
        ...

    def game_of(self, path: str | None) -> str | None:
        """The folder of the game that a path belongs to, or the project's; None: there is none."""
        ...

    def around(self, folder: str, edited: Mapping[str, str]) -> Surroundings:
        """What stands around a game's scenes; texts that are being edited count instead of their files."""
        ...

    def silenced(self) -> tuple[str, ...]: ...

    def text(self, path: str) -> str: ...

    def size(self, path: str) -> int | None: ...

    def close(self) -> None: ...
