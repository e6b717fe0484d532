"""The Markdown shown for the thing under the cursor. `handbook.toml` explains the commands."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

from handrail.features.webgal.lsp import usages
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.lsp.usages import Place, character, place_text, settings
from handrail.features.webgal.script.anatomy import Part, Role
from handrail.features.webgal.script.commands import COMMANDS, STOCK_ANIMATIONS, Command, Kind
from handrail.features.webgal.script.findings import Language
from handrail.features.webgal.script.listing import FileStatus
from handrail.ports.errors import Failure

_KINDS = {Kind.NUMBER: "=0", Kind.JSON: "={…}", Kind.FLAG: ""}


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    zh: str
    en: str
    example: str = ""

    def text(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


class Handbook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    commands: Mapping[str, Entry]
    arguments: Mapping[str, Entry]


@cache
def handbook() -> Handbook:
    table = files("handrail.features.webgal.lsp").joinpath("handbook.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(table), Handbook)


def about_command(command: Command, language: Language) -> str:
    """Returns Markdown about a command."""
    entry = handbook().commands[command.name]
    arguments = " ".join(f"`-{name}{_KINDS.get(argument.kind, '=…')}`" for name, argument in command.arguments.items())
    return f"**{command.name}** — {entry.text(language)}\n\n```webgal\n{entry.example}\n```\n\n{arguments}"


def about_argument(command: Command, name: str, language: Language) -> str | None:
    argument, entry = command.arguments.get(name), handbook().arguments.get(name)
    if argument is None or entry is None:
        return None
    choices = " · ".join(f"`{choice}`" for choice in argument.choices)
    return f"**-{name}** — {entry.text(language)}" + (f"\n\n{choices}" if choices else "")


_MOST_PLACES = 5
_UNITS = ("B", "KB", "MB", "GB")


def hover_text(game: Game, path: str, part: Part, language: Language) -> str | None:
    if part.role is Role.COMMAND:
        return about_command(COMMANDS[part.text], language)
    if part.role in (Role.LABEL, Role.JUMP):
        return _label(game, path, part.text, language)
    if part.role in (Role.FILE, Role.SCENE):
        return _file(game, part, language)
    if part.role in (Role.READ, Role.SET):
        return _variable(game, part.text, language)
    if part.role is Role.SPEAKER:
        return _character(game, part.text, language)
    if part.role is Role.ANIMATION:
        return _animation(game, part.text, language)
    return about_argument(COMMANDS[part.by], part.argument, language)


def _label(game: Game, path: str, name: str, language: Language) -> str:
    places = usages.labels(game, path, name, Role.LABEL)
    jumps = usages.labels(game, path, name, Role.JUMP)
    first = phrase("label", language, name=name, lines=_lines(places)) if places else ""
    second = phrase("jumps", language, count=len(jumps), lines=_lines(jumps)) if jumps else ""
    return _paragraphs(first or phrase("no label", language, name=name), second or phrase("no jumps", language))


def _file(game: Game, part: Part, language: Language) -> str:
    status, target = game.project.assets.listing.find(part.folder, part.text)
    path = game.prefix + target
    if status is FileStatus.EXISTS:
        state = phrase("exists", language, size=_size(game, path, language))
    elif status is FileStatus.OTHER_CASE:
        state = phrase("other case", language, name=target.removeprefix(f"{part.folder}/"))
    else:
        state = phrase("missing" if status is FileStatus.MISSING else "unknown", language)
    places = usages.files(game, target)
    used = _places("used", places, language) if len(places) > 1 else phrase("unused", language)
    return _paragraphs(f"`{path}`", state, used)


def _variable(game: Game, name: str, language: Language) -> str:
    assigned = usages.variables(game, name, Role.SET) or settings(game, name)
    read = usages.variables(game, name, Role.READ)
    return _paragraphs(
        phrase("variable", language, name=name),
        _places("set", assigned, language) if assigned else phrase("never set", language),
        _places("read", read, language) if read else phrase("never read", language),
    )


def _character(game: Game, name: str, language: Language) -> str:
    places, defined = usages.speakers(game, name), character(game, name)
    scenes = len({place.path for place in places})
    return _paragraphs(
        phrase("character", language, name=name, lines=len(places), scenes=scenes),
        phrase("defined", language, path=defined[0].path) if defined else phrase("not defined", language),
    )


def _animation(game: Game, name: str, language: Language) -> str:
    path, existing = f"animation/{name}.json", game.project.assets.animations
    if path in game.project.assets.listing.paths:
        where = f"`{game.prefix}{path}`"
    elif name in STOCK_ANIMATIONS or existing is None:
        where = phrase("stock", language)
    else:
        where = "`animationTable.json`" if name in existing else phrase("no animation", language)
    return f"{phrase('animation', language, name=name)} — {where}"


def _size(game: Game, path: str, language: Language) -> str:
    scene = game.scene(path)
    if scene is not None:
        return phrase("lines", language, count=len(scene.lines))
    try:
        size = float(game.reader.size(path) or 0)
    except Failure:
        size = 0.0
    unit = 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {_UNITS[unit]}"


def _places(name: str, places: Sequence[Place], language: Language) -> str:
    return phrase(name, language, count=len(places), places=_first_few([place_text(place) for place in places]))


def _lines(places: Sequence[Place]) -> str:
    return _first_few([str(place.line + 1) for place in places])


def _first_few(words: Sequence[str]) -> str:
    return ", ".join(words[:_MOST_PLACES]) + ("…" if len(words) > _MOST_PLACES else "")


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(texts)
