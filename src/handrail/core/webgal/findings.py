"""What is wrong where, and how it would be mended. How it is said is the catalogue's business."""

import msgspec


class Edit(msgspec.Struct, frozen=True, gc=False):
    """Characters of one line to be replaced. Safe: it can't change what the author meant."""

    start: int
    end: int
    text: str
    is_safe: bool = True

    def applied(self, line: str) -> str:
        return line[: self.start] + self.text + line[self.end :]


class Finding(msgspec.Struct, frozen=True, gc=False):
    """`line` counts from 1, `start` and `end` are characters of it from 0."""

    code: str
    line: int
    start: int = 0
    end: int = 0
    values: dict[str, str] = {}
    edit: Edit | None = None
    is_grave: bool = False
    """Of a rule whose kind depends on what follows from it: here it breaks the game."""
