"""The browser tools' errors, with contract 2's action codes."""

from handrail.kernel.dialect import Dialect, Envelope
from handrail.ports import errors
from handrail.ports.browser_errors import CODES, action_code, error_details, error_envelope


def envelope(failure: errors.Failure) -> Envelope:
    """The error object of a browser tool."""
    details = error_details(failure)
    if failure.hint is not None:
        details["hint"] = failure.hint
    return error_envelope(action_code(failure), failure.message, details)


DIALECT = Dialect(CODES, envelope)
