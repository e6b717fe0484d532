"""Statements where they stand: a part's line and columns, also where a statement goes over several lines."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from handrail.features.webgal.script.anatomy import Part, anatomy
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import split_comment

Lines = Sequence[str]
_Piece = tuple[int, int, int]
"""Where in the statement it begins, on which line, and in which column of that."""
_LONGEST = 1000
"""Lines of one statement that are looked at: nobody writes a longer one by hand."""


class Placed(msgspec.Struct, frozen=True, gc=False):
    """`line` counts from 0, as editors do; `start` and `end` are characters of it."""

    part: Part
    line: int
    start: int
    end: int


def parts_on(lines: Lines, line: int) -> list[Placed]:
    """What stands on one line."""
    return [placed for placed in _placed(*_statement(lines, line)) if placed.line == line]


def part_at(lines: Lines, line: int, column: int) -> Placed | None:
    """What the cursor stands on, or right behind."""
    if line >= len(lines):
        return None
    touched = [placed for placed in parts_on(lines, line) if placed.start <= column <= placed.end]
    return touched[-1] if touched else None


def occurrences(lines: Lines, needle: str, is_meant: Callable[[Part], bool]) -> Iterator[Placed]:
    """Of a whole scene; only statements that hold the needle are looked at."""
    seen = -1
    for number, line in enumerate(lines):
        if number > seen and needle in line:
            text, pieces = _statement(lines, number)
            seen = pieces[-1][1]
            if number <= seen:  # otherwise it continues what has ended already
                yield from (placed for placed in _placed(text, pieces) if is_meant(placed.part))


def _placed(text: str, pieces: list[_Piece]) -> Iterator[Placed]:
    for part in anatomy(text):
        start, number, column = next(piece for piece in reversed(pieces) if piece[0] <= part.start)
        first = part.start - start + column
        yield Placed(part, number, first, first + part.end - part.start)


def _statement(lines: Lines, line: int) -> tuple[str, list[_Piece]]:
    first = line
    while first > 0 and continues(lines[first]) and line - first < _LONGEST:
        first -= 1
    text, pieces = "" if continues(lines[first]) else lines[first], [(0, first, 0)]
    for number in range(first + 1, min(first + _LONGEST, len(lines))):
        if not continues(lines[number]) or not text.strip() or split_comment(text)[1] is not None:
            break
        piece = lines[number].strip()
        text += " " if piece.startswith("-") else ""
        pieces.append((len(text), number, len(lines[number]) - len(lines[number].lstrip())))
        text += piece
    return text, pieces
