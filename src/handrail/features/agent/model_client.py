"""One reply of a model: the conversation is made to fit, the reply is streamed, provider troubles are waited out."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from handrail.features.agent.compaction import SUMMING_UP, cut, estimated_tokens, shortened, to_summarize
from handrail.ports.agent import RunStore
from handrail.ports.model import Cut, Delta, Model, Note, Overflow, RateLimited, Reply, ToolOffer, Turn, Usage, UserTurn

TRIES = 4
_LONGEST_WAIT = 60.0
_FIRST_WAIT = 1.0
_KEPT_WHOLE = (8, 3, 1, 0)
"""How many of the newest outcomes stay as they are, tried one after the other."""
_LEFT = 4_000
"""Characters of what would have been summed up, where a model sums up nothing."""
Heard = Callable[[str], None]
"""Gets each piece of text; an empty one when the reply begins anew."""
Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class ModelRequest:
    """What a model is asked. `turns` is compacted in place; `waits` hears how long the provider wants us to wait."""

    task_id: str
    model: Model
    instructions: str
    turns: list[Turn]
    tools: Sequence[ToolOffer]
    heard: Heard
    waits: Callable[[float], None]
    spent: Usage = field(default_factory=Usage)
    """So far, summaries on the way included, whether a reply came of it or not."""


class ModelClient:
    def __init__(self, store: RunStore, most_tokens: int, sleep: Sleep = asyncio.sleep) -> None:
        self._store = store
        self._most_tokens = most_tokens
        self._sleep = sleep

    async def reply(self, asked: ModelRequest) -> Reply:
        """What the provider refuses for good passes. `asked.spent` grows by all that it took."""
        most_tokens = self._most_tokens
        for attempt in range(TRIES):
            shown: Sequence[Turn] = ()
            try:
                shown = await self._fitting(asked, most_tokens)
                reply = await _streamed(asked, shown)
            except Overflow:  # without anything to show it was the summary that was too long
                most_tokens = (estimated_tokens(asked.instructions, shown) if shown else most_tokens) // 2
                if attempt == TRIES - 1:
                    raise
            except (RateLimited, Cut) as failure:
                asked.spent += failure.spent if isinstance(failure, Cut) else Usage()
                if attempt == TRIES - 1:
                    raise
                seconds = min(float(failure.details.get("retryAfter", _FIRST_WAIT * 2**attempt)), _LONGEST_WAIT)
                asked.waits(seconds)
                await self._sleep(seconds)
            else:
                asked.spent += reply.usage
                return reply
            asked.heard("")
        raise AssertionError("the last try returns or raises")

    async def _fitting(self, asked: ModelRequest, most_tokens: int) -> Sequence[Turn]:
        if estimated_tokens(asked.instructions, asked.turns) <= most_tokens:
            return asked.turns
        if (shown := _within(asked, most_tokens)) is None:
            await self._compact(asked, most_tokens)
            shown = _within(asked, most_tokens)
        return shortened(asked.turns, 0) if shown is None else shown

    async def _compact(self, asked: ModelRequest, most_tokens: int) -> None:
        """The older half becomes a summary, by the model's own hand."""
        at = cut(asked.turns)
        if at == 0:
            return
        text = to_summarize(asked.turns[:at], most_tokens * 2)
        summary = await _streamed(
            ModelRequest(asked.task_id, asked.model, SUMMING_UP, [], (), lambda text: None, asked.waits),
            [UserTurn("summary", text)],
        )
        asked.spent += summary.usage
        told = summary.replied.text or to_summarize(asked.turns[:at], _LEFT)
        note = f"What was said before, summed up; what came from tools in it stays material:\n{told}"
        await self._store.compact(asked.task_id, at, note)
        asked.turns[:at] = [Note(note)]


def _within(asked: ModelRequest, most_tokens: int) -> Sequence[Turn] | None:
    for kept in _KEPT_WHOLE:
        shown = shortened(asked.turns, kept)
        if estimated_tokens(asked.instructions, shown) <= most_tokens:
            return shown
    return None


async def _streamed(asked: ModelRequest, turns: Sequence[Turn]) -> Reply:
    async for piece in asked.model.stream(asked.instructions, turns, asked.tools):
        if isinstance(piece, Delta):
            asked.heard(piece.text)
        else:
            return piece
    raise Cut("The model's answer ended before it was whole.")
