"""Calls a person when a question finds nobody watching, and tells the caller where the person finds it."""

from collections.abc import Awaitable, Callable, Sequence

from handrail.kernel.call import Call
from handrail.ports.prompt_queue import AnswerChannel, FindChannels
from handrail.ports.prompts import Prompt

NotifyPerson = Callable[[], Awaitable[str | None]]
"""Gives words for the caller; None when somebody watches."""


async def notify_nobody() -> None:
    return None


def channels_with_notice(call: Call, call_person: NotifyPerson) -> FindChannels:
    """Where this call's questions are put. Where that is the queue alone a person is called, which is no answer."""
    places = call.channels

    async def notify() -> None:
        if (words := await call_person()) is not None:
            await call.progress(words)

    def channels(prompt: Prompt) -> Sequence[AnswerChannel]:
        return places(prompt) or [AnswerChannel("handrail", notify)]

    return channels
