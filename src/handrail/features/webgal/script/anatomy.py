"""The parts of a statement with their positions, for editors: navigation, lists, renames, colours."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

import msgspec

from handrail.features.webgal.script.commands import COMMANDS, SAY, Argument, Command, Content, Kind
from handrail.features.webgal.script.conditions import interpolated_places, variable_places
from handrail.features.webgal.script.multi_line import continues
from handrail.features.webgal.script.parser import (
    BAR,
    BLANKS,
    COLON,
    CONDITIONS,
    SEPARATOR,
    is_address,
    is_scene,
    is_voice,
)

_END = re.compile(r"(?<!\\);")


class Role(StrEnum):
    COMMAND = "command"
    SPEAKER = "speaker"
    LABEL = "label"
    JUMP = "jump"
    SCENE = "scene"
    FILE = "file"
    ANIMATION = "animation"
    READ = "read"
    """A variable that is read."""
    SET = "set"
    ARGUMENT = "argument"
    VALUE = "value"


class Part(msgspec.Struct, frozen=True, gc=False):
    """`by` is the command, `argument` the one that has this value, `folder` where the file is looked up."""

    role: Role
    start: int
    end: int
    text: str
    by: str
    argument: str = ""
    folder: str = ""


_NAMED = {
    Content.LABEL: Role.LABEL,
    Content.JUMP: Role.JUMP,
    Content.VARIABLE: Role.SET,
    Content.ANIMATION: Role.ANIMATION,
    Content.NAME: Role.VALUE,
}


def statement_end(text: str) -> int:
    """Returns where the statement ends; a comment may follow."""
    match = _END.search(text)
    return len(text) if match is None else match.start()


def anatomy(text: str) -> list[Part]:
    """Returns the parts of one line, or of a statement whose lines were joined."""
    return list(_parts(text))


def _parts(text: str) -> Iterator[Part]:
    end = statement_end(text)
    if not text[:end].strip(BLANKS):
        return
    colon = text.find(":", 0, end)
    head = text[: colon if colon >= 0 else end]
    command = COMMANDS.get(head, COMMANDS[SAY])
    if head in COMMANDS:
        yield Part(Role.COMMAND, 0, len(head), head, head)
    elif colon >= 0 and (speaker := _trimmed(text, 0, colon)) is not None:
        yield Part(Role.SPEAKER, *speaker, text[slice(*speaker)], SAY)
    if head in COMMANDS and colon < 0:
        return
    at = text.find(SEPARATOR, colon + 1, end)
    content = _trimmed(text, colon + 1, end if at < 0 else at)
    if content is not None:
        yield from _content(text, *content, command)
    while at >= 0:
        start = at + len(SEPARATOR)
        at = text.find(SEPARATOR, start, end)
        yield from _argument(text, start, end if at < 0 else at, command)


def _content(text: str, start: int, end: int, command: Command) -> Iterator[Part]:
    content, by, kind = text[start:end], command.name, command.content
    if kind is Content.CHOICE:
        yield from _options(text, start, end, by)
    elif kind is Content.ASSIGNMENT:
        name, is_set, _ = content.partition("=")
        if is_set and (place := _trimmed(text, start, start + len(name))) is not None:
            yield Part(Role.SET, *place, text[slice(*place)], by)
        if is_set:
            yield from _read_in(text, start + len(name) + 1, end, by)
    elif kind is Content.TEXT:
        yield from _interpolated(text, start, end, by)
    elif content == "none":
        return
    elif command.folder is not None:
        role = Role.SCENE if kind is Content.SCENE else Role.FILE
        yield from _file(text, start, end, by, command.folder, role)
    elif "{" in content:
        yield from _interpolated(text, start, end, by)
    elif kind in _NAMED:
        yield Part(_NAMED[kind], start, end, content, by)


def _options(text: str, start: int, end: int, by: str) -> Iterator[Part]:
    for first, last in _pieces(BAR, text, start, end):
        fields = list(_pieces(COLON, text, first, last))
        conditions = CONDITIONS.match(text, *fields[0])
        for name in ("show", "enable") if conditions is not None else ():
            if conditions is not None and conditions[name]:
                yield from _read_in(text, *conditions.span(name), by)
        yield from _interpolated(text, conditions.end() if conditions else first, fields[0][1], by)
        target = _trimmed(text, *fields[1]) if len(fields) > 1 else None
        if target is None:
            continue
        if is_scene(text[slice(*target)]):
            yield from _file(text, *target, by, "scene", Role.SCENE)
        else:
            yield Part(Role.JUMP, *target, text[slice(*target)], by)


def _argument(text: str, start: int, end: int, command: Command) -> Iterator[Part]:
    equals = text.find("=", start, end)
    name_place = _trimmed(text, start, end if equals < 0 else equals)
    if name_place is None:
        return
    name, by = text[slice(*name_place)], command.name
    if is_voice(name):
        place = _trimmed(text, start, end)
        assert place is not None
        yield from _file(text, *place, by, "vocal", Role.FILE, "vocal")
        return
    argument = command.arguments.get(name)
    # Unknown arguments of `callScene` become variables in the called scene.
    role = Role.SET if argument is None and command.name == "callScene" else Role.ARGUMENT
    yield Part(role, *name_place, name, by, name)
    value = _trimmed(text, equals + 1, end) if equals >= 0 else None
    if value is not None:
        yield from _value(text, *value, command, name, argument)


def _value(text: str, start: int, end: int, command: Command, name: str, known: Argument | None) -> Iterator[Part]:
    value, by = text[start:end], command.name
    kind = known.kind if known is not None else Kind.TEXT
    if kind is Kind.CONDITION:
        yield from _read_in(text, start, end, by)
    elif kind is Kind.FILE and known is not None and value != "none":
        yield from _file(text, start, end, by, known.folder or command.folder or "background", Role.FILE, name)
    elif interpolated_places(value):
        yield from _interpolated(text, start, end, by)
    elif name == "speaker" and by == SAY:
        yield Part(Role.SPEAKER, start, end, value, by, name)
    elif name == "writeReturnTo":
        yield Part(Role.SET, start, end, value, by, name)
    else:
        yield Part(Role.ANIMATION if kind is Kind.ANIMATION else Role.VALUE, start, end, value, by, name)


def _file(text: str, start: int, end: int, by: str, folder: str, role: Role, argument: str = "") -> Iterator[Part]:
    name = text[start:end]
    if "{" in name:
        yield from _interpolated(text, start, end, by)
    elif not is_address(name):
        yield Part(role, start, end, name, by, argument, folder)


def _interpolated(text: str, start: int, end: int, by: str) -> Iterator[Part]:
    if text.find("{", start, end) < 0:
        return
    for first, last in interpolated_places(text[start:end]):
        yield Part(Role.READ, start + first, start + last, text[start + first : start + last], by)


def _read_in(text: str, start: int, end: int, by: str) -> Iterator[Part]:
    for first, last in variable_places(text[start:end]):
        yield Part(Role.READ, start + first, start + last, text[start + first : start + last], by)


def _pieces(mark: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in mark.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Removes surrounding blanks; returns None if nothing is left."""
    piece = text[start:end]
    bare = piece.strip(BLANKS)
    if not bare:
        return None
    start += len(piece) - len(piece.lstrip(BLANKS))
    return start, start + len(bare)


Sort = Literal["command", "speech", "remark", "continuation"]


class ColouredParts(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Offsets in the line:

    the head ends at `head`, the content at `content`, the arguments at `end`; a comment follows.
    """

    sort: Sort
    head: int
    content: int
    end: int


def coloured_parts(line: str, *, is_setting: bool = False) -> ColouredParts:
    """Follows the parser. A line of `config.txt` is a setting, which looks like a command."""
    end = statement_end(line)
    statement = line[:end]
    if not statement.strip(BLANKS):
        return ColouredParts("remark", 0, 0, 0)
    if continues(line):
        return ColouredParts("continuation", 0, 0 if line.lstrip(BLANKS).startswith("-") else end, end)
    colon = statement.find(":")
    arguments = statement.find(SEPARATOR, colon + 1)
    content = arguments if arguments >= 0 else end
    is_command = is_setting or (statement[:colon] if colon >= 0 else statement) in COMMANDS
    head = colon if colon >= 0 else content if is_command else 0
    return ColouredParts("command" if is_command else "speech", head, content, end)
