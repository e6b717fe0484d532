"""What the host refuses, as a condition of the error tree again; a code that we don't know passes through."""

from typing import Any

from handrail.features.desktop.dialect import CODES
from handrail.ports.errors import Failure, Internal, NotReady, Reported

_CONDITIONS: dict[str, type[Failure]] = {
    **{code: condition for condition, code in reversed(list(CODES.items()))},
    "DESKTOP_HOST_NOT_READY": NotReady,
}


def failure_of(error: Any) -> Failure:
    """`error` is the member of an answer, or whatever stands there."""
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        return Internal("The desktop's host gave an answer that makes no sense.")
    code, message, retryable = error["code"], str(error.get("message", "")), error.get("retryable") is True
    details = dict(error["details"]) if isinstance(error.get("details"), dict) else {}
    hint = details.pop("hint", None)
    condition = _CONDITIONS.get(code)
    failure = condition(message, hint=hint) if condition is not None else None
    if failure is None or failure.retryable != retryable:
        failure = Reported(message, code=code, retryable=retryable, hint=hint)
    failure.details = details
    return failure
