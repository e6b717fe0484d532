"""Answers a message that can't be parsed: with the contract's own error code if it was a tool call.

The request's id and tool are taken from the beginning and end of the message.
"""

import re
from typing import Any

from handrail.faces.mcp.protocol import INVALID_REQUEST, PARSE_ERROR
from handrail.faces.mcp.server import error_result
from handrail.kernel.gate import Gate
from handrail.kernel.line_framer import LongLine
from handrail.kernel.registry import UnknownTool
from handrail.kernel.strict_json import NotJson
from handrail.ports.errors import Failure

_EDGE = 4096
_STRING = rb'"[^"\\]{0,200}"'
_ID = rb'"id"\s*:\s*(?:-?\d{1,15}|' + _STRING + rb")"
_MEMBER = rb"(?:" + _ID + rb'|"(?:jsonrpc|method)"\s*:\s*' + _STRING + rb")"
# JSON strings can't contain a bare quote, so members that are anchored at either end belong to the message itself.
_HEAD = re.compile(rb"\s*\{\s*(?:" + _MEMBER + rb"\s*,\s*)*")
_TAIL = re.compile(rb"(?:,\s*" + _MEMBER + rb"\s*)+\}\s*$")
_TOOL = re.compile(rb'"params"\s*:\s*\{(?:\s*"_meta"\s*:\s*\{[^{}]*\}\s*,)?\s*"name"\s*:\s*"([A-Za-z0-9_-]{1,64})"')
_ANSWER = re.compile(rb'"(?:result|error)"\s*:')


def refusal(gate: Gate, message: bytes | LongLine, failure: Failure) -> dict[str, Any]:
    id, tool = _id_and_tool(message)
    if tool is not None:
        try:
            return {"jsonrpc": "2.0", "id": id, "result": error_result(gate, tool, failure)}
        except UnknownTool:
            pass
    code = PARSE_ERROR if isinstance(failure, NotJson) else INVALID_REQUEST
    return rpc_error(id, code, failure.message)


def rpc_error(request: str | int | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request, "error": {"code": code, "message": message}}


def _id_and_tool(message: bytes | LongLine) -> tuple[str | int | None, str | None]:
    """The id, and the tool of a tool call. Both are None for an answer, whose id is one of our own numbers."""
    if isinstance(message, LongLine):
        head, tail = message.head, message.tail
    else:
        head, tail = message[:_EDGE], message[-_EDGE:]
    start, end = _HEAD.match(head), _TAIL.search(tail)
    members = (start.group() if start else b"") + b"," + (end.group() if end else b"")
    after_head = head[start.end() if start else 0 :]
    if _ANSWER.match(after_head):
        return None, None
    id = re.search(rb'"id"\s*:\s*(?:(-?\d+)|"([^"]*)")', members)
    tool = _TOOL.match(after_head) if re.search(rb'"method"\s*:\s*"tools/call"', members) else None
    number_or_text = None if id is None else int(id[1]) if id[1] else id[2].decode(errors="replace")
    return number_or_text, None if tool is None else tool[1].decode()
