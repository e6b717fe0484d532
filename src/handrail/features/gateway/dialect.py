"""The error codes of servers' tools: contract 3's, and some that only other programs can cause."""

from handrail.kernel.dialect import CODES as COMMON
from handrail.kernel.dialect import Dialect, Envelope
from handrail.ports import errors
from handrail.ports.errors import Failure, Table, code_of

CODES: Table = {
    **COMMON,
    errors.Offline: "E_SERVER_OFFLINE",
    errors.BadAnswer: "E_SERVER_ANSWER",
    errors.Reported: "E_SERVER_REPORTED",
    errors.AuthRequired: "E_SIGN_IN",
}


def envelope(failure: Failure) -> Envelope:
    error: Envelope = {"code": code_of(failure, CODES), "message": failure.message}
    if failure.details:
        error["details"] = failure.details
    if failure.hint is not None:
        error["hint"] = failure.hint
    error["recoverable"], error["retryable"] = failure.recoverable, failure.retryable
    return {"error": error}


DIALECT = Dialect(CODES, envelope)
