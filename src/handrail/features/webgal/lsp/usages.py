"""Finds where labels, variables, characters and files are used and defined."""

import posixpath
from collections.abc import Callable, Iterator, Sequence

import msgspec

from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.script.anatomy import Part, Role, anatomy
from handrail.features.webgal.script.character_file import CHARACTERS, places_of
from handrail.features.webgal.script.config_file import FILES, read_config
from handrail.features.webgal.script.listing import FileStatus
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import split_comment
from handrail.features.webgal.script.project import CONFIG

Lines = Sequence[str]
_Piece = tuple[int, int, int]
"""Where it begins in the statement, on which line, and in which column."""
_MAX_STATEMENT_LINES = 1000
"""The limit on lines of one statement; people don't write longer ones by hand."""


class LocatedPart(msgspec.Struct, frozen=True, gc=False):
    """`line` counts from 0, as in editors; `start` and `end` are its characters."""

    part: Part
    line: int
    start: int
    end: int


def parts_on(lines: Lines, line: int) -> list[LocatedPart]:
    """Returns the parts of one line."""
    return [placed for placed in _locate(*_statement(lines, line)) if placed.line == line]


def part_at(lines: Lines, line: int, column: int) -> LocatedPart | None:
    """Returns the part under the cursor, or directly before it."""
    if line >= len(lines):
        return None
    touched = [placed for placed in parts_on(lines, line) if placed.start <= column <= placed.end]
    return touched[-1] if touched else None


def occurrences(lines: Lines, needle: str, predicate: Callable[[Part], bool]) -> Iterator[LocatedPart]:
    """Finds all occurrences in a scene. Only statements that contain the needle are parsed."""
    seen = -1
    for number, line in enumerate(lines):
        if number > seen and needle in line:
            text, pieces = _statement(lines, number)
            seen = pieces[-1][1]
            if number <= seen:  # otherwise it continues a statement that has already ended
                yield from (placed for placed in _locate(text, pieces) if predicate(placed.part))


def _locate(text: str, pieces: list[_Piece]) -> Iterator[LocatedPart]:
    for part in anatomy(text):
        start, number, column = next(piece for piece in reversed(pieces) if piece[0] <= part.start)
        first = part.start - start + column
        yield LocatedPart(part, number, first, first + part.end - part.start)


def _statement(lines: Lines, line: int) -> tuple[str, list[_Piece]]:
    first = line
    while first > 0 and continues(lines[first]) and line - first < _MAX_STATEMENT_LINES:
        first -= 1
    text, pieces = "" if continues(lines[first]) else lines[first], [(0, first, 0)]
    for number in range(first + 1, min(first + _MAX_STATEMENT_LINES, len(lines))):
        if not continues(lines[number]) or not text.strip() or split_comment(text)[1] is not None:
            break
        piece = lines[number].strip()
        text += " " if piece.startswith("-") else ""
        pieces.append((len(text), number, len(lines[number]) - len(lines[number].lstrip())))
        text += piece
    return text, pieces


_FILES = (Role.FILE, Role.SCENE)


class Place(msgspec.Struct, frozen=True, gc=False):
    """`path` is relative to the project; `line` counts from 0, `start` and `end` are its characters."""

    path: str
    line: int
    start: int
    end: int


def labels(game: Game, path: str, name: str, *roles: Role) -> list[Place]:
    """Only searches the same file: no other can jump there."""
    scene = game.scene(path)
    if scene is None:
        return []
    parts = occurrences(scene.lines, name, lambda part: part.role in roles and part.text == name)
    return [Place(path, each.line, each.start, each.end) for each in parts]


def variables(game: Game, name: str, *roles: Role) -> list[Place]:
    return list(_in_all_scenes(game, name, lambda part: part.role in roles and part.text == name))


def speakers(game: Game, name: str) -> list[Place]:
    return list(_in_all_scenes(game, name, lambda part: part.role is Role.SPEAKER and part.text == name))


def files(game: Game, target: str) -> list[Place]:
    """Returns all names that lead to one path below the game's folder, in any spelling."""
    find = game.project.assets.listing.find
    places_found: list[Place] = []
    for name, scene in sorted(game.project.scenes.items()):
        spellings = {
            reference.name
            for reference in scene.references
            if reference.kind in ("file", "scene") and find(reference.folder, reference.name)[1] == target
        }
        for spelling in sorted(spellings):
            places = occurrences(scene.lines, spelling, _leads_to(game, spelling, target))
            places_found += [Place(game.scene_path(name), each.line, each.start, each.end) for each in places]
    return [*places_found, *_in_settings(game, target)]


