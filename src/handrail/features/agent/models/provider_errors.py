"""Translates providers' errors to ours. Their own messages are dropped, because they may quote a part of the key.

Servers of the person's own are quoted, because their messages say what to do, such as to load a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic_ai import exceptions

from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Failure, Unsupported
from handrail.ports.model import Cut, NoModel, Overflow, RateLimited, WrongKey

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABOUT_PICTURES = re.compile(r"image|picture|vision|multi-?modal|mmproj", re.IGNORECASE)
_NOT_SUPPORTED = re.compile(r"support|multi-?modal|mmproj|unknown variant|text-only|endpoints", re.IGNORECASE)
_ABOUT_EFFORT = re.compile(r"reasoning|thinking|effort", re.IGNORECASE)
_RETRY_DELAY = re.compile(r"""retryDelay["']: ?["'](\d{1,6}(?:\.\d+)?)s["']""")
_REFUSALS = frozenset({400, 415, 422})
_OVERFLOW = re.compile(
    r"exceeds? (?:the )?(?:available )?context|exceed_context_size|context size has been exceeded|exceeded max context"
    r"|context length (?:of|is) only|context_length_exceeded|context ?window ?exceed|context (?:is )?full"
    r"|(?:longer|greater) than (?:the )?(?:model's )?(?:context|max_seq_len|maximum sequence)|n_keep \(\d+\) >= n_ctx"
    r"|prompt (?:is )?too long|input is too long|too large for (?:the )?model|too many tokens|tokens exceed"
    r"|maximum (?:context|prompt|model|allowed) length|exceeded model token limit|max_tokens must be at least 1, got -"
    r"|token count [^.]*exceeds the maximum|max_new_tokens` must be|context window of .{1,40} exceeded"
    r"|must have less than \d+ tokens|longer than the maximum number of tokens|tokens? \d+ > max|> context_window"
    r"|exceeds? the model's (?:maximum )?context|exceeds? n_ctx|n_ctx exceeded|kv cache (?:is )?full|context overflow"
    r"|(?:conversation|messages?|string) (?:is |are )?too long|range of input length|context shift is disabled"
    r"|reduce the length of (?:your|the) (?:prompt|input|messages)|max_total_tokens must be|(?:最大|超[过出]).*上下文",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"does(?: not|n't) support (?:\w+ with )?(?:tool|function)|support tool use|tool choice requires"
    r"|tools param requires|function calling is not enabled|unsupported parameter: .?tools"
    r"|(?:tools?|tool use|(?:tool|function)[ _](?:calling|choice))[`'\"]? (?:(?:is |are )?not|isn't|aren't) supported"
    r"|(?:tools?|calling) (?:is|are) unsupported|(?:no|not have) tool capability|not capable of (?:tool|function)"
    r"|tools (?:field )?(?:is |are )?not permitted|not permitted: tools",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"content[_ ]filter|content management policy|was flagged|flagged_input|usage polic|safety|content exists risk"
    r"|moderation|prohibited_content|data_inspection_failed|inappropriate content|sensitive (?:words?|content)"
    r"|responsible ai",
    re.IGNORECASE,
)
_LOADING = re.compile(r"loading model", re.IGNORECASE)
_ABOUT_SYSTEM = re.compile(
    r"system (?:role|message|prompt)s? (?:is |are )?not supported|roles must alternate", re.IGNORECASE
)
_ABOUT_MODEL = re.compile(r"model|endpoints", re.IGNORECASE)
_LONGEST_QUOTE = 300
_KEY_PART = 4
Quote = Callable[[exceptions.AgentRunError], str]
"""What the server itself said about an error; empty if that isn't shown."""


def no_quote(error: exceptions.AgentRunError) -> str:
    return ""


def server_words(error: exceptions.AgentRunError, key: str) -> str:
    """The server's message, unless it may contain a part of the key."""
    match getattr(error, "body", None):
        case (
            {"message": str(text)}
            | {"error": {"message": str(text)}}
            | {"error": str(text)}
            | {"detail": str(text)}
            | str(text)
        ):
            text = "".join(char if char.isprintable() else " " for char in text[:_LONGEST_QUOTE]).strip()
        case _:
            return ""
    parts = (key[:_KEY_PART], key[-_KEY_PART:]) if key else ()
    return "" if text.startswith("<") or any(part in text for part in parts) else text


def may_be_about_pictures(error: exceptions.AgentRunError) -> bool:
    """Whether an error may be about pictures: its text says so, or the provider gave no other reason."""
    other_reasons = exceptions.ModelContextWindowExceededError | exceptions.ModelAuthenticationError
    is_refusal = getattr(error, "status_code", None) in _REFUSALS and not isinstance(error, other_reasons)
    return is_refusal or bool(_ABOUT_PICTURES.search(_body(error)))


