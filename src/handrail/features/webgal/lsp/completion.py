"""What can be completed at the cursor, and the text to insert."""

import posixpath
from collections.abc import Iterable, Iterator

import msgspec
from lsprotocol.types import CompletionItemKind

from handrail.features.webgal.lsp.cursor_context import Context, Expected, context_at
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.hover import handbook
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.script.commands import COMMANDS, SAY, Argument, Content, Kind
from handrail.features.webgal.script.config_file import FILES, KEYS
from handrail.features.webgal.script.findings import Language
from handrail.features.webgal.script.listing import GameAssets
from handrail.features.webgal.script.media import IMAGES, is_model
from handrail.features.webgal.script.project import CONFIG
from handrail.features.webgal.script.scene import Scene

MAX_COMPLETIONS = 500
_TARGETS = ("fig-left", "fig-center", "fig-right", "bg-main", "stage-main")
_BOOLEANS = ("true", "false")
_WITHOUT_COLON = ("end", "showVars", "pixiInit")
# Common transforms, to be edited by hand.
TRANSFORMS = (
    '{"position":{"x":0,"y":0}}',
    '{"scale":{"x":1,"y":1}}',
    '{"rotation":0}',
    '{"alpha":1}',
    '{"blur":0}',
    '{"brightness":1,"contrast":1,"saturation":1,"gamma":1}',
    '{"position":{"x":0,"y":0},"scale":{"x":1,"y":1},"rotation":0,"alpha":1}',
)


class Completion(msgspec.Struct, frozen=True, gc=False):
    """`text` replaces what was written since the context's start."""

    text: str
    kind: CompletionItemKind
    label: str = ""
    detail: str = ""

    @property
    def display_text(self) -> str:
        return self.label or self.text


class Completions(msgspec.Struct, frozen=True):
    """They replace the text from column `start`. If incomplete, more letters give others."""

    start: int
    items: list[Completion]
    is_incomplete: bool = False


def completions_at(game: Game, path: str, line: int, column: int, language: Language) -> Completions:
    lines = game.lines(path)
    text = lines[line] if line < len(lines) else ""
    if path == game.prefix + CONFIG:
        start, items = _settings(game, text[:column])
        return _limit(start, items, text[start:column])
    scene = game.scene(path)
    at = context_at(text, column) if scene is not None else None
    if at is None or scene is None:
        return Completions(column, [])
    return _limit(at.start, _completions(game, scene, at, text[column:], language), text[at.start : column])


def _limit(start: int, candidates: Iterable[Completion], written: str) -> Completions:
    """Keeps those that match the text written so far, up to the limit."""
    items = list(candidates)
    if len(items) <= MAX_COMPLETIONS:
        return Completions(start, items)
    typed = written.strip().casefold()
    matching = [offer for offer in items if typed in offer.display_text.casefold()]
    return Completions(start, matching[:MAX_COMPLETIONS], is_incomplete=True)


def _completions(game: Game, scene: Scene, at: Context, after: str, language: Language) -> Iterator[Completion]:
    assets = game.project.assets
    if at.expected is Expected.HEAD:
        yield from _heads(game, after, language)
    elif at.expected in (Expected.LABEL, Expected.TARGET):
        yield from (Completion(name, CompletionItemKind.Reference) for name in scene.labels)
        if at.expected is Expected.TARGET:
            yield from _files(assets, "scene")
    elif at.expected is Expected.FILE:
        yield from _files(assets, at.folder)
        if at.command.content is Content.FILE:
            yield Completion("none", CompletionItemKind.Keyword)
    elif at.expected in (Expected.VARIABLE, Expected.VALUE):
        yield from (Completion(name, CompletionItemKind.Variable) for name in sorted(game.variables()))
        if at.expected is Expected.VALUE:
            yield from _words(_BOOLEANS)
    elif at.expected is Expected.ANIMATION:
        yield from _words(sorted(assets.animations or ()))
    elif at.expected is Expected.NAME:
        yield from _words(at.command.choices)
    elif at.expected is Expected.TRANSFORM:
        yield from _transforms()
    elif at.expected is Expected.ARGUMENT:
        yield from _arguments(at, language)
        if at.command.name == SAY and not at.used:
            yield from _files(assets, "vocal")
    elif at.expected is Expected.ARGUMENT_VALUE and (known := at.command.arguments.get(at.argument)) is not None:
        yield from _values(game, at, known)


def _heads(game: Game, after: str, language: Language) -> Iterator[Completion]:
    mark = "" if after.startswith((":", "：")) else ":"
    for name in sorted({*game.speakers(), *game.project.assets.characters} - {""}):
        if name not in COMMANDS:
            yield Completion(name + mark, CompletionItemKind.Class, name, phrase("speaker", language))
    for command in COMMANDS.values():
        if command.is_run:
            end = (";" if not after else "") if command.name in _WITHOUT_COLON else mark
            description = handbook().commands[command.name].text(language)
            yield Completion(command.name + end, CompletionItemKind.Function, command.name, description)


def _arguments(at: Context, language: Language) -> Iterator[Completion]:
    for name, argument in at.command.arguments.items():
        if name not in at.used:
            text = name if argument.kind is Kind.FLAG else f"{name}="
            yield Completion(text, CompletionItemKind.Property, name, handbook().arguments[name].text(language))


def _values(game: Game, at: Context, argument: Argument) -> Iterator[Completion]:
    if argument.choices:
        yield from _words(argument.choices)
    elif argument.kind is Kind.FLAG:
        yield from _words(_BOOLEANS)
    elif argument.kind is Kind.FILE:
        yield from _files(game.project.assets, at.folder)
    elif argument.kind is Kind.ANIMATION:
        yield from _words(sorted(game.project.assets.animations or ()))
    elif at.argument == "target":
        yield from _words(_TARGETS)
    elif at.argument == "transform":
        yield from _transforms()
    elif at.argument == "speaker":
        yield from (Completion(name, CompletionItemKind.Class) for name in sorted(game.speakers()))


def _transforms() -> Iterator[Completion]:
    return (Completion(text, CompletionItemKind.Snippet) for text in TRANSFORMS)


def _files(assets: GameAssets, folder: str) -> Iterator[Completion]:
    for name in assets.listing.by_folder.get(folder, ()):
        if _is_completed(assets, folder, name):
            yield Completion(name, CompletionItemKind.File)


def _is_completed(assets: GameAssets, folder: str, name: str) -> bool:
    """The parts of a model are never offered."""
    path = f"{folder}/{name}"
    if posixpath.basename(name).startswith(".") or path in assets.parts:
        return False
    if folder == "scene":
        return name.endswith(".txt")
    if folder == "figure":
        return path in assets.models or is_model(name) or posixpath.splitext(name)[1].lower() in IMAGES
    return True


def _settings(game: Game, before: str) -> tuple[int, Iterable[Completion]]:
    key, colon, value = before.partition(":")
    if not colon:
        return 0, [Completion(f"{name}:", CompletionItemKind.Property, name) for name in sorted(KEYS)]
    start = max(len(key) + 1, before.rfind("|") + 1)
    if (folder := FILES.get(key)) is None or ";" in value:
        return len(before), []
    return start, _files(game.project.assets, folder)


def _words(words: Iterable[str]) -> Iterator[Completion]:
    return (Completion(word, CompletionItemKind.EnumMember) for word in words)
