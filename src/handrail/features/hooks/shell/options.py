"""Splits a program's words into operands and options, where all its options are known."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_NUMBER = re.compile(r"-\d+")


class Options(NamedTuple):
    """`short` letters without a value, `valued` ones with a value (attached or the next word), `long` names.

    A `long` name may have a value behind `=`; one of `long_valued` takes the next word where it has none. `files` are
    options, short or long, whose value is a file.
    """

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()


def split_options(options: Options, words: Sequence[str]) -> tuple[list[str], set[str], list[str]] | None:
    """Operands, options that are set, and files named by options; None where an option isn't known."""
    operands, given, files = list[str](), set[str](), list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return operands + rest, given, files
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif word.startswith("--"):
            name, has_value, value = word.partition("=")
            if name not in options.long:
                return None
            given.add(name)
            if name in options.long_valued or name in options.files:
                if not has_value and (not rest or rest[0].startswith("-")):
                    return None
                value = value if has_value else rest.pop(0)
            if name in options.files:
                files.append(value)
        elif _NUMBER.fullmatch(word) and "0" in options.short:
            continue
        else:
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                given.add(f"-{letter}")
                if letter in options.valued:
                    if not letters and not rest:
                        return None
                    if not letters and rest[0].startswith("-"):
                        return None  # who takes it for an option of its own would be right as often
                    value, letters = letters or rest.pop(0), ""
                    if f"-{letter}" in options.files:
                        files.append(value)
                elif letter not in options.short:
                    return None
    return operands, given, files


def names(text: str) -> frozenset[str]:
    """As tables write them: one behind the other."""
    return frozenset(text.split())


def long_names(text: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in text.split())
