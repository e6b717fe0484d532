"""A response of an HTTP app as the contract's reply. Its own envelope or error code passes through where it has one."""

from http import HTTPStatus
from typing import Any

from handrail.features.apps.calls.envelopes import MAX_REPLY, failure, success
from handrail.features.apps.model import AppRequest, AppTool
from handrail.kernel import strict_json
from handrail.ports.errors import InvalidParams

_CODES = {
    400: "INVALID_PARAMS",
    401: "AUTH_REQUIRED",
    403: "PERMISSION_DENIED",
    408: "TIMEOUT",
    422: "INVALID_PARAMS",
    429: "SERVICE_UNAVAILABLE",
    502: "SERVICE_UNAVAILABLE",
    503: "SERVICE_UNAVAILABLE",
    504: "TIMEOUT",
}
_LONGEST_QUOTE = 300


def reply_from(status: int, content_type: str, body: bytes, tool: AppTool, request: AppRequest) -> bytes:
    if tool.route is None and (200 <= status < 300 or _is_envelope(body)):
        return body
    if 200 <= status < 300:
        return success(request, _result(content_type, body))
    code, message = _told(body)
    words = f"The app answered {status} {_phrase(status)}"
    return failure(request, code or _CODES.get(status, "INTERNAL_ERROR"), f"{words}: {message}" if message else words)


def _result(content_type: str, body: bytes) -> Any:
    """JSON where it is JSON, whatever it is called; no content is null, and other text a string."""
    if not body.strip():
        return None
    try:
        return strict_json.decode(body, max_bytes=MAX_REPLY)
    except InvalidParams:
        if "json" in content_type:
            raise
        return body.decode(errors="replace")


def _told(body: bytes) -> tuple[str | None, str]:
    """The code and the words of an error, in the spellings that are in use."""
    try:
        message = strict_json.decode(body[:MAX_REPLY])
    except InvalidParams:
        return None, body[:_LONGEST_QUOTE].decode(errors="replace").strip()
    error = message.get("error", message) if isinstance(message, dict) else message
    if not isinstance(error, dict):
        return None, str(error)[:_LONGEST_QUOTE]
    code, words = error.get("code"), error.get("message", "")
    return code if isinstance(code, str) and code else None, str(words)[:_LONGEST_QUOTE]


def _is_envelope(body: bytes) -> bool:
    try:
        message = strict_json.decode(body, max_bytes=MAX_REPLY)
    except InvalidParams:
        return False
    return isinstance(message, dict) and {"version", "request_id", "status"} <= message.keys()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "(no status of HTTP)"
