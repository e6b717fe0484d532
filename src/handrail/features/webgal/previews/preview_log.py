"""What a preview has to tell: where the scene was shown, what was asked for in vain and what went wrong, with lines."""

from dataclasses import dataclass

from handrail.features.webgal.preview_ports import Position, Showing, Spot, Trouble
from handrail.features.webgal.script.showing import RESOURCES, line_naming, line_to_blame, lines_wanting

_MOST_LINES = 5
# What an engine says in every game: sounds that a jump cuts off. And what is missing, once more.
_HARMLESS = ("The play() request was interrupted", "AbortError", "status code 404")
_ABOUT_SOUNDS = ("NotSupportedError",)


@dataclass(frozen=True, slots=True)
class PreviewLog:
    lines: list[str]
    first_error_line: int | None


def told(showing: Showing, spot: Spot, text: str, game: str) -> PreviewLog:
    """In the order of the scene's lines, what belongs to none at the end."""
    numbered: list[tuple[int, str]] = []
    others: list[str] = []
    wanting = lines_wanting(text, showing.missing)
    for path in showing.missing:
        message = f"{path if game == '.' else f'{game}/{path}'} is not there."
        if path in wanting:
            wanted_by = sorted(wanting[path])
            numbered.append((wanted_by[0], f"{_lines(wanted_by)}: {message}"))
        elif path in showing.newly_missing and path.startswith(RESOURCES) and not path.endswith("/"):
            others.append(message)
    harmless = _HARMLESS + (_ABOUT_SOUNDS if showing.missing else ())
    for trouble in showing.troubles:
        if any(mark in trouble.message for mark in harmless):
            continue
        line = _line(trouble, text)
        if line is not None:
            numbered.append((line, f"{_lines([line])}: {trouble.message}"))
        else:
            others.append(trouble.message)
    numbered.sort()
    lines = [_place(showing.position, spot), *dict.fromkeys(line for _, line in numbered), *dict.fromkeys(others)]
    return PreviewLog(lines, numbered[0][0] if numbered else None)


def _line(trouble: Trouble, text: str) -> int | None:
    if trouble.url is not None:
        return line_naming(text, trouble.url)
    return None if trouble.line is None else line_to_blame(text, trouble.line)


def _place(position: Position, spot: Spot) -> str:
    if position.has_left:
        where = f"{position.scene}, line {position.line}" if position.scene and position.line else "the title"
        return f"{spot.scene} has been run and has led to {where}."
    if position.is_waiting:
        return f"{spot.scene} stays at line {position.line} and does not come to line {spot.line} by itself."
    return f"{spot.scene} is shown at line {position.line}."


def _lines(lines: list[int]) -> str:
    more = f" and {len(lines) - _MOST_LINES} more" if len(lines) > _MOST_LINES else ""
    return f"line {', '.join(map(str, lines[:_MOST_LINES]))}{more}"
