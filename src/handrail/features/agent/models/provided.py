"""A provider's model: streams replies and maps the provider's errors to ours. No key appears in any message."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import msgspec
from pydantic_ai import exceptions
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from handrail.features.agent.model_client import CHARACTERS_A_TOKEN, estimated_tokens
from handrail.features.agent.models.conversation import conversation, has_pictures, replied
from handrail.features.agent.models.written_calls import with_written_calls
from handrail.ports.errors import Failure, Unsupported
from handrail.ports.model import (
    Cut,
    Delta,
    Meter,
    NoModel,
    Overflow,
    Piece,
    RateLimited,
    Reply,
    Thought,
    ToolOffer,
    Turn,
    Usage,
    WrongKey,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as Provider
    from pydantic_ai.settings import ThinkingLevel


_OF_PICTURES = re.compile(r"image|picture|vision|multi-?modal|mmproj", re.IGNORECASE)
_TAKES_NONE = re.compile(r"support|multi-?modal|mmproj|unknown variant|text-only|endpoints", re.IGNORECASE)
_RETRY_DELAY = re.compile(r"""retryDelay["']: ?["'](\d{1,6}(?:\.\d+)?)s["']""")
_REFUSALS = frozenset({400, 415, 422})
_OVERFLOW = re.compile(
    r"exceeds? the (?:available )?context|exceed_context_size|greater than the context length|context length of only"
    r"|context_length_exceeded|prompt is too long|input is too long|maximum context length",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"does not support tools|support tool use|tool choice requires|tools param requires"
    r"|tools? (?:is|are) not supported",
    re.IGNORECASE,
)
_BLOCKED = re.compile(
    r"content[_ ]filter|content management policy|was flagged|flagged_input|usage polic|safety", re.IGNORECASE
)
_LOADING = re.compile(r"loading model", re.IGNORECASE)


def may_be_about_pictures(error: exceptions.AgentRunError) -> bool:
    """Whether an error may be about pictures: it says so, or the provider gave no known reason."""
    named = exceptions.ModelContextWindowExceededError | exceptions.ModelAuthenticationError
    is_refusal = getattr(error, "status_code", None) in _REFUSALS and not isinstance(error, named)
    return is_refusal or bool(_OF_PICTURES.search(_words(error)))


def takes_no_pictures(error: exceptions.AgentRunError) -> bool:
    """Whether the error means that the model takes no pictures at all, rather than not this one."""
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
    words = _words(error)
    if isinstance(error, exceptions.ModelAPIError):
        # Local servers say these only in their words, and some of them as a fault of their own.
        if _OVERFLOW.search(words):
            return Overflow(f"The conversation is longer than {name} can read.")
        if _NO_TOOLS.search(words):
            return NoModel(
                f"{name} can't call tools, or its server doesn't let it.",
                hint="Choose a model with tool calls. llama.cpp needs --jinja, vLLM --enable-auto-tool-choice.",
            )
        if _LOADING.search(words):
            return RateLimited(f"{name} is still being loaded.")
    if isinstance(error, exceptions.ContentFilterError) or _BLOCKED.search(words):
        return Unsupported(
            f"The safety filter of {name} blocked this.", hint="Say it in other words, or choose another model."
        )
    match error:
        case exceptions.ModelContextWindowExceededError() | exceptions.ModelHTTPError(status_code=413):
            return Overflow(f"The conversation is longer than {name} can read.")
        case exceptions.ModelRateLimitError() | exceptions.ModelOverloadedError():
            limited = RateLimited(f"{name} is refusing requests right now.")
            limited.details |= _patience(error)
            return limited
        case exceptions.ModelQuotaExceededError():
            return WrongKey(f"The account behind {name} has no credit left.", hint="See the provider's billing page.")
        case exceptions.ModelAuthenticationError():
            return WrongKey(f"{name} does not accept the key.", hint="Give another one in Settings.")
        case exceptions.ModelNotFoundError():
            return NoModel(f"The provider knows no model {name}.", hint="Choose another one in Settings.")
        case exceptions.ModelServerError() | exceptions.ModelUnavailableError():
            return Cut(f"{name} has an internal problem right now.", hint="The provider's status page may tell more.")
        case exceptions.ModelConnectionError() | exceptions.ModelRequestTimeout():
            return Cut(f"The connection to {name} was cut.", hint="Is the address right, and the network there?")
        case exceptions.ModelAPIError():
            status = getattr(error, "status_code", None)
            told = f"{name} refused the request" + (f" with status {status}." if status else ".")
            return NoModel(told, hint="The provider's status page may tell more.")
        case _:
            return Cut(
                f"{name} sent an answer that can't be read.",
                hint="Check the server's address: it usually ends with /v1.",
            )


def _patience(error: exceptions.AgentRunError) -> dict[str, float]:
    """How long to wait. Google puts it into the body, all others into a header."""
    seconds = getattr(error, "retry_after", None)
    if seconds is None and (told := _RETRY_DELAY.search(_words(error))) is not None:
        seconds = told[1]
    return {} if seconds is None else {"retryAfter": float(seconds)}


Declare = Callable[[Sequence[ToolOffer]], dict[str, Any]]


class ProvidedModel:
    def __init__(
        self,
        name: str,
        provider: Provider,
        *,
        declare: Declare | None = None,
        max_tokens: int | None = None,
        effort: str = "",
    ) -> None:
        self.name = name
        self._provider = provider
        self._declarations = Declarations(declare)
        self._max_tokens = max_tokens
        self._effort = effort
        self._pacer = Pacer()
        self._is_blind = False

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        """Repeats a request once without pictures if it was refused because of them."""
        shows, is_answered = has_pictures(turns) and not self._is_blind, False

        def read() -> int:
            return estimated_tokens(instructions, turns) + len(str(tools)) // CHARACTERS_A_TOKEN

        with conditions(self.name):
            try:
                async for piece in self._asked(conversation(instructions, turns, is_blind=self._is_blind), tools, read):
                    is_answered = is_answered or not isinstance(piece, Meter)
                    yield piece
            except exceptions.AgentRunError as error:
                if is_answered or not shows or not may_be_about_pictures(error):
                    raise
                self._is_blind = takes_no_pictures(error)
            else:
                return
            async for piece in self._asked(conversation(instructions, turns, is_blind=True), tools, read):
                yield piece

    async def _asked(
        self, messages: list[ModelMessage], tools: Sequence[ToolOffer], read: Callable[[], int]
    ) -> AsyncIterator[Piece | Reply]:
        parameters, declared = self._declarations.of(tools)
        settings = ModelSettings(**declared, max_retries=0, cache=True)  # we wait ourselves, and say so
        if self._max_tokens is not None:
            settings["max_tokens"] = self._max_tokens
        if self._effort:
            settings["thinking"] = cast("ThinkingLevel", self._effort)
        await self._pacer.wait_turn()
        async with model_request_stream(
            self._provider, messages, model_settings=settings, model_request_parameters=parameters
        ) as streamed:
            yield Meter(lambda: _so_far(streamed.get(), read))
            async for event in streamed:
                match event:
                    case PartStartEvent(part=ThinkingPart(content=text)) if text:
                        yield Thought(text)
                    case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)) if text:
                        yield Thought(text)
                    case PartStartEvent(part=TextPart(content=text)) if text:
                        yield Delta(text)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                        yield Delta(text)
            response = with_written_calls(streamed.get(), {offer.name: offer.parameters for offer in tools})
        if not _has_ended(response):
            raise Cut(f"The connection to {self.name} was cut in the middle of its answer.")
        yield Reply(replied(response), _usage(response), _stopped(response))


def _usage(response: ModelResponse) -> Usage:
    cost = None
    with suppress(Exception):  # a model whose price nobody knows, or a server that counts no tokens
        cost = float(response.cost().total_price)
    return Usage(response.usage.input_tokens, response.usage.output_tokens, cost)


def _so_far(response: ModelResponse, read: Callable[[], int]) -> Usage:
    """Counts what the provider hasn't told yet: most tell it only at the end."""
    told, written = response.usage, sum(map(_length, response.parts)) // CHARACTERS_A_TOKEN
    counted = replace(
        told,
        input_tokens=told.input_tokens or read(),
        output_tokens=max(told.output_tokens, written),
        unmeasured_requests=0,
    )
    return msgspec.structs.replace(_usage(replace(response, usage=counted)), is_estimated=True)


