"""The contract's messages: encodes requests, and reads replies with all their possible mistakes.

A reply that doesn't answer exactly this request is BadAnswer, which the dialect spells INTERNAL_ERROR.
"""

import secrets
from typing import Any

import msgspec

from handrail.features.apps.model import AppRequest
from handrail.kernel import strict_json
from handrail.ports.errors import BadAnswer, InvalidParams, Reported

VERSION = "1.0"
MAX_REPLY = 16 * 1024 * 1024
_LONGEST_MESSAGE = 2000
_RETRYABLE = frozenset({"TIMEOUT", "SERVICE_UNAVAILABLE"})


def request_for(tool: str, params: dict[str, Any]) -> AppRequest:
    return AppRequest(tool=tool, params=params, request_id=f"req_{secrets.token_hex(12)}")


def encode_request(request: AppRequest) -> bytes:
    return msgspec.json.encode(request)


def success_reply(request: AppRequest, result: Any) -> bytes:
    """For transports whose apps answer without an envelope."""
    return _reply(request, "success", result=result)


def error_reply(request: AppRequest, code: str, message: str) -> bytes:
    return _reply(request, "error", error={"code": code, "message": message})


def read_result(reply: bytes, request: AppRequest) -> Any:
    """Returns the app's result. Reported: the app's own error. BadAnswer: not an answer to this request."""
    try:
        message = strict_json.decode(reply, max_bytes=MAX_REPLY)
    except InvalidParams as failure:
        raise BadAnswer(f"The app's reply can't be read: {failure.message}") from None
    if not isinstance(message, dict):
        raise BadAnswer("The app's reply isn't a JSON object.")
    version = message.get("version")
    if not isinstance(version, str) or version.partition(".")[0] != VERSION.partition(".")[0]:
        raise BadAnswer("The app's reply doesn't have the version of this contract, 1.0.")
    if message.get("request_id") != request.request_id:
        raise BadAnswer("The app's reply has a different request_id than the request.")
    match message.get("status"):
        case "success":
            if "result" not in message:
                raise BadAnswer("The app's reply is a success without a result.")
            if message.get("error") is not None:
                raise BadAnswer("The app's reply is a success with an error.")
            return message["result"]
        case "error":
            raise _reported_error(message.get("error"))
        case other:
            raise BadAnswer(f"The app's reply has the status {str(other)[:50]!r}, which is neither success nor error.")


def _reported_error(error: Any) -> Reported:
    code, message = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, None)
    if not isinstance(code, str) or not code.strip() or not isinstance(message, str):
        raise BadAnswer("The app's reply is an error without code and message.")
    details = {"details": error["details"]} if isinstance(error.get("details"), dict) else {}
    return Reported(_shorten(message), code=code[:200], retryable=code in _RETRYABLE, **details)


def _reply(request: AppRequest, status: str, **outcome: Any) -> bytes:
    return msgspec.json.encode({"version": VERSION, "request_id": request.request_id, "status": status, **outcome})


def _shorten(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]} …"
