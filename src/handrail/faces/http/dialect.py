"""Contract 2 over HTTP: a smaller set of codes than actions have, with their statuses (§0.3).

A tool speaks of the action: `PLUGIN_OFFLINE` is `UNAVAILABLE` here.
"""

from handrail.kernel.dialect import Envelope
from handrail.ports import errors
from handrail.ports.browser_errors import action_code, details_of, refusal

# Codes of actions, ours and plugins', and what HTTP says for them; any other code of a plugin's is UNAVAILABLE.
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
    return refusal(http_code(failure), failure.message, details_of(failure))
