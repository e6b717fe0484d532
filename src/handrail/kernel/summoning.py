"""A person is called when a question finds nobody watching, and the caller is told where the person finds it."""

from collections.abc import Awaitable, Callable, Sequence

from handrail.kernel.call import Call
from handrail.ports.prompt_queue import Beside, Side
from handrail.ports.prompts import Prompt

Summon = Callable[[], Awaitable[str | None]]
"""Gives words for the caller; None when somebody watches."""


async def nobody_is_called() -> None:
    return None


def summoning(call: Call, summon: Summon) -> Beside:
    """Where this call's questions are put; where that is the queue alone, a person is called, which is no answer."""
    places = call.beside

    async def call_person() -> None:
        if (words := await summon()) is not None:
            await call.progress(words)

    def beside(prompt: Prompt) -> Sequence[Side]:
        return places(prompt) or [Side("handrail", call_person)]

    return beside