def target_of(game: Game, part: Part) -> str:
    """Returns the path below the game's folder that the name of a file or scene leads to."""
    return game.project.assets.listing.find(part.folder, part.text)[1]


def _leads_to(game: Game, spelling: str, target: str) -> Callable[[Part], bool]:
    return lambda part: part.role in _FILES and part.text == spelling and target_of(game, part) == target


def _in_settings(game: Game, target: str) -> Iterator[Place]:
    path = game.prefix + CONFIG
    lines = game.lines(path)
    for setting in read_config("\n".join(lines)):
        folder = FILES.get(setting.key)
        for value in setting.values if folder is not None else ():
            if folder is not None and game.project.assets.listing.find(folder, value)[1] == target:
                start = lines[setting.line - 1].find(value, len(setting.key))
                yield Place(path, setting.line - 1, start, start + len(value))


def _in_all_scenes(game: Game, needle: str, predicate: Callable[[Part], bool]) -> Iterator[Place]:
    for name, scene in sorted(game.project.scenes.items()):
        if needle in scene.text:
            for each in occurrences(scene.lines, needle, predicate):
                yield Place(game.scene_path(name), each.line, each.start, each.end)


_EXISTING = (FileStatus.EXISTS, FileStatus.OTHER_CASE)


def definitions(game: Game, path: str, part: Part) -> list[Place]:
    if part.role in (Role.LABEL, Role.JUMP):
        return labels(game, path, part.text, Role.LABEL)
    if part.role in (Role.SCENE, Role.FILE):
        status, target = game.project.assets.listing.find(part.folder, part.text)
        return [Place(game.prefix + target, 0, 0, 0)] if status in _EXISTING else []
    if part.role in (Role.READ, Role.SET):
        return variables(game, part.text, Role.SET) or settings(game, part.text)
    if part.role is Role.SPEAKER:
        return character(game, part.text) or speakers(game, part.text)[:1]
    if part.role is Role.ANIMATION:
        return animation(game, part.text)
    return []


def references(game: Game, path: str, part: Part, *, with_definition: bool) -> list[Place]:
    if part.role in (Role.LABEL, Role.JUMP):
        roles = (Role.JUMP, Role.LABEL) if with_definition else (Role.JUMP,)
        return labels(game, path, part.text, *roles)
    if part.role in (Role.READ, Role.SET):
        roles = (Role.READ, Role.SET) if with_definition else (Role.READ,)
        return variables(game, part.text, *roles)
    if part.role is Role.SPEAKER:
        return [*(character(game, part.text) if with_definition else ()), *speakers(game, part.text)]
    if part.role in (Role.SCENE, Role.FILE):
        return files(game, target_of(game, part))
    return []


def character(game: Game, name: str) -> list[Place]:
    """Returns the places where the game or the project defines a character."""
    return [
        _place(path, game.lines(path), start, end)
        for path in character_files(game)
        for start, end in places_of("\n".join(game.lines(path)), name)
    ]


def character_files(game: Game) -> list[str]:
    return list(dict.fromkeys((game.prefix + CHARACTERS, CHARACTERS)))


def animation(game: Game, name: str) -> list[Place]:
    paths = (f"animation/{name}.json", "animation/animationTable.json")
    return [Place(game.prefix + path, 0, 0, 0) for path in paths if path in game.project.assets.listing.paths][:1]


def settings(game: Game, name: str) -> list[Place]:
    """Settings are variables as well."""
    path = game.prefix + CONFIG
    entries = read_config("\n".join(game.lines(path)))
    return [Place(path, each.line - 1, 0, len(each.key)) for each in entries if each.key == name]


def place_text(place: Place) -> str:
    """Returns file name and line, for people."""
    return f"{posixpath.basename(place.path)}:{place.line + 1}"


def _place(path: str, lines: list[str], start: int, end: int) -> Place:
    """Converts character offsets of the whole text; a name never spans lines."""
    line = 0
    while start > len(lines[line]):
        start, end = start - len(lines[line]) - 1, end - len(lines[line]) - 1
        line += 1
    return Place(path, line, start, end)