def _length(part: Any) -> int:
    if isinstance(part, TextPart | ThinkingPart):
        return len(part.content)
    return len(part.args_as_json_str()) if isinstance(part, ToolCallPart) else 0


def _stopped(response: ModelResponse) -> Literal["end", "tools", "length", "refusal"]:
    if response.finish_reason == "content_filter":
        return "refusal"
    return "length" if response.finish_reason == "length" else "end"


def _has_ended(response: ModelResponse) -> bool:
    """Whether the answer is complete. Providers give a reason at the end; without one, the answer was cut off.

    Some servers with OpenAI's format give no reason but send token counts last.
    """
    is_counted = response.provider_name == "openai" and response.usage.output_tokens > 0
    return is_counted or bool((response.provider_details or {}).get("finish_reason"))


class Pacer:
    """Makes requests one after the other: building one takes milliseconds of the event loop.

    After each it pauses for as long as that one took, so that half of the time is left for streams.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def wait_turn(self) -> None:
        await self._lock.acquire()
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_soon(lambda: loop.call_later(loop.time() - began, self._lock.release))


class Declarations:
    """Builds the tool declarations for a model once, as long as the same tools are offered.

    Provider libraries walk every schema for each request, which is slow for sixty tools, but send what is in
    `extra_body` as it is. `declare` makes these parts of the body; None leaves it to the library.
    """

    def __init__(self, declare: Declare | None) -> None:
        self._declare = declare
        self._made: tuple[tuple[ToolOffer, ...], ModelRequestParameters, ModelSettings] | None = None

    def of(self, tools: Sequence[ToolOffer]) -> tuple[ModelRequestParameters, ModelSettings]:
        wanted = tuple(tools)
        if self._made is None or self._made[0] != wanted:
            self._made = wanted, *self._of(wanted)
        return self._made[1], self._made[2]

    def _of(self, tools: Sequence[ToolOffer]) -> tuple[ModelRequestParameters, ModelSettings]:
        if self._declare is None:
            return ModelRequestParameters(function_tools=[_definition(offer) for offer in tools]), ModelSettings()
        body = self._declare(tools) if tools else {}
        return ModelRequestParameters(), ModelSettings(extra_body=body)


def to_openai(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    return {"tools": [{"type": "function", "function": _function(offer)} for offer in tools], "tool_choice": "auto"}


def to_anthropic(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    declared = [
        {"name": offer.name, "description": offer.description, "input_schema": dict(offer.parameters)}
        for offer in tools
    ]
    return {"tools": declared, "tool_choice": {"type": "auto"}}


def _function(offer: ToolOffer) -> dict[str, Any]:
    return {"name": offer.name, "description": offer.description, "parameters": dict(offer.parameters)}


def _definition(offer: ToolOffer) -> ToolDefinition:
    return ToolDefinition(
        name=offer.name,
        parameters_json_schema=dict(offer.parameters),
        description=offer.description,
        strict=False,
    )
