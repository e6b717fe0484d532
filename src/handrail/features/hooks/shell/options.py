"""Splits a program's words into operands and options if all its options are known."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBER = re.compile(r"-\d+")


class Options(NamedTuple):
    """`short` are letters without a value, `valued` letters with one (attached or the next word), `long` names.

    A `long` name may have a value after `=`; without one, those in `long_valued` take the next word. `files` are short
    or long options whose value is a file.
    """

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()


def split_options(options: Options, words: Sequence[str]) -> tuple[list[str], set[str], list[str]] | None:
    """Returns operands, options, and files named by options; None if an option isn't known."""
    operands, flags, files = list[str](), set[str](), list[str]()
    remaining = list(words)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            return operands + remaining, flags, files
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            name, has_value, value = word.partition("=")
            if name not in options.long:
                return None
            flags.add(name)
            if name in options.long_valued or name in options.files:
                if not has_value and (not remaining or remaining[0].startswith("-")):
                    return None
                value = value if has_value else remaining.pop(0)
            if name in options.files:
                files.append(value)
        elif _NUMBER.fullmatch(word) and "0" in options.short:
            continue
        else:
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                flags.add(f"-{letter}")
                if letter in options.valued:
                    if not letters and not remaining:
                        return None
                    if not letters and remaining[0].startswith("-"):
                        return None  # some programs parse this word as an option of its own
                    value, letters = letters or remaining.pop(0), ""
                    if f"-{letter}" in options.files:
                        files.append(value)
                elif letter not in options.short:
                    return None
    return operands, flags, files


def names(text: str) -> frozenset[str]:
    """Splits a list as it is written in tables."""
    return frozenset(text.split())


def long_names(text: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in text.split())
