"""The error codes of AAI (contract 4), and its error object. An app's own code is passed through."""

from typing import Any

from handrail.features.apps import model
from handrail.kernel import strict_json
from handrail.kernel.dialect import Dialect, Envelope
from handrail.ports import errors
from handrail.ports.errors import Table, code_of

CODES: Table = {
    errors.Failure: "INTERNAL_ERROR",
    errors.InvalidParams: "INVALID_PARAMS",
    strict_json.NotJson: "INVALID_REQUEST",
    errors.TooLarge: "INVALID_REQUEST",
    errors.BadEncoding: "INVALID_REQUEST",
    errors.Declined: "PERMISSION_DENIED",
    errors.Changed: "PERMISSION_DENIED",
    errors.Timeout: "TIMEOUT",
    errors.Offline: "SERVICE_UNAVAILABLE",
    errors.Busy: "SERVICE_UNAVAILABLE",
    errors.Disabled: "SERVICE_UNAVAILABLE",
    errors.Unsupported: "SERVICE_UNAVAILABLE",
    errors.PermissionMissing: "SERVICE_UNAVAILABLE",
    model.UnknownApp: "UNKNOWN_APP",
    model.UnknownAppTool: "UNKNOWN_TOOL",
    errors.AuthRequired: "AUTH_REQUIRED",
}


def envelope(failure: errors.Failure) -> Envelope:
    error: dict[str, Any] = {
        "code": failure.code if isinstance(failure, errors.Reported) else code_of(failure, CODES),
        "message": failure.message,
    }
    if failure.details:
        error["details"] = failure.details
    if failure.hint is not None:
        error["hint"] = failure.hint
    error["retryable"] = failure.retryable
    return {"error": error}


DIALECT = Dialect(CODES, envelope)
