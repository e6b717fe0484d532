"""How browser tools spell errors: contract 2's action codes."""

from handrail.kernel.dialect import Dialect, Envelope
from handrail.ports import errors
from handrail.ports.browser_errors import CODES, action_code, details_of, refusal


def envelope(failure: errors.Failure) -> Envelope:
    """The error object of a browser tool."""
    details = details_of(failure)
    if failure.hint is not None:
        details["hint"] = failure.hint
    return refusal(action_code(failure), failure.message, details)


DIALECT = Dialect(CODES, envelope)
