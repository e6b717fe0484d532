"""A language model as the agent knows it: a conversation goes in, text and tool calls are streamed out.

Refuses to know providers, keys and wires.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.errors import Busy, Declined, Offline, TooLarge

MOST_PICTURES = 3
"""Of what tools hand back in a task, that its model is shown; each costs as much as a page of text."""


class Picture(msgspec.Struct, frozen=True):
    mime: str
    data: bytes


class Attachment(msgspec.Struct, frozen=True):
    """What a person attached, as they know it: its artifact, name and media type."""

    id: str
    name: str
    type: str


class UserTurn(msgspec.Struct, frozen=True, tag="user"):
    """A person's words. `id` is that of the event that brought them. What was attached is material, no words."""

    id: str
    text: str
    attached: str = ""
    """Texts, marked as untrusted."""
    pictures: tuple[Picture, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    sent_at: int = 0
    """In milliseconds, as the sender says; 0: when it came."""


class ToolUse(msgspec.Struct, frozen=True):
    """`arguments` is JSON as the model wrote it, well-formed or not. Providers give `id`, not always one of its own.

    `execution_id` is ours: it is on record before the call is made, so that after a crash the audit tells of it.
    """

    id: str
    name: str
    arguments: str
    execution_id: str = ""


class AssistantTurn(msgspec.Struct, frozen=True, tag="assistant"):
    """`origin` is the reply in the provider's own form, to be given back as it was. `id` is that of the message."""

    text: str
    uses: tuple[ToolUse, ...] = ()
    origin: bytes = b""
    id: str = ""
    thinking: str = ""
    """What the model thought before it answered, for people."""


class ToolResult(msgspec.Struct, frozen=True, tag="tool"):
    """What came of a tool, as the model reads it. Of the `taken` pictures only a task's newest are still there."""

    use_id: str
    execution_id: str
    tool: str
    text: str
    is_error: bool = False
    unkept: str = ""
    """What the model reads in place of `text`, with what a person gave in confidence: in memory alone."""
    taken: int = 0
    pictures: tuple[Picture, ...] = ()


class Note(msgspec.Struct, frozen=True, tag="note"):
    """What handrail itself tells the model: what was left out, what a person decided."""

    text: str


Turn = UserTurn | AssistantTurn | ToolResult | Note


class ToolOffer(msgspec.Struct, frozen=True):
    name: str
    description: str
    parameters: Mapping[str, Any]


class Usage(msgspec.Struct, frozen=True):
    """`cost` in US dollars, None where nobody knows the model's price.

    `is_estimated`: some of it was counted by us, because a provider tells the price of a whole reply only.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    is_estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(costs) if costs else None,
            self.is_estimated or other.is_estimated,
        )


class Delta(msgspec.Struct, frozen=True):
    text: str


class Thought(msgspec.Struct, frozen=True):
    """A piece of what the model thinks before it answers."""

    text: str


class Meter(msgspec.Struct, frozen=True):
    """Comes once the provider answers: what the reply has cost so far, should it never become whole."""

    so_far: Callable[[], Usage]


Piece = Delta | Thought | Meter


class Reply(msgspec.Struct, frozen=True):
    """The end of a stream. `length`: the model was cut off at its limit; `refusal`: it will not answer."""

    replied: AssistantTurn
    usage: Usage
    stopped: Literal["end", "tools", "length", "refusal"] = "end"


class Model(Protocol):
    @property
    def name(self) -> str: ...

    def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        """Pieces as they come, then one Reply. NoModel, WrongKey, RateLimited, Overflow or Cut."""
        ...


class NoModel(Offline):
    """None is connected, or it can't be reached."""


class WrongKey(Declined):
    """The provider does not know the key, or the account may not use the model."""


class RateLimited(Busy):
    """`details["retryAfter"]` in seconds, where the provider tells it."""


class Overflow(TooLarge):
    """The conversation is longer than the model can read."""


class Cut(Offline):
    """The connection ended before the reply did."""
