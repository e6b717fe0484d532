"""JSON-RPC 2.0 as contract 1 defines it: one text per line, string ids, object params, no batch, no notification."""

from dataclasses import dataclass
from typing import Any

import msgspec

from handrail.kernel import strict_json
from handrail.ports.errors import Failure, InvalidParams

LONGEST_LINE = 8 * 1024 * 1024
LONGEST_ID = 256
_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})

Id = str | int | float | None


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    method: str
    params: dict[str, Any]


class BadMessage(Exception):
    """An invalid message, and the id to answer to; None if it has no valid id."""

    def __init__(self, id: Id, failure: Failure) -> None:
        super().__init__(failure.message)
        self.id = id
        self.failure = failure


def decode(line: bytes) -> Message:
    try:
        value = strict_json.decode(line, max_bytes=LONGEST_LINE)
    except InvalidParams as failure:
        raise BadMessage(None, failure) from None
    if isinstance(value, list):
        raise _bad(None, "Batches are not supported; send one request per line.")
    if not isinstance(value, dict):
        raise _bad(None, "A request must be an object.")
    id = value.get("id")
    reply_id = id if _can_be_echoed(id) else None
    if value.get("jsonrpc") != "2.0":
        raise _bad(reply_id, 'jsonrpc: must be "2.0".', field="jsonrpc")
    if not isinstance(id, str):
        words = "must be a string" if "id" in value else "is missing: a notification would never be answered"
        raise _bad(reply_id, f"id: {words}.", field="id")
    if not id or len(id) > LONGEST_ID:
        raise _bad(reply_id, f"id: must have 1 to {LONGEST_ID} characters.", field="id")
    if unknown := value.keys() - _MEMBERS:
        name = min(unknown)[:100]
        raise _bad(id, f"{name}: unknown member of a request.", field=name)
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str) or not method:
        raise _bad(id, "method: must be a string.", field="method")
    if not isinstance(params, dict):
        raise _bad(id, "params: must be an object.", field="params")
    return Message(id, method, params)


def too_long() -> BadMessage:
    return _bad(None, f"A line is longer than {LONGEST_LINE} bytes.", maxBytes=LONGEST_LINE)


def success(id: str, result: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id, "result": result}) + b"\n"


def failure(id: Id, error: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"jsonrpc": "2.0", "id": id, "error": error}) + b"\n"


def _can_be_echoed(id: Any) -> bool:
    if isinstance(id, str):
        return len(id) <= LONGEST_ID
    return isinstance(id, int | float) and not isinstance(id, bool)


def _bad(id: Id, message: str, **details: Any) -> BadMessage:
    return BadMessage(id, InvalidParams(message, **details))
