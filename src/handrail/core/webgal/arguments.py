"""The arguments behind a statement's content: ` -name=value`, as the engine's own parser reads them."""

import re
from collections.abc import Callable

from handrail.core.webgal.files import in_folder
from handrail.core.webgal.javascript import BLANKS, number

Value = str | bool | int | float
Argument = tuple[str, Value]

SEPARATOR = " -"
# Any character before the ending, not a dot: `-myogg` is a voice, too.
_VOICE = re.compile("[^\n\r\u2028\u2029](?:ogg|mp3|wav)", re.IGNORECASE | re.ASCII)


def in_vocal(name: str) -> str:
    return in_folder("vocal", name)


def is_voice(name: str) -> bool:
    """Whether an argument without a value is a voice's file."""
    return _VOICE.search(name) is not None


def read_arguments(text: str, resolve: Callable[[str], str] = in_vocal) -> list[Argument]:
    """Of a text that begins with the first separator; `resolve` is what becomes of a voice's file."""
    return [_argument(piece, resolve) for piece in text.split(SEPARATOR) if piece]


def _argument(piece: str, resolve: Callable[[str], str]) -> Argument:
    name, is_given, value = piece.partition("=")
    name = name.strip(BLANKS)
    if is_voice(name):
        return "vocal", resolve(piece)
    return (name, read_value(value.strip(BLANKS))) if is_given else (name, True)


def read_value(text: str) -> Value:
    if text == "true" or text == "false":
        return text == "true"
    # A word is no number, and most values are words.
    if text[:1].isalpha() and text[0] != "I":
        return text
    known = number(text)
    return text if known is None else known
