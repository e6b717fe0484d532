"""`user_message` on its way to the agent: whose words, in which mode, by which model, with what attached."""

from typing import Any

from handrail.features.agent.routes.attachments import attached
from handrail.features.agent.routes.choice import choice_in
from handrail.features.agent.routes.events import AgentEvents
from handrail.features.agent.runs import Runs
from handrail.features.agent.user_message import UserMessage
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.tasks import Task
from handrail.features.browser.routes.messages import trace_of
from handrail.ports.agent import Voice
from handrail.ports.browser import Message
from handrail.ports.model import Said


class AgentTalk:
    def __init__(self, bus: LocalBus, runs: Runs, audience: AgentEvents) -> None:
        self._bus = bus
        self._runs = runs
        self._audience = audience

    def followed(self, task_id: str) -> None:
        self._audience.followed(task_id)

    async def hear(self, task: Task, message: Message, given: dict[str, Any], voice: Voice) -> None:
        """A Failure refuses the words; what goes wrong with them later is told to those who follow the task."""
        choice, material = choice_in(given), await attached(self._bus.artifacts, given.get("attachments"))

        async def heard() -> None:
            self._audience.trace(task.id, trace_of(given))
            await self._bus.tasks.note_message(task, message)

        async def admit() -> None:
            await self._bus.tasks.add_message(task, message)

        said = Said(message.id, message.content, material.text, material.pictures, material.named)
        await self._runs.say(task.id, UserMessage(said, message, voice, heard, admit), choice)
