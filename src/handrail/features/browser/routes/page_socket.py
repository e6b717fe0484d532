"""A page's side of the socket: it sends messages to a task, and receives the task's events from then on."""

from typing import Any

from handrail.faces.socketio.messages import new_id, optional_text, text
from handrail.faces.socketio.rooms import Rooms
from handrail.features.agent.offers import Chat
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.routes.page_events import room_of
from handrail.kernel import task_ids
from handrail.ports.browser import LATEST_MS
from handrail.ports.errors import InvalidParams
from handrail.ports.model import UserTurn

EVENT = "frontend_message"
LEGACY_EVENT = "message"
MAX_CONTENT = 200_000


class PageSocket:
    def __init__(self, bus: LocalBus, agent: Chat) -> None:
        self._bus = bus
        self._agent = agent
        self._persons: set[str] = set()

    async def join(self, rooms: Rooms, sid: str, task_id: Any, *, is_person: bool) -> None:
        """With `auth.taskId`, a page follows a task from the start."""
        if is_person:
            self._persons.add(sid)
        if task_id is not None:
            await rooms.enter(sid, room_of(task_ids.checked(task_id)))

    def leave(self, sid: str) -> None:
        self._persons.discard(sid)

    async def hear(self, rooms: Rooms, sid: str, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "subscribe":
            task_id = task_ids.checked(message.get("taskId"))
            await rooms.enter(sid, room_of(task_id))
            self._agent.followed(task_id)
        elif kind == "user_message":
            await self._user_message(rooms, sid, message)
        else:
            raise InvalidParams("`type` must be user_message or subscribe.")

    async def _user_message(self, rooms: Rooms, sid: str, message: dict[str, Any]) -> None:
        task_id = task_ids.checked(message.get("taskId"))
        said = UserTurn(
            optional_text(message, "id") or new_id("msg"),
            text(message, "content", MAX_CONTENT),
            sent_at=_timestamp(message, self._bus.now()),
        )
        await self._bus.tasks.ensure(task_id, said.text)
        await rooms.enter(sid, room_of(task_id))
        await self._agent.hear(task_id, said, message, "person" if sid in self._persons else "program")


def _timestamp(message: dict[str, Any], now: int) -> int:
    given = message.get("timestamp", now)
    if type(given) is not int or not 0 <= given <= LATEST_MS:
        raise InvalidParams("`timestamp` must be milliseconds since 1970.")
    return given
