"""Parses the plain part of shell syntax: words, quotes, `;`, `&&`, `||`, `|` and a few redirects.

This is a second parser beside the full grammar (`syntax.py`). A command runs without approval only if it is this plain
and both parsers find the same words: then a difference between a grammar and the shell can't hide a program.
"""

import re
from typing import NamedTuple

_SEPARATOR = re.compile(r"[ \t]*(&&|\|\||;|\|)[ \t]*")
_HARMLESS_REDIRECT = re.compile(r"(?:2>&1|[12]?>[ \t]*/dev/null|&>[ \t]*/dev/null)(?=[ \t;|&]|$)")
_BARE = re.compile(r"[A-Za-z0-9_./:@%+,=*?^-]+")
_HOME = re.compile(r"~(?=[/ \t;|&]|$)")
"""With other words after it, `~` names other folders, such as another user's."""
_SINGLE = re.compile(r"'([^'\x00-\x1f\x7f]*)'")
_DOUBLE = re.compile(r'"([^"$`\\!\x00-\x1f\x7f]*)"')
_SPACE = re.compile(r"[ \t]+")


class PlainCommand(NamedTuple):
    """The words of one program, and the separator after it (empty after the last one)."""

    words: tuple[str, ...]
    separator: str = ""


def parse_plain_commands(text: str) -> list[PlainCommand] | None:
    """Returns each program that runs, in order; None if the text is more than plain."""
    text, commands, words = text.strip(" \t"), list[PlainCommand](), list[str]()
    index = 0
    while index < len(text):
        if (match := _SEPARATOR.match(text, index)) is not None:
            if not words:
                return None
            commands.append(PlainCommand(tuple(words), match.group(1)))
            words, index = [], match.end()
        elif (match := _SPACE.match(text, index) or _HARMLESS_REDIRECT.match(text, index)) is not None:
            index = match.end()
        elif (word_and_end := _word(text, index)) is not None:
            word, index = word_and_end
            words.append(word)
        else:
            return None
    return [*commands, PlainCommand(tuple(words))] if words else None


def _word(text: str, index: int) -> tuple[str, int] | None:
    """Returns the word that begins here and the index after it."""
    start, pieces = index, list[str]()
    if (home := _HOME.match(text, index)) is not None:
        pieces.append("~")
        index = home.end()
    while index < len(text):
        if (match := _BARE.match(text, index)) is not None:
            pieces.append(match.group())
        elif (match := _SINGLE.match(text, index) or _DOUBLE.match(text, index)) is not None:
            pieces.append(match.group(1))
        else:
            break
        index = match.end()
    word = "".join(pieces)
    is_zsh_syntax = (
        word.startswith("=") or "**" in text[start:index]
    )  # for zsh these are a program lookup and a recursive glob
    if index == start or is_zsh_syntax or (index < len(text) and text[index] not in " \t;|&"):
        return None
    return word, index
