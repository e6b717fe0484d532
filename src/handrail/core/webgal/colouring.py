"""Where the parts of a line begin and end, for editors and pages to colour. Judges nothing."""

import re
from typing import Literal

import msgspec

from handrail.core.webgal.arguments import SEPARATOR
from handrail.core.webgal.commands import COMMANDS
from handrail.core.webgal.javascript import BLANKS
from handrail.core.webgal.multi_line import continues

_SEMICOLON = re.compile(r"(?<!\\);")

Sort = Literal["command", "speech", "remark", "continuation"]


class Parts(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Characters of the line: its head up to `head`, its content up to `content`, arguments up to `end`, a remark."""

    sort: Sort
    head: int
    content: int
    end: int


_NOTHING = Parts("remark", 0, 0, 0)


def parts_of(line: str, *, is_setting: bool = False) -> Parts:
    """As the parser reads it; a line of `config.txt` is a setting, which has the shape of a command."""
    semicolon = line.find(";") if "\\" not in line else _unescaped(line)
    end = semicolon if semicolon >= 0 else len(line)
    statement = line[:end]
    if not statement.strip(BLANKS):
        return _NOTHING
    if continues(line):
        return Parts("continuation", 0, 0 if line.lstrip(BLANKS).startswith("-") else end, end)
    colon = statement.find(":")
    arguments = statement.find(SEPARATOR, colon + 1)
    content = arguments if arguments >= 0 else end
    is_command = is_setting or (statement[:colon] if colon >= 0 else statement) in COMMANDS
    if colon < 0:
        return Parts("command" if is_command else "speech", content if is_command else 0, content, end)
    return Parts("command" if is_command else "speech", colon, content, end)


def _unescaped(line: str) -> int:
    found = _SEMICOLON.search(line)
    return found.start() if found else -1
