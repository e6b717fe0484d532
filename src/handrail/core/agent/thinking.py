"""One reply of a model: what it is given is made to fit, what it streams is passed on, its troubles are ridden out."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from handrail.contract.agent import RunStore
from handrail.contract.model import (
    Cut,
    Delta,
    Model,
    Noted,
    Overflow,
    RateLimited,
    Reply,
    Said,
    ToolOffer,
    Turn,
)
from handrail.core.agent.compaction import SUMMING_UP, cut, estimated_tokens, shortened, to_summarize

TRIES = 4
_LONGEST_WAIT = 60.0
_FIRST_WAIT = 1.0
Heard = Callable[[str], None]
"""Gets each piece of text; an empty one when the reply begins anew."""
Sleep = Callable[[float], Awaitable[None]]


class Thinking:
    def __init__(self, store: RunStore, most_tokens: int, sleep: Sleep = asyncio.sleep) -> None:
        self._store = store
        self._most_tokens = most_tokens
        self._sleep = sleep

    async def reply(
        self,
        task_id: str,
        model: Model,
        instructions: str,
        turns: list[Turn],
        tools: Sequence[ToolOffer],
        heard: Heard,
        waits: Callable[[float], None],
    ) -> Reply:
        """`turns` is compacted in place. `waits` hears how long the provider wants us to wait."""
        has_compacted = False
        for attempt in range(TRIES):
            shown = await self._fitting(task_id, model, instructions, turns)
            try:
                return await _streamed(model, instructions, shown, tools, heard)
            except Overflow:
                if has_compacted or not await self._compact(task_id, model, turns):
                    raise
                has_compacted = True
            except (RateLimited, Cut) as failure:
                if attempt == TRIES - 1:
                    raise
                seconds = min(float(failure.details.get("retryAfter", _FIRST_WAIT * 2**attempt)), _LONGEST_WAIT)
                waits(seconds)
                await self._sleep(seconds)
            heard("")
        raise Overflow("The conversation is longer than the model can read.", hint="Begin a new task.")

    async def _fitting(self, task_id: str, model: Model, instructions: str, turns: list[Turn]) -> Sequence[Turn]:
        if estimated_tokens(instructions, turns) <= self._most_tokens:
            return turns
        shown = shortened(turns)
        if estimated_tokens(instructions, shown) <= self._most_tokens:
            return shown
        await self._compact(task_id, model, turns)
        return shortened(turns)

    async def _compact(self, task_id: str, model: Model, turns: list[Turn]) -> bool:
        """The older half becomes a summary, by the model's own hand; whether there was one."""
        at = cut(turns)
        if at == 0:
            return False
        text = to_summarize(turns[:at])[-self._most_tokens * 2 :]
        summary = await _streamed(model, SUMMING_UP, [Said("summary", text)], (), lambda text: None)
        note = f"What was said before, summed up:\n{summary.replied.text}"
        await self._store.compact(task_id, at, note)
        turns[:at] = [Noted(note)]
        return True


async def _streamed(
    model: Model, instructions: str, turns: Sequence[Turn], tools: Sequence[ToolOffer], heard: Heard
) -> Reply:
    async for piece in model.stream(instructions, turns, tools):
        if isinstance(piece, Delta):
            heard(piece.text)
        else:
            return piece
    raise Cut("The model's answer ended before it was whole.")
