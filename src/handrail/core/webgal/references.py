"""What a statement names: files, scenes, labels, animations, variables. Where they are, nobody here knows.

A name that holds a variable's value is `dynamic`: it may be any name in its folder.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from handrail.core.webgal.commands import BY_TYPE, Content, Kind
from handrail.core.webgal.conditions import interpolated, names_in
from handrail.core.webgal.files import GAME, is_address
from handrail.core.webgal.options import BAR, is_scene, read_option
from handrail.core.webgal.rules.choices import conditions_of
from handrail.core.webgal.rules.line import Line

What = Literal["file", "scene", "label", "animation", "variable", "dynamic"]
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
    sentence, command = line.sentence, line.command

    content = line.content
    at = line.text.find(":") + 1 if ":" in line.statement else 0

    def named(what: What, name: str, folder: str = "") -> Reference:
        start = max(line.text.find(name, at), 0)
        return Reference(what, name, 0, start, command.name, folder)

    has_content = content not in ("", "none") and ":" in line.statement
    if has_content and command.content is Content.CHOICE:
        for option in BAR.split(content):
            text, target = read_option(option)
            for condition in conditions_of(text):
                yield from (named("variable", name) for name in names_in(condition))
            yield from (named("variable", name) for name in interpolated(text))
            if _is_dynamic(target):
                yield named("dynamic", target, "scene")
            elif is_scene(target) and _is_fixed(target) and target == target.lstrip():
                yield named("scene", target.rstrip(), "scene")
            elif not is_scene(target) and target.strip() and target == target.lstrip():
                yield named("label", target.rstrip())
    elif has_content and command.folder is not None and _is_dynamic(content):
        yield named("dynamic", content, command.folder)
    elif has_content and _is_fixed(content):
        if command.content is Content.FILE and command.folder is not None:
            yield named("file", content, command.folder)
        elif command.content is Content.SCENE:
            yield named("scene", content, "scene")
        elif command.content is Content.JUMP:
            yield named("label", content)
        elif command.content is Content.ANIMATION:
            yield named("animation", content)
    if command.content is Content.TEXT:
        yield from (named("variable", name) for name in interpolated(sentence.content))
    at = max(line.text.find(" -", at), 0)
    for key, value in sentence.args:
        if not isinstance(value, str) or key == "speaker":
            continue
        if key == "when":
            yield from (named("variable", name) for name in names_in(value))
            continue
        argument = BY_TYPE[sentence.command].arguments.get(key)
        if argument is None:
            continue
        if argument.kind is Kind.FILE and value != "none":
            folder = argument.folder or command.folder or "background"
            name = _FOLDER.sub("", value, count=1)
            if _is_fixed(name) or _is_dynamic(name):
                yield named("dynamic" if _is_dynamic(name) else "file", name.strip(), folder)
        elif argument.kind is Kind.ANIMATION and _is_fixed(value):
            yield named("animation", value)


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
