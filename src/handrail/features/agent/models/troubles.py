"""A provider's troubles as our conditions. The provider's own words stay here: they may quote a part of the key."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic_ai import exceptions

from handrail.ports.errors import Failure
from handrail.ports.model import Cut, NoModel, Overflow, RateLimited, WrongKey

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_PICTURES = re.compile(r"image|picture|vision|multi-?modal|mmproj", re.IGNORECASE)
_TAKES_NONE = re.compile(r"support|multi-?modal|mmproj|unknown variant|text-only|endpoints", re.IGNORECASE)
_RETRY_DELAY = re.compile(r"""retryDelay["']: ?["'](\d{1,6}(?:\.\d+)?)s["']""")
_REFUSALS = frozenset({400, 415, 422})


def may_be_about_pictures(error: exceptions.AgentRunError) -> bool:
    """It says so, with whatever status servers choose, or was refused for no reason that has a name of its own."""
    named = exceptions.ModelContextWindowExceededError | exceptions.ModelAuthenticationError
    is_refusal = getattr(error, "status_code", None) in _REFUSALS and not isinstance(error, named)
    return is_refusal or bool(_OF_PICTURES.search(_words(error)))


def takes_no_pictures(error: exceptions.AgentRunError) -> bool:
    """Not this one alone: the model takes none at all."""
    return bool(_OF_PICTURES.search(_words(error)) and _TAKES_NONE.search(_words(error)))


def _words(error: exceptions.AgentRunError) -> str:
    return str(getattr(error, "body", ""))


@contextmanager
def conditions(name: str) -> Iterator[None]:
    try:
        yield
    except exceptions.AgentRunError as error:
        raise _condition(name, error) from None  # the provider's own words may quote a part of the key


def _condition(name: str, error: exceptions.AgentRunError) -> Failure:
    match error:
        case exceptions.ModelContextWindowExceededError() | exceptions.ModelHTTPError(status_code=413):
            return Overflow(f"The conversation is longer than {name} can read.")
        case exceptions.ModelRateLimitError() | exceptions.ModelOverloadedError():
            limited = RateLimited(f"{name} takes no more requests right now.")
            limited.details |= _patience(error)
            return limited
        case exceptions.ModelQuotaExceededError():
            return WrongKey(f"The account behind {name} has no credit left.", hint="See the provider's billing page.")
        case exceptions.ModelAuthenticationError():
            return WrongKey(f"{name} does not accept the key.", hint="Give another one in Settings.")
        case exceptions.ModelNotFoundError():
            return NoModel(f"The provider knows no model {name}.", hint="Choose another one in Settings.")
        case exceptions.ModelServerError() | exceptions.ModelUnavailableError():
            return Cut(f"{name} has a fault of its own right now.", hint="The provider's status page may tell more.")
        case exceptions.ModelConnectionError() | exceptions.ModelRequestTimeout():
            return Cut(f"The connection to {name} was cut.", hint="Is the address right, and the network there?")
        case exceptions.ModelAPIError():
            status = getattr(error, "status_code", None)
            told = f"{name} refused the request" + (f" with status {status}." if status else ".")
            return NoModel(told, hint="The provider's status page may tell more.")
        case _:
            return Cut(f"{name} sent an answer that makes no sense.")


def _patience(error: exceptions.AgentRunError) -> dict[str, float]:
    """Google tells it in the body, all others in a header."""
    seconds = getattr(error, "retry_after", None)
    if seconds is None and (told := _RETRY_DELAY.search(_words(error))) is not None:
        seconds = told[1]
    return {} if seconds is None else {"retryAfter": float(seconds)}
