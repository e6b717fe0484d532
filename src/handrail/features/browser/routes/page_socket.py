"""A page's connection: it sends messages to tasks, and gets the events of the tasks that it follows."""

from typing import Any

from handrail.faces.socketio.messages import new_id, optional_text, text
from handrail.faces.socketio.rooms import Rooms
from handrail.features.agent.offers import Chat
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.routes.page_events import room_of
from handrail.kernel import task_ids
from handrail.kernel.task_ownership import TaskOwnership
from handrail.ports.agents import Agent
from handrail.ports.browser import LATEST_MS
from handrail.ports.errors import Declined, InvalidParams
from handrail.ports.identity import Caller, persons_chat_identity
from handrail.ports.model import UserTurn

EVENT = "frontend_message"
LEGACY_EVENT = "message"
MAX_CONTENT = 200_000


class PageSocket:
    def __init__(self, bus: LocalBus, agent: Chat, ownership: TaskOwnership) -> None:
        self._bus = bus
        self._agent = agent
        self._ownership = ownership
        self._people: dict[str, str] = {}
        self._agents: dict[str, Agent] = {}

    async def join(self, rooms: Rooms, sid: str, task_id: Any, *, person: str | None, agent: Agent | None) -> None:
        """With a task's id, the page follows that task from the start."""
        if person is not None:
            self._people[sid] = person
        if agent is not None:
            self._agents[sid] = agent
        if task_id is not None:
            await self._follow(rooms, sid, task_ids.validate_task_id(task_id))

    def leave(self, sid: str) -> None:
        self._people.pop(sid, None)
        self._agents.pop(sid, None)

    async def receive(self, rooms: Rooms, sid: str, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "subscribe":
            task_id = task_ids.validate_task_id(message.get("taskId"))
            await self._follow(rooms, sid, task_id)
            self._agent.page_followed(task_id)
        elif kind == "user_message":
            await self._user_message(rooms, sid, message)
        else:
            raise InvalidParams("`type` must be user_message or subscribe.")

    async def _follow(self, rooms: Rooms, sid: str, task_id: str) -> None:
        """Raises Declined for an agent that asks for another's task."""
        if (agent := self._agents.get(sid)) is not None:
            await self._ownership.check_visible(task_id, _caller(agent))
        await rooms.enter(sid, room_of(task_id))

    async def _user_message(self, rooms: Rooms, sid: str, message: dict[str, Any]) -> None:
        task_id = task_ids.validate_task_id(message.get("taskId"))
        turn = UserTurn(
            optional_text(message, "id") or new_id("msg"),
            text(message, "content", MAX_CONTENT),
            sent_at=_timestamp(message, self._bus.now()),
        )
        speaker = await self._speaker(sid, task_id)
        await self._bus.tasks.ensure(task_id, turn.text)
        await rooms.enter(sid, room_of(task_id))
        await self._agent.receive(task_id, turn, message, speaker)

    async def _speaker(self, sid: str, task_id: str) -> str:
        """The identity of the sender, on whose behalf the agent will call tools. Raises Declined."""
        if (name := self._people.get(sid)) is not None:
            speaker = persons_chat_identity(name)
            await self._ownership.give(task_id, speaker)  # a person may write in any task, and then owns it
            return speaker
        if (agent := self._agents.get(sid)) is None:
            raise Declined(
                "Messages let the agent call tools, so they need an agent's own token. `handrail agents add "
                "NAME` issues one.",
                reason="agent",
            )
        await self._ownership.check(task_id, _caller(agent))
        return agent.identity


def _caller(agent: Agent) -> Caller:
    return Caller("agent", agent.name, "program", agent.identity)


def _timestamp(message: dict[str, Any], now: int) -> int:
    timestamp = message.get("timestamp", now)
    if type(timestamp) is not int or not 0 <= timestamp <= LATEST_MS:
        raise InvalidParams("`timestamp` must be milliseconds since 1970.")
    return timestamp
