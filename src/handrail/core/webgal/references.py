"""What a statement names: files, scenes, labels, animations, variables. Where they are, nobody here knows.

A name that holds a variable's value is `dynamic`: it may be any name in its folder.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from handrail.core.webgal.commands import BY_TYPE, Content, Kind
from handrail.core.webgal.conditions import interpolated, names_in
from handrail.core.webgal.files import FOLDERS, GAME, is_address, is_placeholder
from handrail.core.webgal.options import BAR, is_scene, read_option
from handrail.core.webgal.rules.choices import conditions_of
from handrail.core.webgal.rules.line import Line

What = Literal["file", "scene", "label", "animation", "variable", "dynamic"]
_NAMED: dict[Content, What] = {
    Content.FILE: "file",
    Content.SCENE: "scene",
    Content.JUMP: "label",
    Content.ANIMATION: "animation",
}
_FOLDER = re.compile(re.escape(GAME) + r"/[a-z]+/")


class Reference(msgspec.Struct, frozen=True, gc=False):
    """`by` is the command that names it."""

    what: What
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
        if argument.kind is Kind.FILE and value != "none":
            folder = argument.folder or command.folder or "background"
            name = _FOLDER.sub("", value, count=1)
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
        at += len(text)  # many an option is called like its target
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
    """A scene that lies elsewhere in the net may name any scene and any file of the game."""
    for folder in ("scene", *FOLDERS):
        yield _named(line, "dynamic", name, at, folder)


def _variables(line: Line, names: list[str], at: int) -> Iterator[Reference]:
    return (_named(line, "variable", name, at) for name in names)


def _named(line: Line, what: What, name: str, at: int, folder: str = "") -> Reference:
    start = line.text.find(name, at)
    return Reference(what, name, 0, start if start >= 0 else max(line.text.rfind(name), 0), line.command.name, folder)


def _is_fixed(name: str) -> bool:
    """What lies elsewhere in the net can't be looked up."""
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