def takes_no_pictures(error: exceptions.AgentRunError) -> bool:
    """Whether the error means that the model accepts no pictures, rather than not this one."""
    return bool(_ABOUT_PICTURES.search(_body(error)) and _NOT_SUPPORTED.search(_body(error)))


def knows_no_effort(error: exceptions.AgentRunError) -> bool:
    """Whether the error is about the thinking effort: the model has no such setting, or not this value."""
    return getattr(error, "status_code", None) in _REFUSALS and bool(_ABOUT_EFFORT.search(_body(error)))


def needs_no_system_message(error: exceptions.AgentRunError) -> bool:
    """Whether the model's template has no place for a system message."""
    return bool(_ABOUT_SYSTEM.search(_body(error)))


def _body(error: exceptions.AgentRunError) -> str:
    return str(getattr(error, "body", ""))


@contextmanager
def translated_errors(name: str, quote: Quote) -> Iterator[None]:
    """Raises a provider's errors as ours."""
    try:
        yield
    except exceptions.AgentRunError as error:
        raise _translate(name, error, quote(error)) from None  # the provider's own message may quote a part of the key
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as fault:
        unexpected_error(f"the answer of {name}", fault)  # logs where its library failed
        raise _unreadable(name) from None


def _unreadable(name: str) -> Cut:
    return Cut(
        f"{name} sent an answer that can't be read.",
        hint="Check the server's address: it usually ends with /v1.",
    )


def _translate(name: str, error: exceptions.AgentRunError, quoted: str) -> Failure:
    body = _body(error)
    says = f": {quoted}" if quoted else "."
    look = "See the server's log." if quoted else "See the provider's status page."
    if isinstance(error, exceptions.ModelAPIError):
        # Local servers report these only in the text, and some of them with status 500.
        if _OVERFLOW.search(body):
            return Overflow(f"The conversation is longer than {name} can read.")
        if _NO_TOOLS.search(body):
            return NoModel(
                f"{name} can't call tools, or its server doesn't let it.",
                hint="Choose a model with tool calls. llama.cpp needs --jinja, vLLM --enable-auto-tool-choice.",
            )
        if _LOADING.search(body):
            return RateLimited(f"{name} is still loading.")
    if isinstance(error, exceptions.ContentFilterError) or _BLOCKED.search(body):
        return Unsupported(f"The safety filter of {name} blocked this.", hint="Rephrase it, or choose another model.")
    match error:
        case exceptions.ModelContextWindowExceededError() | exceptions.ModelHTTPError(status_code=413):
            return Overflow(f"The conversation is longer than {name} can read.")
        case exceptions.ModelRateLimitError() | exceptions.ModelOverloadedError():
            limited = RateLimited(f"{name} is refusing requests right now.")
            limited.details |= _retry_after(error)
            return limited
        case exceptions.ModelQuotaExceededError():
            return WrongKey(f"The account behind {name} has no credit left.", hint="See the provider's billing page.")
        case exceptions.ModelAuthenticationError():
            return WrongKey(f"{name} does not accept the key.", hint="Enter another one in Settings.")
        case exceptions.ModelNotFoundError():
            if quoted and not _ABOUT_MODEL.search(quoted):
                return NoModel(f"The server of {name} has no chat at this address, which usually ends with /v1{says}")
            return NoModel(f"The provider doesn't know the model {name}{says}", hint="Choose another one in Settings.")
        case exceptions.ModelServerError() | exceptions.ModelUnavailableError():
            return Cut(f"{name} has an internal problem right now{says}", hint=look)
        case (
            exceptions.ModelConnectionError()
            | exceptions.ModelRequestTimeout()
            | exceptions.ModelHTTPError(status_code=408)
        ):
            return Cut(f"The connection to {name} was cut.", hint="Check the address and the network.")
        case exceptions.ModelAPIError() if isinstance(error.__cause__, ValueError):
            return _unreadable(name)
        case exceptions.ModelAPIError():
            status = getattr(error, "status_code", None)
            message = f"{name} refused the request" + (f" with status {status}{says}" if status else says)
            return NoModel(message, hint=look)
        case _:
            return _unreadable(name)


def _retry_after(error: exceptions.AgentRunError) -> dict[str, float]:
    """How long to wait. Google reports it in the body, all others in a header."""
    seconds = getattr(error, "retry_after", None)
    if seconds is None and (match := _RETRY_DELAY.search(_body(error))) is not None:
        seconds = match[1]
    return {} if seconds is None else {"retryAfter": float(seconds)}
