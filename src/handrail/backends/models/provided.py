"""A provider's model: streamed, with the provider's troubles as our conditions. No key appears in any message."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pydantic_ai import exceptions
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.settings import ModelSettings

from handrail.backends.models.conversation import conversation, replied
from handrail.backends.models.declarations import Declarations, Declare
from handrail.backends.models.turnstile import Turnstile
from handrail.contract.errors import Failure
from handrail.contract.model import Cut, Delta, NoModel, Overflow, RateLimited, Reply, ToolOffer, Turn, Usage, WrongKey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as Provider


class ProvidedModel:
    def __init__(
        self, name: str, provider: Provider, *, declare: Declare | None = None, max_tokens: int | None = None
    ) -> None:
        self.name = name
        self._provider = provider
        self._declarations = Declarations(declare)
        self._max_tokens = max_tokens
        self._turnstile = Turnstile()

    async def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Delta | Reply]:
        parameters, declared = self._declarations.of(tools)
        settings = ModelSettings(**declared, max_retries=0)  # we wait ourselves, and say so
        if self._max_tokens is not None:
            settings["max_tokens"] = self._max_tokens
        await self._turnstile.pass_through()
        with _conditions(self.name):
            async with model_request_stream(
                self._provider,
                conversation(instructions, turns),
                model_settings=settings,
                model_request_parameters=parameters,
            ) as streamed:
                async for event in streamed:
                    match event:
                        case PartStartEvent(part=TextPart(content=text)) if text:
                            yield Delta(text)
                        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)) if text:
                            yield Delta(text)
                response = streamed.get()
            if not _has_ended(response):
                raise Cut(f"The connection to {self.name} was cut in the middle of its answer.")
            yield Reply(replied(response), _usage(response), _stopped(response))


def _usage(response: ModelResponse) -> Usage:
    cost = None
    with suppress(Exception):  # a model whose price nobody knows, or a server that counts no tokens
        cost = float(response.cost().total_price)
    return Usage(response.usage.input_tokens, response.usage.output_tokens, cost)


def _stopped(response: ModelResponse) -> Literal["end", "tools", "length", "refusal"]:
    if response.finish_reason == "content_filter":
        return "refusal"
    return "length" if response.finish_reason == "length" else "end"


def _has_ended(response: ModelResponse) -> bool:
    """Every provider says why its answer ends; one that ends without a word was cut off."""
    return bool((response.provider_details or {}).get("finish_reason"))


@contextmanager
def _conditions(name: str) -> Iterator[None]:
    try:
        yield
    except exceptions.AgentRunError as error:
        raise _condition(name, error) from None  # the provider's own words may quote a part of the key


def _condition(name: str, error: exceptions.AgentRunError) -> Failure:
    match error:
        case exceptions.ModelContextWindowExceededError():
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
        case exceptions.ModelConnectionError():
            return Cut(f"The connection to {name} was cut.", hint="Is the address right, and the network there?")
        case exceptions.ModelAPIError():
            status = getattr(error, "status_code", None)
            told = f"{name} refused the request" + (f" with status {status}." if status else ".")
            return NoModel(told, hint="The provider's status page may tell more.")
        case _:
            return Cut(f"{name} sent an answer that makes no sense.")


def _patience(error: exceptions.AgentRunError) -> dict[str, float]:
    seconds = getattr(error, "retry_after", None)
    return {} if seconds is None else {"retryAfter": float(seconds)}
