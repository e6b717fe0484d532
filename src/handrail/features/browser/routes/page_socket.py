"""A page's connection: it sends messages to tasks, and gets the events of the tasks that it follows."""

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes on a connection: a person, with a name if there are several, an agent, or a program that may not."""

    person: str | None
    agent: Agent | None
    may_write: Callable[[], bool]


class PageSocket:
    def __init__(self, bus: LocalBus, agent: Chat, ownership: TaskOwnership) -> None:
        self._bus = bus
        self._agent = agent
        self._ownership = ownership
        self._writers: dict[str, Writer] = {}

    async def join(self, rooms: Rooms, sid: str, task_id: Any, writer: Writer) -> None:
        """With a task's id, the page follows that task from the start."""
        self._writers[sid] = writer
        if task_id is not None:
            await self._follow(rooms, sid, task_ids.validate_task_id(task_id))

    def leave(self, sid: str) -> None:
        self._writers.pop(sid, None)

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
        if (agent := self._writer(sid).agent) is not None:
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

    def _writer(self, sid: str) -> Writer:
        if (writer := self._writers.get(sid)) is None:
            raise Declined("This connection has ended.", reason="gone")
        return writer

    async def _speaker(self, sid: str, task_id: str) -> str:
        """The identity of the sender, on whose behalf the agent will call tools. Raises Declined."""
        writer = self._writer(sid)
        if not writer.may_write():
            raise Declined("Only operators can write to the agent. Ask an administrator for that role.", reason="role")
        if writer.person is not None:
            speaker = persons_chat_identity(writer.person)
            await self._ownership.give(task_id, speaker)  # a person may write in any task, and then owns it
            return speaker
        if (agent := writer.agent) is None:
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
