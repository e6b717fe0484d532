"""What a preview has to tell: where the scene was shown, what was asked for in vain and what went wrong, with lines."""

from dataclasses import dataclass

from handrail.contract.preview import Position, Spot
from handrail.core.webgal.showing import RESOURCES, lines_wanting
from handrail.surfaces.webgal.theatre import Showing

_MOST_LINES = 5
# The engine itself says so in every game: parts that it does not ship, sounds that a jump cuts off.
_HARMLESS = ("lib/live2d", "manifest.json", "The play() request was interrupted", "AbortError")


@dataclass(frozen=True, slots=True)
class PreviewLog:
    lines: list[str]
    first_error_line: int | None


def told(showing: Showing, spot: Spot, text: str, game: str) -> PreviewLog:
    """In the order of the scene's lines, what belongs to none at the end."""
    wanting = lines_wanting(text, showing.missing)
    numbered: list[tuple[int, str]] = []
    others: list[str] = []
    for path in showing.missing:
        message = f"{path if game == '.' else f'{game}/{path}'} is not there."
        if path in wanting:
            wanted_by = sorted(wanting[path])
            numbered.append((wanted_by[0], f"{_lines(wanted_by)}: {message}"))
        elif path.startswith(RESOURCES) and not path.endswith("/"):
            others.append(message)
    for trouble in showing.troubles:
        if any(mark in trouble.message for mark in _HARMLESS):
            continue
        if trouble.line is not None:
            numbered.append((trouble.line, f"{_lines([trouble.line])}: {trouble.message}"))
        elif not any(trouble.message in line for _, line in numbered):
            others.append(trouble.message)
    numbered.sort()
    lines = [_place(showing.position, spot), *dict.fromkeys(line for _, line in numbered), *dict.fromkeys(others)]
    return PreviewLog(lines, numbered[0][0] if numbered else None)


def _place(position: Position, spot: Spot) -> str:
    if position.has_left:
        where = f"{position.scene}, line {position.line}" if position.scene else "the title"
        return f"{spot.scene} has been run and has led to {where}."
    if position.is_waiting:
        return f"{spot.scene} waits at line {position.line}, before line {spot.line}."
    return f"{spot.scene} is shown at line {position.line}."


def _lines(lines: list[int]) -> str:
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line {', '.join(map(str, lines[:_MOST_LINES]))}{more}"
