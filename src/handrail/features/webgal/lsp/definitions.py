"""Where what the cursor stands on is defined, and where else it is named."""

import posixpath

from handrail.features.webgal.lsp import usages
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.usages import Place
from handrail.features.webgal.script.anatomy import Part, Role
from handrail.features.webgal.script.character_file import CHARACTERS, places_of
from handrail.features.webgal.script.config_file import read_config
from handrail.features.webgal.script.listing import Standing
from handrail.features.webgal.script.project import CONFIG

_KNOWN = (Standing.THERE, Standing.OTHER_CASE)


def definitions(game: Game, path: str, part: Part) -> list[Place]:
    if part.role in (Role.LABEL, Role.JUMP):
        return usages.labels(game, path, part.text, Role.LABEL)
    if part.role in (Role.SCENE, Role.FILE):
        standing, target = game.project.around.listing.find(part.folder, part.text)
        return [Place(game.prefix + target, 0, 0, 0)] if standing in _KNOWN else []
    if part.role in (Role.READ, Role.SET):
        return usages.variables(game, part.text, Role.SET) or settings(game, part.text)
    if part.role is Role.SPEAKER:
        return character(game, part.text) or usages.speakers(game, part.text)[:1]
    if part.role is Role.ANIMATION:
        return animation(game, part.text)
    return []


def references(game: Game, path: str, part: Part, *, with_definition: bool) -> list[Place]:
    if part.role in (Role.LABEL, Role.JUMP):
        roles = (Role.JUMP, Role.LABEL) if with_definition else (Role.JUMP,)
        return usages.labels(game, path, part.text, *roles)
    if part.role in (Role.READ, Role.SET):
        roles = (Role.READ, Role.SET) if with_definition else (Role.READ,)
        return usages.variables(game, part.text, *roles)
    if part.role is Role.SPEAKER:
        return [*(character(game, part.text) if with_definition else ()), *usages.speakers(game, part.text)]
    if part.role in (Role.SCENE, Role.FILE):
        return usages.files(game, usages.target_of(game, part))
    return []


def character(game: Game, name: str) -> list[Place]:
    """In the file in which the game or the project keeps its characters."""
    return [
        _place(path, game.lines(path), start, end)
        for path in character_files(game)
        for start, end in places_of("\n".join(game.lines(path)), name)
    ]


def character_files(game: Game) -> list[str]:
    return list(dict.fromkeys((game.prefix + CHARACTERS, CHARACTERS)))


def animation(game: Game, name: str) -> list[Place]:
    paths = (f"animation/{name}.json", "animation/animationTable.json")
    return [Place(game.prefix + path, 0, 0, 0) for path in paths if path in game.project.around.listing.paths][:1]


def settings(game: Game, name: str) -> list[Place]:
    """Every setting is a variable, too."""
    path = game.prefix + CONFIG
    found = read_config("\n".join(game.lines(path)))
    return [Place(path, each.line - 1, 0, len(each.key)) for each in found if each.key == name]


def shown(place: Place) -> str:
    """For people: the file's last name and the line."""
    return f"{posixpath.basename(place.path)}:{place.line + 1}"


def _place(path: str, lines: list[str], start: int, end: int) -> Place:
    """From characters of the whole text; a name does not go over lines."""
    line = 0
    while start > len(lines[line]):
        start, end = start - len(lines[line]) - 1, end - len(lines[line]) - 1
        line += 1
    return Place(path, line, start, end)
