"""Replaces every match in a text: in a thread for small texts, as a child process for large ones.

As a program it reads one task from stdin and writes the answer to stdout. It imports nothing from handrail, so that it
starts fast.
"""

import re
import struct
import sys
from collections.abc import Callable
from typing import Any

MAX_RESULT = 64 * 1024 * 1024
TOO_LARGE = 3  # the child's exit status
_REFERENCE = re.compile(rb"\$(?:(?P<sign>[$&`'])|(?P<number>[0-9]{1,2}))")
_REFERENCE_OR_NAME = re.compile(_REFERENCE.pattern + rb"|\$<(?P<name>[^>]*)>")
_LENGTH = struct.Struct("<Q")
MARKS = tuple(chr(code).encode() for code in range(0x10FFFC, 0x110000))
"""Stand for line ends in a marked text, each between two `\\n`; `javascript_regex.py` explains why."""


def compile_pattern(pattern: bytes) -> Any:
    import re2  # takes 12 ms, and few tools need it

    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern, options)


def replace_matches(regex: Any, text: bytes, replacement: bytes) -> tuple[bytes, int] | None:
    """Returns the result and the number of matches, or None if the result would be too large."""
    result = bytearray()
    end = count = 0
    last = None
    for match in regex.finditer(text):
        if _is_inside_character(text, match.start()) or _is_inside_character(text, match.end()):
            continue
        if match.start() == match.end() and _is_inside_mark(text, match.start()):
            continue
        if match.span() == last:
            continue  # RE2 reports an empty match twice unless it is where the search began
        last = match.span()
        result += text[end : match.start()]
        result += _expand(replacement, match)
        if len(result) > MAX_RESULT:
            return None
        end = match.end()
        count += 1
    result += text[end:]
    return bytes(result), count


def _is_inside_character(text: bytes, at: int) -> bool:
    """RE2 steps over empty matches byte by byte, so some are inside a UTF-8 sequence."""
    return at < len(text) and text[at] & 0b1100_0000 == 0b1000_0000


def _is_inside_mark(text: bytes, at: int) -> bool:
    return text[at : at + 4] in MARKS or text[at - 4 : at] in MARKS


def _expand(replacement: bytes, match: "re.Match[bytes]") -> bytes:
    """Expands references as JavaScript does. Without named groups, `$<name>` is text, like a number without a group."""
    names = match.re.groupindex

    def value(reference: re.Match[bytes]) -> bytes:
        if sign := reference["sign"]:
            return _SIGNS[sign](match)
        if (number := reference["number"]) is not None:
            expanded = _group_value(match, number)
            return reference.group() if expanded is None else expanded
        name: Any = reference["name"]
        return (match.group(name) or b"") if name in names or name.decode(errors="replace") in names else b""

    references = _REFERENCE_OR_NAME if names else _REFERENCE
    return references.sub(value, replacement) if b"$" in replacement else replacement


_SIGNS: "dict[bytes, Callable[[re.Match[bytes]], bytes]]" = {
    b"$": lambda match: b"$",
    b"&": lambda match: match.group(),
    b"`": lambda match: match.string[: match.start()],
    b"'": lambda match: match.string[match.end() :],
}


def _group_value(match: "re.Match[bytes]", number: bytes) -> bytes | None:
    """Returns the group's text: `$12` is group 12, or group 1 followed by a 2 if there are fewer groups."""
    groups = match.re.groups
    if 1 <= int(number) <= groups:
        return match.group(int(number)) or b""
    if len(number) == 2 and 1 <= int(number[:1]) <= groups:
        return (match.group(int(number[:1])) or b"") + number[1:]
    return None


def pack(*parts: bytes) -> bytes:
    return b"".join(_LENGTH.pack(len(part)) + part for part in parts)


def unpack(data: bytes) -> list[bytes]:
    parts, at = [], 0
    while at < len(data):
        (length,) = _LENGTH.unpack_from(data, at)
        at += _LENGTH.size
        parts.append(data[at : at + length])
        at += length
    return parts


if __name__ == "__main__":
    _pattern, _replacement, _text = unpack(sys.stdin.buffer.read())
    _result = replace_matches(compile_pattern(_pattern), _text, _replacement)
    if _result is None:
        sys.exit(TOO_LARGE)
    sys.stdout.buffer.write(pack(_result[0], b"%d" % _result[1]))
