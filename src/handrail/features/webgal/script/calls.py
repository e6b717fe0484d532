"""Puts called scenes that show nothing in the place of their calls: they only set variables and the stage."""

from collections.abc import Callable
from typing import NamedTuple

from handrail.features.webgal.script.parser import COMMENT, GAME_ADDRESS, Sentence, read_line, split_lines
from handrail.features.webgal.script.way import EVENTS

_MAX_DEPTH = 8
_MAX_LINES = 20_000
_BRANCHES = frozenset({"label", "jumpLabel"})
_SCENES = f"{GAME_ADDRESS}/scene/"
ReadScene = Callable[[str], str | None]
"""Returns the text of a scene by its name, or None if it can't be read."""


class Expansion(NamedTuple):
    """`origins` has the scene's line (from 1) for each line of `text`."""

    text: str
    origins: tuple[int, ...]

    def place_of(self, line: int) -> int:
        """Returns the text's line for a line of the scene."""
        return len(self.origins) - self.origins[::-1].index(line)


def with_quiet_scenes(text: str, read: ReadScene) -> Expansion:
    lines = [
        (inner, number)
        for number, line in enumerate(split_lines(text), start=1)
        for inner in (_called_lines(line, read, _MAX_DEPTH) or [line])
    ]
    if len(lines) > _MAX_LINES or "callScene" not in text:
        return Expansion(text, tuple(range(1, len(split_lines(text)) + 1)))
    return Expansion("\n".join(line for line, _ in lines), tuple(number for _, number in lines))


def _called_lines(line: str, read: ReadScene, depth: int) -> list[str] | None:
    """Returns the statements of the scene that this line calls; None if it calls none, or one that shows something."""
    sentence = read_line(line)
    if sentence.command != "callScene" or not _is_plain(sentence) or depth == 0:
        return None
    text = read(sentence.content.removeprefix(_SCENES))
    statements = list[str]()
    for inner in split_lines(text or ""):
        command = read_line(inner).command
        if command == "callScene" and (called := _called_lines(inner, read, depth - 1)) is not None:
            statements += called
        elif command in EVENTS or command in _BRANCHES:
            return None
        elif command != COMMENT:
            statements.append(inner)
    return statements or None


def _is_plain(call: Sentence) -> bool:
    """Returns whether it is unconditional, and gives the scene no variables of its own."""
    return all(name in ("next", "continue") for name, _ in call.args)
