"""One line as the rules see it: its parts, the names in it, and what can be said about it in any scene."""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from handrail.features.webgal.script.commands import BY_TYPE, SAY, Command, Content, Kind
from handrail.features.webgal.script.conditions import interpolated, names_in
from handrail.features.webgal.script.findings import Edit, Finding
from handrail.features.webgal.script.parser import (
    BAR,
    BLANKS,
    FOLDERS,
    GAME_ADDRESS,
    SEPARATOR,
    Sentence,
    conditions_of,
    is_address,
    is_placeholder,
    is_scene,
    read_option,
    split_comment,
)

Findings = Iterator[Finding]


class Line:
    """Findings have line 0 until the scene sets the number, because equal lines are checked only once."""

    __slots__ = ("command", "content", "has_semicolon", "is_dialogue", "sentence", "statement", "text")

    def __init__(self, text: str, sentence: Sentence) -> None:
        self.text = text
        self.sentence = sentence
        self.command: Command = BY_TYPE[sentence.command]
        self.is_dialogue = sentence.command == SAY
        self.statement, remark = split_comment(text)
        self.has_semicolon = remark is not None
        head, colon, body = self.statement.partition(":")
        # As written, without the folder that the engine prepends.
        self.content = (body if colon else head).partition(SEPARATOR)[0].strip(BLANKS)

    @property
    def has_speaker(self) -> bool:
        return self.is_dialogue and bool(self.sentence.args) and self.sentence.args[0][0] == "speaker"

    def at(
        self,
        piece: str,
        code: str,
        edit: str | None = None,
        *,
        is_safe: bool = True,
        is_grave: bool = False,
        **values: str,
    ) -> Finding:
        """Makes a finding about the last occurrence of this piece; `edit` is what belongs there."""
        start = max(self.text.rfind(piece), 0) if piece else 0
        end = start + len(piece)
        fix = None if edit is None else Edit(start, end, edit, is_safe)
        return Finding(code, 0, start, end, values, fix, is_grave)

    def between(
        self, start: int, end: int, code: str, edit: str | None = None, *, is_safe: bool = True, **values: str
    ) -> Finding:
        return Finding(code, 0, start, end, values, None if edit is None else Edit(start, end, edit, is_safe))

    def whole(self, code: str, **values: str) -> Finding:
        return Finding(code, 0, 0, len(self.text), values)


ReferenceKind = Literal["file", "scene", "label", "animation", "variable", "speaker", "figure", "target", "dynamic"]
"""`figure` gives an id to a figure; `target` uses such an id."""
_NAMED: dict[Content, ReferenceKind] = {
    Content.FILE: "file",
    Content.SCENE: "scene",
    Content.JUMP: "label",
    Content.ANIMATION: "animation",
}
NAMED_FIGURES = frozenset({"figure", "target"})
NAMING = frozenset({"id", "target", "figureId"})
"""Arguments that name figures."""
_GAME_FOLDER = re.compile(re.escape(GAME_ADDRESS) + r"/[a-z]+/")


class Reference(msgspec.Struct, frozen=True, gc=False):
    """A name in a line. `by` is the command that contains it."""

    kind: ReferenceKind
    name: str
    line: int
    start: int
    by: str
    folder: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.name)


def references(line: Line) -> Iterator[Reference]:
    sentence, command, content = line.sentence, line.command, line.content
    if line.has_speaker:
        yield from _variables(line, interpolated(str(sentence.args[0][1])), 0)
    at = line.text.find(":") + 1 if ":" in line.statement else 0
    if content not in ("", "none") and ":" in line.statement:
        yield from _options(line, at) if command.content is Content.CHOICE else _content(line, at)
    if command.content is Content.TEXT:
        yield from _variables(line, interpolated(sentence.content), at)
    at = max(line.text.find(" -", at), 0)
    for key, value in sentence.args:
        if not isinstance(value, str) or key == "speaker":
            continue
        if key == "when":
            yield from _variables(line, names_in(value), at)
            continue
        argument = BY_TYPE[sentence.command].arguments.get(key)
        if argument is None:
            continue
        if key == "target" or (key == "id" and command.name == "changeFigure"):
            yield _named(line, "target" if key == "target" else "figure", value, at)
        elif argument.kind is Kind.FILE and value != "none":
            folder = argument.folder or command.folder or "background"
            name = _GAME_FOLDER.sub("", value, count=1)
            if _is_fixed(name) or _is_dynamic(name):
                yield _named(line, "dynamic" if _is_dynamic(name) else "file", name.strip(), at, folder)
        elif argument.kind is Kind.ANIMATION and _is_fixed(value):
            yield _named(line, "animation", value, at)


def _options(line: Line, at: int) -> Iterator[Reference]:
    for option in BAR.split(line.content):
        text, target = read_option(option)
        at = max(line.text.find(option, at), at)
        for condition in conditions_of(text):
            yield from _variables(line, names_in(condition), at)
        yield from _variables(line, interpolated(text), at)
        at += len(text)  # options often have the same name as their targets
        if _is_dynamic(target):
            yield _named(line, "dynamic", target, at, "scene")
        elif is_address(option):
            yield from _elsewhere(line, option, at)
        elif (name := target.strip()) and (target == target.lstrip() or is_placeholder(name)):
            if is_scene(target):
                yield _named(line, "scene", name, at, "scene")
            else:
                yield _named(line, "label", name, at)


def _content(line: Line, at: int) -> Iterator[Reference]:
    command, content = line.command, line.content
    if command.folder is not None and _is_dynamic(content):
        yield _named(line, "dynamic", content, at, command.folder)
    elif command.content is Content.SCENE and is_address(content):
        yield from _elsewhere(line, content, at)
    elif command.content in _NAMED and _is_fixed(content):
        yield _named(line, _NAMED[command.content], content, at, command.folder or "")


def _elsewhere(line: Line, name: str, at: int) -> Iterator[Reference]:
    """A scene on another host may use any scene and any file of the game."""
    for folder in ("scene", *FOLDERS):
        yield _named(line, "dynamic", name, at, folder)


def _variables(line: Line, names: list[str], at: int) -> Iterator[Reference]:
    return (_named(line, "variable", name, at) for name in names)


def _named(line: Line, what: ReferenceKind, name: str, at: int, folder: str = "") -> Reference:
    start = line.text.find(name, at)
    return Reference(what, name, 0, start if start >= 0 else max(line.text.rfind(name), 0), line.command.name, folder)


def _is_fixed(name: str) -> bool:
    """Files on other hosts can't be looked up."""
    return bool(name) and not _is_dynamic(name) and not is_address(name)


def _is_dynamic(name: str) -> bool:
    return "{" in name


def variables_set(line: Line) -> Iterator[str]:
    sentence, content = line.sentence, line.command.content
    if content is Content.ASSIGNMENT and "=" in sentence.content:
        yield sentence.content.partition("=")[0].strip()
    elif content is Content.VARIABLE:
        yield sentence.content
    elif sentence.command == "callScene":
        for key, value in sentence.args:
            yield value if key == "writeReturnTo" and isinstance(value, str) else key


class LineReport(msgspec.Struct, frozen=True, gc=False):
    """What a line means for its scene. Findings and references have line 0 until a scene sets the number."""

    findings: tuple[Finding, ...] = ()
    references: tuple[Reference, ...] = ()
    sets: tuple[str, ...] = ()
    dynamic: tuple[str, ...] = ()
    speaker: str | None = None
    is_suspect: bool = False
    label: str = ""
    leaves: bool = False
