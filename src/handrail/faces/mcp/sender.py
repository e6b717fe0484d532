"""Whose line was that? Read off its edges, for lines that must not be parsed whole."""

import re
from typing import NamedTuple

from handrail.faces.mcp.lines import TooLong

_EDGE = 4096
_STRING = rb'"[^"\\]{0,200}"'
_ID = rb'"id"\s*:\s*(?:-?\d{1,15}|' + _STRING + rb")"
_MEMBER = rb"(?:" + _ID + rb'|"(?:jsonrpc|method)"\s*:\s*' + _STRING + rb")"
# JSON strings can't hold a bare quote, so what is anchored at either end is the message's own.
_HEAD = re.compile(rb"\s*\{\s*(?:" + _MEMBER + rb"\s*,\s*)*")
_TAIL = re.compile(rb"(?:,\s*" + _MEMBER + rb"\s*)+\}\s*$")
_TOOL = re.compile(rb'"params"\s*:\s*\{(?:\s*"_meta"\s*:\s*\{[^{}]*\}\s*,)?\s*"name"\s*:\s*"([A-Za-z0-9_-]{1,64})"')
_ANSWER = re.compile(rb'"(?:result|error)"\s*:')


class Sender(NamedTuple):
    """`tool` is known when the line was a tool call. An answer to us is nobody's: its id is of our own numbers."""

    id: str | int | None
    tool: str | None


def sender_of(line: bytes | TooLong) -> Sender:
    head, tail = (line.head, line.tail) if isinstance(line, TooLong) else (line[:_EDGE], line[-_EDGE:])
    start = _HEAD.match(head)
    end = _TAIL.search(tail)
    own = (start.group() if start else b"") + b"," + (end.group() if end else b"")
    rest = head[start.end() if start else 0 :]
    if _ANSWER.match(rest):
        return Sender(None, None)
    return Sender(_id(own), _tool(own, rest))


def _id(own: bytes) -> str | int | None:
    found = re.search(rb'"id"\s*:\s*(?:(-?\d+)|"([^"]*)")', own)
    if found is None:
        return None
    return int(found[1]) if found[1] else found[2].decode(errors="replace")


def _tool(own: bytes, rest: bytes) -> str | None:
    if not re.search(rb'"method"\s*:\s*"tools/call"', own):
        return None
    named = _TOOL.match(rest)
    return named[1].decode() if named else None
