"""`config.txt` as the engine reads it: one `Key:value|value -option` a line, what is no such line skipped."""

import re

import msgspec

from handrail.core.webgal.arguments import SEPARATOR, Argument, read_arguments
from handrail.core.webgal.javascript import BLANKS
from handrail.core.webgal.sentences import split_lines

_BLANK = f"[{BLANKS}]"
_COLON = re.compile(f"(?<!{_BLANK}){_BLANK}*+:")


class Setting(msgspec.Struct, frozen=True):
    line: int
    key: str
    values: tuple[str, ...]
    options: tuple[Argument, ...] = ()


def read_config(text: str) -> list[Setting]:
    lines = enumerate(split_lines(text), start=1)
    return [setting for number, line in lines if (setting := _setting(number, line)) is not None]


def _setting(number: int, line: str) -> Setting | None:
    statement = line.partition(";")[0]
    colon = _COLON.search(statement)
    if colon is None or colon.start() == 0:
        return None
    # One character is dropped however many blanks stand before the colon: `Key : v` gives ": v".
    body = statement[colon.start() + 1 :]
    at = body.find(SEPARATOR)
    options = read_arguments(body[at:], resolve=str) if at >= 0 else ()
    values = (value.strip(BLANKS) for value in (body[:at] if at >= 0 else body).split("|"))
    return Setting(number, statement[: colon.start()], tuple(value for value in values if value), tuple(options))
