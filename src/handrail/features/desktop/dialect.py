"""Spells errors as contract 1 does: its error codes and its error object."""

from typing import Any

from handrail.features.desktop.host import conditions
from handrail.kernel.dialect import Dialect, Envelope
from handrail.ports import errors
from handrail.ports.errors import Table, code_of

CODES: Table = {
    errors.Failure: "DESKTOP_INTERNAL_ERROR",
    errors.InvalidParams: "DESKTOP_INVALID_REQUEST",
    errors.TooLarge: "DESKTOP_INVALID_REQUEST",
    errors.BadEncoding: "DESKTOP_INVALID_REQUEST",
    errors.Unsupported: "DESKTOP_INVALID_REQUEST",
    errors.OutsideRoot: "DESKTOP_WORKSPACE_FORBIDDEN",
    errors.NotFound: "DESKTOP_ELEMENT_NOT_FOUND",
    errors.Changed: "DESKTOP_ELEMENT_NOT_FOUND",
    errors.Declined: "DESKTOP_CONFIRM_REQUIRED",
    errors.Timeout: "DESKTOP_TIMEOUT",
    errors.Aborted: "DESKTOP_ABORTED",
    errors.Busy: "DESKTOP_HOST_NOT_READY",
    errors.Offline: "DESKTOP_HOST_NOT_READY",
    errors.PermissionMissing: "DESKTOP_PERMISSION_MISSING",
    conditions.AnchorNotFound: "DESKTOP_ANCHOR_NOT_FOUND",
    conditions.PathNotFound: "DESKTOP_PATH_NOT_FOUND",
    conditions.ModalBlocking: "DESKTOP_MODAL_BLOCKING",
    conditions.CallerNotAllowed: "DESKTOP_CALLER_NOT_ALLOWED",
}


def code(failure: errors.Failure) -> str:
    return code_of(failure, CODES)


def error_object(failure: errors.Failure) -> Envelope:
    """Returns the `error` of an answer. The contract has no member for the hint, so it goes into `details`."""
    details: dict[str, Any] = dict(failure.details)
    if failure.hint is not None:
        details["hint"] = failure.hint
    return {
        "code": failure.code if isinstance(failure, errors.Reported) else code(failure),
        "message": failure.message,
        "retryable": failure.retryable,
        "details": details,
    }


def envelope(failure: errors.Failure) -> Envelope:
    """Returns the error envelope of a desktop tool."""
    return {"error": error_object(failure)}


DIALECT = Dialect(CODES, envelope)
