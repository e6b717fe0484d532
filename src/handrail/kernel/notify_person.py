"""Notifies a person of a question when nobody is watching the queue, and tells the caller where to answer it."""

from collections.abc import Awaitable, Callable, Sequence

from handrail.kernel.call import Call
from handrail.kernel.queue_approver import LATE_APPROVAL
from handrail.ports.prompt_queue import AnswerChannel, FindChannels
from handrail.ports.prompts import FileChangePrompt, Prompt

NotifyPerson = Callable[[], Awaitable[str | None]]
"""Returns a message for the caller; None if somebody is already watching."""


async def notify_nobody() -> None:
    return None


def channels_with_notice(call: Call, notify_person: NotifyPerson) -> FindChannels:
    """The call's own channels. If there are none, one that only notifies a person and never answers."""
    own_channels = call.channels

    async def notify(prompt: Prompt) -> None:
        if (message := await notify_person()) is not None:
            await call.progress(f"{message} {LATE_APPROVAL}" if isinstance(prompt, FileChangePrompt) else message)

    def channels(prompt: Prompt) -> Sequence[AnswerChannel]:
        return own_channels(prompt) or [AnswerChannel("handrail", lambda: notify(prompt))]

    return channels
