"""Builds HTTP answers: `{ok: true, data}`, or contract 2's error envelope with its codes and statuses (§0.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.responses import Response

from handrail.kernel.dialect import Dialect, Envelope
from handrail.ports import errors
from handrail.ports.browser_errors import action_code, error_details, error_envelope
from handrail.ports.errors import Failure

# HTTP codes for the error codes of actions; any other code of a plugin is UNAVAILABLE.
HTTP_CODES = {
    "PLUGIN_OFFLINE": "UNAVAILABLE",
    "PLUGIN_TIMEOUT_ACK": "UNAVAILABLE",
    "PLUGIN_TIMEOUT_EXEC": "UNAVAILABLE",
    "PLUGIN_ERROR": "UNAVAILABLE",
    "INVALID_TASK_TAB": "NOT_FOUND",
    "INVALID_TARGET": "NOT_FOUND",
    "TASK_TAB_CLOSED": "NOT_FOUND",
    "CDP_UNAVAILABLE": "UNAVAILABLE",
    "CDP_PERMISSION_DENIED": "FORBIDDEN",
    "PAGE_PREP_FAILED": "UNAVAILABLE",
    "READABILITY_TOO_LARGE": "BAD_REQUEST",
    "ARTIFACT_UPLOAD_FAILED": "UNAVAILABLE",
    "NAVIGATION_TIMEOUT": "UNAVAILABLE",
    "SCHEMA_VALIDATION_FAILED": "UNAVAILABLE",
}

STATUS = {
    "BAD_REQUEST": 400,
    "UNAUTHORIZED": 401,
    "FORBIDDEN": 403,
    "NOT_FOUND": 404,
    "CONFLICT": 409,
    "RATE_LIMITED": 429,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
}


def http_code(failure: errors.Failure) -> str:
    code = action_code(failure)
    return code if code in STATUS else HTTP_CODES.get(code, "UNAVAILABLE")


def http_status(failure: errors.Failure) -> int:
    return 410 if isinstance(failure, errors.Gone) else STATUS[http_code(failure)]


def http_envelope(failure: errors.Failure) -> Envelope:
    return error_envelope(http_code(failure), failure.message, error_details(failure))


def success(data: Any, notes: Sequence[str] = ()) -> Response:
    """`notes` are remarks about the data, for example what was left out."""
    return _json({"ok": True, "data": data, **({"notes": list(notes)} if notes else {})}, 200)


def failed(failure: Failure, dialect: Dialect | None = None, *, exact: Mapping[str, Any] | None = None) -> Response:
    """With the tool's `dialect`, its error object, hint included, goes into `details.toolError`.

    `exact` is the complete failure, for other processes of handrail.
    """
    body = http_envelope(failure)
    error = body["error"]
    if dialect is not None:
        error["details"]["toolError"] = dialect.envelope(failure)["error"]
    elif failure.hint is not None:
        error["message"] += f" {failure.hint}"
    if exact is not None:
        error["details"]["failure"] = exact
    return _json(body, http_status(failure))


def refused(
    code: str, message: str, *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    return _json(error_envelope(code, message), status or STATUS[code], headers)


def client_gone() -> Response:
    """For a client that has disconnected: a handler must return a response, but it won't be read."""
    return Response(status_code=499)


def _json(body: Any, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(body), status, headers, "application/json")
