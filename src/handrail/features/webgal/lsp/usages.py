"""Where in a game something is named: labels, variables, characters, files."""

from collections.abc import Callable, Iterator

import msgspec

from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.statements import occurrences
from handrail.features.webgal.script.anatomy import Part, Role
from handrail.features.webgal.script.config_file import FILES, read_config
from handrail.features.webgal.script.project import CONFIG

_FILES = (Role.FILE, Role.SCENE)


class Place(msgspec.Struct, frozen=True, gc=False):
    """`path` is the project's; `line` counts from 0, `start` and `end` are characters of it."""

    path: str
    line: int
    start: int
    end: int


def labels(game: Game, path: str, name: str, *roles: Role) -> list[Place]:
    """In their own file alone: nobody else can jump there."""
    scene = game.scene(path)
    if scene is None:
        return []
    found = occurrences(scene.lines, name, lambda part: part.role in roles and part.text == name)
    return [Place(path, each.line, each.start, each.end) for each in found]


def variables(game: Game, name: str, *roles: Role) -> list[Place]:
    return list(_everywhere(game, name, lambda part: part.role in roles and part.text == name))


def speakers(game: Game, name: str) -> list[Place]:
    return list(_everywhere(game, name, lambda part: part.role is Role.SPEAKER and part.text == name))


def files(game: Game, target: str) -> list[Place]:
    """Of all that leads to one path below the game's folder, however it is spelled."""
    find = game.project.around.listing.find
    found: list[Place] = []
    for name, scene in sorted(game.project.scenes.items()):
        wanted = {
            reference.name
            for reference in scene.references
            if reference.what in ("file", "scene") and find(reference.folder, reference.name)[1] == target
        }
        for spelled in sorted(wanted):
            places = occurrences(scene.lines, spelled, _leads_to(game, spelled, target))
            found += [Place(game.scene_path(name), each.line, each.start, each.end) for each in places]
    return [*found, *_in_settings(game, target)]


def target_of(game: Game, part: Part) -> str:
    """The path below the game's folder that a file's or scene's name leads to."""
    return game.project.around.listing.find(part.folder, part.text)[1]


def _leads_to(game: Game, spelled: str, target: str) -> Callable[[Part], bool]:
    return lambda part: part.role in _FILES and part.text == spelled and target_of(game, part) == target


def _in_settings(game: Game, target: str) -> Iterator[Place]:
    path = game.prefix + CONFIG
    lines = game.lines(path)
    for setting in read_config("\n".join(lines)):
        folder = FILES.get(setting.key)
        for value in setting.values if folder is not None else ():
            if folder is not None and game.project.around.listing.find(folder, value)[1] == target:
                start = lines[setting.line - 1].find(value, len(setting.key))
                yield Place(path, setting.line - 1, start, start + len(value))


def _everywhere(game: Game, needle: str, is_meant: Callable[[Part], bool]) -> Iterator[Place]:
    for name, scene in sorted(game.project.scenes.items()):
        if needle in scene.text:
            for each in occurrences(scene.lines, needle, is_meant):
                yield Place(game.scene_path(name), each.line, each.start, each.end)
