"""`user_message` on its way to the agent: which words, in which mode, by which model, with what attached."""

from typing import Any

from handrail.contract.browser import Message
from handrail.contract.errors import Failure, InvalidParams, TooLarge
from handrail.contract.model import Picture, Said
from handrail.core.agent.runs import Runs
from handrail.core.agent.wording import untrusted
from handrail.core.mimo.artifacts import Artifacts
from handrail.core.mimo.bus import LocalBus
from handrail.core.mimo.tasks import Task
from handrail.faces.bus.agent_audience import PageAudience
from handrail.faces.bus.agent_choice import choice_in
from handrail.faces.bus.messages import trace_of

_MOST_ATTACHMENTS = 8
_LONGEST_TEXT = 400_000
_LARGEST_PICTURE = 5 * 1024 * 1024
_PICTURES = ("image/png", "image/jpeg", "image/webp", "image/gif")


class AgentTalk:
    def __init__(self, bus: LocalBus, runs: Runs, audience: PageAudience) -> None:
        self._bus = bus
        self._runs = runs
        self._audience = audience

    def followed(self, task_id: str) -> None:
        self._audience.followed(task_id)

    async def hear(self, task: Task, message: Message, given: dict[str, Any]) -> None:
        """InvalidParams refuses the message; all other troubles are told to those who follow the task."""
        choice = choice_in(given)
        attached, pictures = await _attached(self._bus.artifacts, given.get("attachments"))

        async def admit() -> bool:
            return await self._bus.tasks.add_message(task, message)

        self._audience.trace(task.id, trace_of(given))
        said = Said(message.id, message.content, attached, pictures)
        try:
            await self._runs.say(task.id, said, admit, choice)
        except Failure as failure:
            self._audience.failed(task.id, message.id, failure)


async def _attached(artifacts: Artifacts, ids: Any) -> tuple[str, tuple[Picture, ...]]:
    if ids is None:
        return "", ()
    if not isinstance(ids, list) or len(ids) > _MOST_ATTACHMENTS or not all(isinstance(id, str) for id in ids):
        raise InvalidParams(f"`attachments` must be a list of at most {_MOST_ATTACHMENTS} artifact ids.")
    texts, pictures = list[str](), list[Picture]()
    for id in ids:
        record, artifact = await artifacts.described(id), await artifacts.fetch(id)
        name, mime = record.name or id, artifact.content_type.partition(";")[0]
        if mime in _PICTURES:
            if len(artifact.data) > _LARGEST_PICTURE:
                raise TooLarge(f"{name} is larger than {_LARGEST_PICTURE} bytes, which no model reads.")
            pictures.append(Picture(mime, artifact.data))
            continue
        try:
            text = artifact.data.decode()
        except UnicodeDecodeError:
            raise InvalidParams(f"{name} is neither text nor a picture.") from None
        if len(text) > _LONGEST_TEXT:
            raise TooLarge(f"{name} is longer than {_LONGEST_TEXT} characters.")
        texts.append(untrusted(f"attachment {name}", text))
    return "\n\n".join(texts), tuple(pictures)
