"""The port to a language model: it takes a conversation and streams text and tool calls.

It knows no providers, keys or wires.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from handrail.ports.errors import Busy, Declined, Offline, TooLarge

MOST_PICTURES = 3
"""How many of the pictures from tools in a task the model sees; each costs as much as a page of text."""


class Picture(msgspec.Struct, frozen=True):
    mime: str
    data: bytes


class Attachment(msgspec.Struct, frozen=True):
    """A file that a person attached: its artifact, name and media type."""

    id: str
    name: str
    type: str


class UserTurn(msgspec.Struct, frozen=True, tag="user"):
    """A person's message. `id` is the event's id. Attachments are content to work with, not instructions."""

    id: str
    text: str
    attached: str = ""
    """The attached texts, marked as untrusted."""
    pictures: tuple[Picture, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    sent_at: int = 0
    """In milliseconds since 1970, from the sender; 0 means when it arrived."""


class ToolUse(msgspec.Struct, frozen=True):
    """`arguments` is JSON as the model wrote it, perhaps malformed. `id` is the provider's and not always unique.

    `execution_id` is ours. It is stored before the call is made, so that the audit has the call after a crash.
    """

    id: str
    name: str
    arguments: str
    execution_id: str = ""


class AssistantTurn(msgspec.Struct, frozen=True, tag="assistant"):
    """`origin` is the reply in the provider's own format, to be sent back unchanged. `id` is the message's id."""

    text: str
    uses: tuple[ToolUse, ...] = ()
    origin: bytes = b""
    id: str = ""
    thinking: str = ""
    """The model's reasoning before its answer, for people."""


class ToolResult(msgspec.Struct, frozen=True, tag="tool"):
    """A tool's result for the model. `taken` counts its pictures, of which only a task's newest are kept."""

    use_id: str
    execution_id: str
    tool: str
    text: str
    is_error: bool = False
    unkept: str = ""
    """Replaces `text` for the model if the result contains a secret; it is only in memory and never stored."""
    taken: int = 0
    pictures: tuple[Picture, ...] = ()


class Note(msgspec.Struct, frozen=True, tag="note"):
    """A message from handrail to the model, such as what was left out or what a person decided."""

    text: str


Turn = UserTurn | AssistantTurn | ToolResult | Note


class ToolOffer(msgspec.Struct, frozen=True):
    name: str
    description: str
    parameters: Mapping[str, Any]


class Usage(msgspec.Struct, frozen=True):
    """`cost` is in US dollars, None if the model's price is unknown.

    `is_estimated`: we counted a part ourselves, because providers report usage only for complete replies.
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
    """A piece of the model's reasoning."""

    text: str


class Meter(msgspec.Struct, frozen=True):
    """Sent once the provider answers: `so_far` returns the cost until now, in case the reply is never completed."""

    so_far: Callable[[], Usage]


Piece = Delta | Thought | Meter


class Reply(msgspec.Struct, frozen=True):
    """The end of a stream. `length`: the model reached its limit; `refusal`: it refuses to answer."""

    replied: AssistantTurn
    usage: Usage
    stopped: Literal["end", "tools", "length", "refusal"] = "end"


class Model(Protocol):
    @property
    def name(self) -> str: ...

    def stream(
        self, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer]
    ) -> AsyncIterator[Piece | Reply]:
        """Yields pieces as they arrive, then one Reply. NoModel, WrongKey, RateLimited, Overflow, Cut."""
        ...


class NoModel(Offline):
    """No model is connected, or it can't be reached."""


class WrongKey(Declined):
    """The provider rejects the key, or the account may not use the model."""


class RateLimited(Busy):
    """`details["retryAfter"]` is in seconds, if the provider says it."""


class Overflow(TooLarge):
    """The conversation is longer than the model can read."""


class Cut(Offline):
    """The connection ended before the reply did."""
