"""The structure of a scene: folding, outline, and the searchable names of the whole game."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from lsprotocol import types

from handrail.features.webgal.lsp.editor_state import FileView
from handrail.features.webgal.lsp.game import Game
from handrail.features.webgal.lsp.usages import Place, occurrences, parts_on
from handrail.features.webgal.script.anatomy import Role
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import BAR, BLANKS, COMMENT, read_line, read_option

_MOST_SYMBOLS = 500
_REGION = re.compile(r"\s*;\s*#(end)?region\b")
_ENTRIES = {
    "choose": types.SymbolKind.Enum,
    "changeScene": types.SymbolKind.Module,
    "callScene": types.SymbolKind.Module,
}


def _sections(view: FileView) -> list[tuple[int, int]]:
    """Returns the lines of each label and what follows it, counted from 0, without comments before the next label."""
    scene = view.game.scene(view.path)
    starts = sorted({number - 1 for numbers in scene.labels.values() for number in numbers}) if scene else []
    return [
        (start, _last_statement(view.lines, start, end - 1))
        for start, end in zip(starts, [*starts[1:], len(view.lines)], strict=True)
    ]


def _last_statement(lines: Sequence[str], first: int, last: int) -> int:
    while last > first and _is_comment(lines[last]):
        last -= 1
    return last


def _is_comment(line: str) -> bool:
    return not line.partition(";")[0].strip(BLANKS)


def folding_ranges(view: FileView, params: types.FoldingRangeParams | None = None) -> list[types.FoldingRange]:
    """Folds labels with what follows them, `;#region` to `;#endregion`, comments, and statements over several lines."""
    if view.game.scene(view.path) is None:
        return []
    folds = [
        *(types.FoldingRange(first, last) for first, last in _sections(view)),
        *_regions(view.lines),
        *(
            types.FoldingRange(*run, kind=types.FoldingRangeKind.Comment)
            for run in _runs(view.lines, _is_plain_comment)
        ),
        *(types.FoldingRange(first - 1, last) for first, last in _runs(view.lines, continues) if first > 0),
    ]
    return sorted((fold for fold in folds if fold.end_line > fold.start_line), key=lambda fold: fold.start_line)


def _is_plain_comment(line: str) -> bool:
    return line.lstrip(BLANKS).startswith(";") and _REGION.match(line) is None


def _runs(lines: Sequence[str], predicate: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    first = None
    for number, line in enumerate([*lines, ""]):
        if number < len(lines) and predicate(line):
            first = number if first is None else first
        elif first is not None:
            yield first, number - 1
            first = None


def _regions(lines: Sequence[str]) -> Iterator[types.FoldingRange]:
    open_regions: list[int] = []
    for number, line in enumerate(lines):
        match = _REGION.match(line)
        if match is None:
            continue
        if match[1] is None:
            open_regions.append(number)
        elif open_regions:
            yield types.FoldingRange(open_regions.pop(), number, kind=types.FoldingRangeKind.Region)


def symbols(view: FileView, params: types.DocumentSymbolParams | None = None) -> list[types.DocumentSymbol]:
    """Returns the labels of a scene, and below each the choices and scenes that follow it."""
    if view.game.scene(view.path) is None:
        return []
    sections = _sections(view)
    outside = range(sections[0][0] if sections else len(view.lines))
    return [*_entries(view, outside), *(_section(view, first, last) for first, last in sections)]


def _section(view: FileView, first: int, last: int) -> types.DocumentSymbol:
    (label,) = [placed for placed in parts_on(view.lines, first) if placed.part.role is Role.LABEL][:1]
    return types.DocumentSymbol(
        label.part.text,
        types.SymbolKind.Key,
        types.Range(types.Position(first, 0), view.span(last, 0, len(view.lines[last])).end),
        view.span(first, label.start, label.end),
        children=list(_entries(view, range(first, last + 1))),
    )


def _entries(view: FileView, numbers: range) -> Iterator[types.DocumentSymbol]:
    for number in numbers:
        line = view.lines[number]
        if not line.startswith(tuple(_ENTRIES)):
            continue
        sentence = read_line(line)
        kind = _ENTRIES.get(sentence.command)
        if kind is None or sentence.command == COMMENT:
            continue
        place = view.span(number, 0, len(line))
        yield types.DocumentSymbol(_entry_name(sentence.command, line), kind, place, place, detail=sentence.command)


def _entry_name(command: str, line: str) -> str:
    content = line.partition(":")[2].partition(";")[0].strip(BLANKS)
    if command == "choose":
        return " | ".join(read_option(option)[0].rpartition("->")[2] for option in BAR.split(content)) or command
    return content.partition(" -")[0] or command


_Symbol = tuple[str, types.SymbolKind, Place, str]
"""A name, its kind and place, and the scene that it belongs to."""


def workspace_symbols(view: FileView, query: str) -> list[types.WorkspaceSymbol]:
    """Finds scenes, labels, characters and variables whose names have the letters of the query in order."""
    pattern = re.compile(".*?".join(map(re.escape, query)), re.IGNORECASE | re.DOTALL)
    matches = islice((each for each in _names(view.game) if pattern.search(each[0])), _MOST_SYMBOLS)
    return [
        types.WorkspaceSymbol(view.locations([place])[0], name, kind, container_name=scene or None)
        for name, kind, place, scene in matches
    ]


def _names(game: Game) -> Iterator[_Symbol]:
    scenes = sorted(game.project.scenes.items())
    for name, _ in scenes:
        yield name, types.SymbolKind.File, Place(game.scene_path(name), 0, 0, 0), ""
    for name, scene in scenes:
        for label, numbers in scene.labels.items():
            start = scene.lines[numbers[0] - 1].find(label)
            place = Place(game.scene_path(name), numbers[0] - 1, start, start + len(label))
            yield label, types.SymbolKind.Key, place, name
    seen: set[tuple[str, types.SymbolKind]] = set()
    for name, scene in scenes:
        for words, role, kind in (
            (scene.speakers, Role.SPEAKER, types.SymbolKind.Object),
            (scene.sets, Role.SET, types.SymbolKind.Variable),
        ):
            for word in sorted(set(words) - {""}):
                first = _first(game, name, word, role) if (word, kind) not in seen else None
                if first is not None:
                    seen.add((word, kind))
                    yield word, kind, first, name


def _first(game: Game, scene: str, word: str, role: Role) -> Place | None:
    parts = occurrences(game.project.scenes[scene].lines, word, lambda part: part.role is role and part.text == word)
    return next((Place(game.scene_path(scene), each.line, each.start, each.end) for each in parts), None)
