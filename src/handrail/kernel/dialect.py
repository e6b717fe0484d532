"""How a wire spells errors: a table from conditions to codes, and the object around them. This one is contract 3's."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from handrail.ports import errors
from handrail.ports.errors import Failure, Table, code_of

Envelope = dict[str, Any]


class Dialect(NamedTuple):
    codes: Table
    envelope: Callable[[Failure], Envelope]


CODES: Table = {
    errors.Failure: "E_INTERNAL",
    errors.InvalidParams: "E_BAD_ARGS",
    errors.OutsideRoot: "E_DENY_PATH",
    errors.NotFound: "E_NOT_FOUND",
    errors.TooLarge: "E_TOO_LARGE",
    errors.BadEncoding: "E_ENCODING",
    errors.Damaged: "E_PARSE_FAIL",
    errors.NotClean: "E_LINT_FAIL",
    errors.Conflict: "E_CONFLICT",
    errors.NotShown: "E_PREVIEW_FAIL",
    errors.Declined: "E_POLICY_VIOLATION",
    errors.Disabled: "E_TOOL_DISABLED",
    errors.Unsupported: "E_UNSUPPORTED",
    errors.Timeout: "E_TIMEOUT",
    errors.Aborted: "E_TIMEOUT",
    errors.InputOutput: "E_IO",
}

_CONDITIONS: dict[str, type[errors.Failure]] = {
    code: condition for condition, code in reversed(list(CODES.items())) if condition is not errors.Failure
}


def failure_of(error: Mapping[str, Any]) -> errors.Failure:
    """The condition from another handrail process's error object. KeyError: it isn't an error object."""
    condition = _CONDITIONS.get(error["code"], errors.Internal)
    failure = condition(error["message"], hint=error.get("hint"))
    failure.details = error.get("details", {})
    return failure


def envelope(failure: errors.Failure) -> Envelope:
    error: dict[str, Any] = {"code": code_of(failure, CODES), "message": failure.message}
    if failure.details:
        error["details"] = failure.details
    if failure.hint is not None:
        error["hint"] = failure.hint
    error["recoverable"] = failure.recoverable
    return {"error": error}


DIALECT = Dialect(CODES, envelope)
