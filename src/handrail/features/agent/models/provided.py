"""A provider's model: declares tools, streams replies and counts what they cost."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
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

from handrail.features.agent.model_client import CHARACTERS_PER_TOKEN, estimated_tokens
from handrail.features.agent.models.conversation import conversation, has_pictures, to_turn, with_instructions
from handrail.features.agent.models.provider_errors import (
    Quote,
    knows_no_effort,
    may_be_about_pictures,
    needs_no_system_message,
    no_quote,
    takes_no_pictures,
    translated_errors,
)
from handrail.features.agent.models.written_calls import with_written_calls
from handrail.features.agent.models.written_thinking import without_written_thinking
from handrail.ports.model import (
    Cut,
    Delta,
    Meter,
    Piece,
    Reply,
    Thought,
    ToolOffer,
    Turn,
    Usage,
)

if TYPE_CHECKING:
    from typing import Literal

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as Provider
    from pydantic_ai.settings import ThinkingLevel

_TOO_LONG = ("max_tokens", "max_output_tokens")
_BLOCKED = re.compile(r"content_filter|safety|prohibited|blocklist", re.IGNORECASE)

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
        quote: Quote = no_quote,
    ) -> None:
        self.name = name
        self._quote = quote
        self._provider = provider
        self._declarations = Declarations(declare)
        self._max_tokens = max_tokens
        self._effort = effort
        self._pacer = Pacer()
        self._is_blind = False
        self._has_system_message = True

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        """Repeats a request without pictures, an effort or a system message if it was refused because of them."""
        is_blind, is_answered = self._is_blind, False

        def count_input() -> int:
            return estimated_tokens(instructions, turns) + len(str(tools)) // CHARACTERS_PER_TOKEN

        with translated_errors(self.name, self._quote):
            while True:
                if self._has_system_message:
                    messages = conversation(instructions, turns, is_blind=is_blind)
                else:
                    messages = conversation(None, with_instructions(instructions, turns), is_blind=is_blind)
                try:
                    async for piece in self._request(messages, tools, count_input):
                        is_answered = is_answered or not isinstance(piece, Meter)
                        yield piece
                except exceptions.AgentRunError as error:
                    if is_answered:
                        raise
                    if self._effort and knows_no_effort(error):
                        self._effort = ""
                    elif self._has_system_message and needs_no_system_message(error):
                        self._has_system_message = False
                    elif has_pictures(turns) and not is_blind and may_be_about_pictures(error):
                        is_blind, self._is_blind = True, takes_no_pictures(error)
                    else:
                        raise
                else:
                    return

    async def _request(
        self, messages: list[ModelMessage], tools: Sequence[ToolOffer], count_input: Callable[[], int]
    ) -> AsyncIterator[Piece | Reply]:
        parameters, declared = self._declarations.of(tools)
        settings = ModelSettings(**declared, max_retries=0, cache=True)  # our model client retries, and shows it
        if self._max_tokens is not None:
            settings["max_tokens"] = self._max_tokens
        if self._effort:
            settings["thinking"] = cast("ThinkingLevel", self._effort)
        await self._pacer.wait_turn()
        async with model_request_stream(
            self._provider, messages, model_settings=settings, model_request_parameters=parameters
        ) as response:
            yield Meter(lambda: _usage_so_far(response.get(), count_input))
            async for event in response:
                match event:
                    case PartStartEvent(part=ThinkingPart(content=text)) if text:
                        yield Thought(text)
                    case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)) if text:
                        yield Thought(text)
                    case PartStartEvent(part=TextPart(content=text)) if text:
                        yield Delta(text)
                    case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                        yield Delta(text)
            spoken = without_written_thinking(response.get())
            complete = with_written_calls(spoken, {offer.name: offer.parameters for offer in tools})
        if not _is_complete(complete):
            raise Cut(f"The connection to {self.name} was cut in the middle of its answer.")
        yield Reply(to_turn(complete), _usage(complete), _stop_reason(complete))


def _usage(response: ModelResponse) -> Usage:
    cost = None
    with suppress(Exception):  # the model's price is unknown, or the server counts no tokens
        cost = float(response.cost().total_price)
    return Usage(response.usage.input_tokens, response.usage.output_tokens, cost)


def _usage_so_far(response: ModelResponse, count_input: Callable[[], int]) -> Usage:
    """An estimate for what the provider hasn't reported yet: most report usage only at the end."""
    usage, written = response.usage, sum(map(_length, response.parts)) // CHARACTERS_PER_TOKEN
    counted = replace(
        usage,
        input_tokens=usage.input_tokens or count_input(),
        output_tokens=max(usage.output_tokens, written),
        unmeasured_requests=0,
    )
    return msgspec.structs.replace(_usage(replace(response, usage=counted)), is_estimated=True)


def _length(part: Any) -> int:
    if isinstance(part, TextPart | ThinkingPart):
        return len(part.content)
    return len(part.args_as_json_str()) if isinstance(part, ToolCallPart) else 0


def _stop_reason(response: ModelResponse) -> Literal["end", "tools", "length", "refusal"]:
    if response.finish_reason == "content_filter" or _BLOCKED.match(_own_reason(response)):
        return "refusal"
    is_too_long = response.finish_reason == "length" or _own_reason(response) in _TOO_LONG
    return "length" if is_too_long else "end"


def _is_complete(response: ModelResponse) -> bool:
    """Whether the answer is complete: providers end it with a reason, some servers with token counts instead."""
    is_counted = response.provider_name == "openai" and response.usage.output_tokens > 0
    return is_counted or bool(_own_reason(response)) or response.finish_reason == "content_filter"


def _own_reason(response: ModelResponse) -> str:
    """Why the answer ended, in the server's own word."""
    return str((response.provider_details or {}).get("finish_reason") or "")


class Pacer:
    """Lets requests start one after the other, because building one blocks the event loop for milliseconds.

    After each it pauses for as long as that took, so that half of the time is left for streams.
    """

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def wait_turn(self) -> None:
        await self._lock.acquire()
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_soon(lambda: loop.call_later(loop.time() - began, self._lock.release))


class Declarations:
    """Caches the tool declarations for a model, until other tools are offered.

    Provider libraries walk every schema for each request, which is slow for sixty tools, but not `extra_body`.
    `declare` makes that part of the body; None leaves it to the library.
    """

    def __init__(self, declare: Declare | None) -> None:
        self._declare = declare
        self._cached: tuple[tuple[ToolOffer, ...], ModelRequestParameters, ModelSettings] | None = None

    def of(self, tools: Sequence[ToolOffer]) -> tuple[ModelRequestParameters, ModelSettings]:
        key = tuple(tools)
        if self._cached is None or self._cached[0] != key:
            self._cached = key, *self._build(key)
        return self._cached[1], self._cached[2]

    def _build(self, tools: Sequence[ToolOffer]) -> tuple[ModelRequestParameters, ModelSettings]:
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
