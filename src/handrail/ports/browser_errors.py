"""Contract 2's error codes of browser actions (§3.5), and the envelope of errors (§0.3)."""

from collections.abc import Awaitable, Mapping
from typing import Any

import msgspec

from handrail.ports import errors
from handrail.ports.errors import Table, code_of

CODES: Table = {
    errors.Failure: "INTERNAL",
    errors.InvalidParams: "BAD_REQUEST",
    errors.TooLarge: "BAD_REQUEST",
    errors.BadEncoding: "BAD_REQUEST",
    errors.Unsupported: "BAD_REQUEST",
    errors.OutsideRoot: "FORBIDDEN",
    errors.Declined: "FORBIDDEN",
    errors.AskedTooOften: "RATE_LIMITED",
    errors.Disabled: "FORBIDDEN",
    errors.NotFound: "NOT_FOUND",
    errors.Conflict: "CONFLICT",
    errors.Changed: "INVALID_TARGET",
    errors.Timeout: "UNAVAILABLE",
    errors.Aborted: "UNAVAILABLE",
    errors.Busy: "RATE_LIMITED",
    errors.Offline: "PLUGIN_OFFLINE",
    errors.PermissionMissing: "UNAVAILABLE",
    errors.Unacknowledged: "PLUGIN_TIMEOUT_ACK",
    errors.Unfinished: "PLUGIN_TIMEOUT_EXEC",
    errors.WrongTab: "INVALID_TASK_TAB",
    errors.TabClosed: "TASK_TAB_CLOSED",
    errors.BadAnswer: "SCHEMA_VALIDATION_FAILED",
    errors.Reported: "PLUGIN_ERROR",
    errors.AuthRequired: "FORBIDDEN",
}

RETRYABLE_CODES = frozenset(
    {
        "PLUGIN_OFFLINE",
        "PLUGIN_TIMEOUT_ACK",
        "PLUGIN_TIMEOUT_EXEC",
        "NAVIGATION_TIMEOUT",
        "ARTIFACT_UPLOAD_FAILED",
        "PAGE_PREP_FAILED",
        "CDP_UNAVAILABLE",
    }
)
"""With these codes, the same action may work later, unless the error says otherwise."""

_CONDITIONS: dict[str, type[errors.Failure]] = {
    code: condition for condition, code in reversed(list(CODES.items())) if condition is not errors.Reported
}


def action_code(failure: errors.Failure) -> str:
    return failure.code if isinstance(failure, errors.Reported) else code_of(failure, CODES)


def pack_failure(failure: errors.Failure) -> dict[str, Any]:
    """The failure as JSON, from which `unpack_failure` makes the same failure in another process or later."""
    return {
        "condition": type(failure).__name__,
        "code": action_code(failure),
        "message": failure.message,
        "retryable": failure.retryable,
        "hint": failure.hint,
        "details": failure.details,
    }


def unpack_failure(stored: Mapping[str, Any]) -> errors.Failure:
    """A condition that this version doesn't know keeps its code; version 0.1 stored only the code."""
    code, hint, is_retryable = stored["code"], stored.get("hint"), stored.get("retryable", False)
    condition = getattr(errors, stored["condition"], None) if "condition" in stored else _CONDITIONS.get(code)
    failure = None if condition in (None, errors.Reported) else condition(stored["message"], hint=hint)
    if failure is None:
        failure = errors.Reported(stored["message"], code=code, retryable=is_retryable, hint=hint)
    failure.retryable = is_retryable
    failure.details = dict(stored.get("details") or {})
    return failure


async def answer_with(work: Awaitable[Any]) -> dict[str, Any]:
    """An answer for another server: the result, or the Failure that was raised. `result_in` reads it there."""
    try:
        return {"data": msgspec.to_builtins(await work)}
    except errors.Failure as failure:
        return {"failure": pack_failure(failure)}


def result_in(answer: Mapping[str, Any]) -> Any:
    """Returns the result of such an answer, or raises its Failure."""
    if "failure" in answer:
        raise unpack_failure(answer["failure"])
    return answer["data"]


def error_envelope(code: str, message: str, details: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"ok": False, "error": {"code": code, "message": message, "details": details or {}}}


def error_details(failure: errors.Failure) -> dict[str, Any]:
    details: dict[str, Any] = {"retryable": failure.retryable}
    if field_errors := failure.details.get("fieldErrors"):
        details["fieldErrors"] = field_errors
    if context := {key: value for key, value in failure.details.items() if key != "fieldErrors"}:
        details["context"] = context
    return details
