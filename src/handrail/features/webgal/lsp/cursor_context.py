"""What is written at the cursor: a head, a content, an argument's name or its value."""

import re
from enum import StrEnum

import msgspec

from handrail.features.webgal.script.anatomy import statement_end
from handrail.features.webgal.script.commands import COMMANDS, SAY, Command, Content, Kind
from handrail.features.webgal.script.parser import BAR, BLANKS, COLON, SEPARATOR

_OPEN_BRACE = re.compile(r"(?<!\\)\{(\w*)$")
_WORD = re.compile(r"(?<!\w)\d*+([^\W\d]\w*+)$")
_CONDITION = re.compile(r"^\s*[(\[](?!.*->)")


class Expected(StrEnum):
    HEAD = "head"
    TEXT = "text"
    FILE = "file"
    TARGET = "target"
    """An option's target: a label or a scene."""
    LABEL = "label"
    VARIABLE = "variable"
    VALUE = "value"
    """Part of an expression: a variable or a boolean."""
    ANIMATION = "animation"
    NAME = "name"
    TRANSFORM = "transform"
    ARGUMENT = "argument"
    ARGUMENT_VALUE = "argument value"


class Context(msgspec.Struct, frozen=True):
    """`start` is where the text written so far begins; `used` are the arguments that are already there."""

    expected: Expected
    start: int
    command: Command
    folder: str = ""
    argument: str = ""
    used: frozenset[str] = frozenset()


_BY_CONTENT = {
    Content.SCENE: Expected.FILE,
    Content.FILE: Expected.FILE,
    Content.JUMP: Expected.LABEL,
    Content.VARIABLE: Expected.VARIABLE,
    Content.ANIMATION: Expected.ANIMATION,
    Content.NAME: Expected.NAME,
    Content.TRANSFORM: Expected.TRANSFORM,
}
_JSON = (Content.TRANSFORM, Content.FRAMES)


def context_at(line: str, column: int) -> Context | None:
    """Returns None in comments, where nothing is offered."""
    before = line[:column]
    if statement_end(before) < len(before):
        return None
    head, colon, _ = before.partition(":")
    if not colon:
        start = len(before) - len(before.lstrip(BLANKS))
        return Context(Expected.HEAD, start, COMMANDS[SAY])
    command = COMMANDS.get(head, COMMANDS[SAY])
    body = len(head) + 1
    # A dash that was just typed already begins an argument.
    dash = before.rfind(SEPARATOR, body)
    if dash >= 0:
        return _argument(line, before, body, dash + len(SEPARATOR), command)
    return _content(before, body, command)


def _content(before: str, body: int, command: Command) -> Context:
    start = body + len(before[body:]) - len(before[body:].lstrip(BLANKS))
    content = before[start:]
    if command.content not in _JSON and (brace := _OPEN_BRACE.search(before, body)) is not None:
        return Context(Expected.VARIABLE, brace.start(1), command)
    if command.content is Content.CHOICE:
        return _option(before, start, command)
    if command.content is Content.ASSIGNMENT:
        return _expression(before, command) if "=" in content else Context(Expected.VARIABLE, start, command)
    expected = _BY_CONTENT.get(command.content, Expected.TEXT)
    return Context(expected, start, command, command.folder or "")


def _option(before: str, start: int, command: Command) -> Context:
    option = max((match.end() for match in BAR.finditer(before, start)), default=start)
    colon = COLON.search(before, option)
    if colon is not None:
        return Context(Expected.TARGET, colon.end(), command, "scene")
    if _CONDITION.match(before[option:]):
        return _expression(before, command)
    return Context(Expected.TEXT, option, command)


def _argument(line: str, before: str, body: int, start: int, command: Command) -> Context:
    name, is_given, _ = before[start:].partition("=")
    others = line[body : statement_end(line)].split(SEPARATOR)[1:]
    used = frozenset(piece.partition("=")[0].strip(BLANKS) for piece in others)
    if not is_given:
        return Context(Expected.ARGUMENT, start, command, used=used - {name.strip(BLANKS)})
    name, at = name.strip(BLANKS), start + before[start:].index("=") + 1
    argument = command.arguments.get(name)
    if argument is not None and argument.kind is Kind.CONDITION:
        return _expression(before, command)
    if (brace := _OPEN_BRACE.search(before, at)) is not None and (argument is None or argument.kind is not Kind.JSON):
        return Context(Expected.VARIABLE, brace.start(1), command)
    folder = (argument.folder or command.folder or "background") if argument is not None else ""
    return Context(Expected.ARGUMENT_VALUE, at, command, folder, name)


def _expression(before: str, command: Command) -> Context:
    word = _WORD.search(before)
    return Context(Expected.VALUE, word.start(1) if word is not None else len(before), command)
