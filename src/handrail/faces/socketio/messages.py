"""Decodes and builds what all Socket.IO messages have in common (contract 2 §0, §3)."""

import secrets
from collections.abc import Mapping
from typing import Any

from handrail.faces.http.headers import is_visible
from handrail.ports.browser import PROTOCOL
from handrail.ports.errors import Conflict, Declined, Failure, InputOutput, Internal, InvalidParams

Ack = dict[str, Any]

OK: Ack = {"ok": True}
_PAGE_CODES: Mapping[type[Failure], str] = {Conflict: "CONFLICT", Declined: "FORBIDDEN"}


def decode_message(data: tuple[Any, ...]) -> dict[str, Any]:
    """The one object that was sent, after a check of its protocol version."""
    if len(data) != 1 or not isinstance(data[0], dict):
        raise InvalidParams("A message must be one object.")
    message = data[0]
    version = message.get("v", PROTOCOL)
    if type(version) is not int or version != PROTOCOL:
        raise InvalidParams(f"`v` must be {PROTOCOL}, the only supported version of the protocol.")
    return message


def error_ack(failure: Failure) -> Ack:
    """The error acknowledgement; its code distinguishes our own faults from invalid messages."""
    code = "INTERNAL" if isinstance(failure, Internal | InputOutput) else "BAD_REQUEST"
    return {"ok": False, "error": {"code": code, "message": failure.message}}


def page_error_ack(failure: Failure) -> Ack:
    """As `error_ack`, with further codes for valid messages at the wrong moment or from the wrong sender."""
    ack = error_ack(failure)
    if (code := next((code for kind, code in _PAGE_CODES.items() if isinstance(failure, kind)), None)) is not None:
        ack["error"]["code"] = code
    return ack


def text(message: dict[str, Any], name: str, most: int = 256) -> str:
    value = message.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= most:
        raise InvalidParams(f"`{name}` must be a text of 1 to {most} characters.")
    return value


def optional_text(message: dict[str, Any], name: str, most: int = 1024) -> str:
    return text(message, name, most) if message.get(name) not in (None, "") else ""


def trace_of(message: dict[str, Any]) -> str | None:
    """The trace id; an invalid one is dropped, so that tracing never breaks a message."""
    trace_id = message.get("traceId")
    return trace_id if isinstance(trace_id, str) and is_visible(trace_id) else None


def new_id(kind: str) -> str:
    return f"{kind}-{secrets.token_hex(8)}"


def event_envelope(task_id: str, now: int, event: dict[str, Any], trace_id: str | None = None) -> dict[str, Any]:
    """`frontend_event`: every event for a page has the same envelope."""
    inner = {"id": new_id("evt"), "timestamp": now, **event}
    envelope: dict[str, Any] = {
        "v": PROTOCOL,
        "type": "event",
        "id": new_id("env"),
        "taskId": task_id,
        "timestamp": now,
        "event": inner,
    }
    if trace_id is not None:
        envelope["traceId"] = trace_id
    return envelope
