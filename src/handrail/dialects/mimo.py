"""Contract 2 §0.3: HTTP codes, statuses and the `ok` envelope."""

from typing import Any

from handrail.contract import errors
from handrail.dialects.spelling import Envelope, Table, code_of

CODES: Table = {
    errors.Failure: "INTERNAL",
    errors.InvalidParams: "BAD_REQUEST",
    errors.TooLarge: "BAD_REQUEST",
    errors.BadEncoding: "BAD_REQUEST",
    errors.Unsupported: "BAD_REQUEST",
    errors.OutsideRoot: "FORBIDDEN",
    errors.Declined: "FORBIDDEN",
    errors.Disabled: "FORBIDDEN",
    errors.NotFound: "NOT_FOUND",
    errors.Conflict: "CONFLICT",
    errors.Timeout: "UNAVAILABLE",
    errors.Aborted: "UNAVAILABLE",
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


def envelope(failure: errors.Failure) -> Envelope:
    details: dict[str, Any] = {"retryable": failure.retryable}
    if field_errors := failure.details.get("fieldErrors"):
        details["fieldErrors"] = field_errors
    if context := {key: value for key, value in failure.details.items() if key != "fieldErrors"}:
        details["context"] = context
    return refusal(code_of(failure, CODES), failure.message, details)


def refusal(code: str, message: str, details: dict[str, Any] | None = None) -> Envelope:
    return {"ok": False, "error": {"code": code, "message": message, "details": details or {}}}
