"""Reads the plain part of the shell's language: words, quotation marks, `;`, `&&`, `||`, `|` and a few redirects.

A second reader beside the full grammar (`syntax.py`). A command runs without a question only if it is this plain and
both readers find the same words in it: then a difference between a grammar and the shell can't hide a program.
"""

import re
from typing import NamedTuple

_SEPARATOR = re.compile(r"[ \t]*(&&|\|\||;|\|)[ \t]*")
_HARMLESS_REDIRECT = re.compile(r"(?:2>&1|[12]?>[ \t]*/dev/null|&>[ \t]*/dev/null)(?=[ \t;|&]|$)")
_BARE = re.compile(r"[A-Za-z0-9_./:@%+,=*?^-]+")
_HOME = re.compile(r"~(?=[/ \t;|&]|$)")
"""Other words after `~` name other folders: a user's, the last one, or one of a list."""
_SINGLE = re.compile(r"'([^'\x00-\x1f\x7f]*)'")
_DOUBLE = re.compile(r'"([^"$`\\!\x00-\x1f\x7f]*)"')
_SPACE = re.compile(r"[ \t]+")


class Plain(NamedTuple):
    """The words of one program, and the separator behind it; none behind the last."""

    words: tuple[str, ...]
    then: str = ""


def plain_commands(text: str) -> list[Plain] | None:
    """Each program that runs, in order; None where the text is more than plain."""
    text, commands, words = text.strip(" \t"), list[Plain](), list[str]()
    at = 0
    while at < len(text):
        if (found := _SEPARATOR.match(text, at)) is not None:
            if not words:
                return None
            commands.append(Plain(tuple(words), found.group(1)))
            words, at = [], found.end()
        elif (found := _SPACE.match(text, at) or _HARMLESS_REDIRECT.match(text, at)) is not None:
            at = found.end()
        elif (read := _word(text, at)) is not None:
            word, at = read
            words.append(word)
        else:
            return None
    return [*commands, Plain(tuple(words))] if words else None


def _word(text: str, at: int) -> tuple[str, int] | None:
    """One word from its pieces, and where it ends."""
    start, pieces = at, list[str]()
    if (home := _HOME.match(text, at)) is not None:
        pieces.append("~")
        at = home.end()
    while at < len(text):
        if (found := _BARE.match(text, at)) is not None:
            pieces.append(found.group())
        elif (found := _SINGLE.match(text, at) or _DOUBLE.match(text, at)) is not None:
            pieces.append(found.group(1))
        else:
            break
        at = found.end()
    word = "".join(pieces)
    is_odd = word.startswith("=") or "**" in text[start:at]  # zsh looks up a program, and into all folders below
    if at == start or is_odd or (at < len(text) and text[at] not in " \t;|&"):
        return None
    return word, at
