"""A plugin's connection: it joins, reports its tabs, and answers actions."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.faces.http.confirm_windows import ConfirmWindows
from handrail.faces.socketio.messages import optional_text, text
from handrail.faces.socketio.rooms import Rooms
from handrail.features.browser.bus import outcome
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.bus.takeover import PluginTask
from handrail.features.browser.bus.tasks import Task
from handrail.ports.browser import Acknowledge
from handrail.ports.errors import InvalidParams

EVENT = "plugin_message"
LEGACY_EVENT = "my_browser_extension_message"
CLIENT_ID = r"^[A-Za-z0-9._:-]{1,128}$"
_CLIENT_ID = re.compile(CLIENT_ID[1:-1])


def check_client_id(given: Any) -> str:
    if not isinstance(given, str) or not _CLIENT_ID.fullmatch(given):
        raise InvalidParams("`auth.clientId` must be 1 to 128 letters, digits or . _ : -")
    return given


class SocketConnection:
    """`event`: the event name that this plugin uses, which is also used for messages to it."""

    def __init__(self, rooms: Rooms, sid: str, client_id: str) -> None:
        self.sid = sid
        self.client_id = client_id
        self.event = EVENT
        self._rooms = rooms
        self._dropping: asyncio.Task[None] | None = None

    async def send(self, message: Mapping[str, Any], on_ack: Acknowledge) -> None:
        def acknowledged(*values: Any) -> None:
            on_ack(values[0] if values else None)

        await self._rooms.ask(self.sid, self.event, message, acknowledged)

    def drop(self) -> None:
        self._dropping = asyncio.get_running_loop().create_task(self._rooms.drop(self.sid))


class PluginSocket:
    def __init__(self, bus: LocalBus, windows: ConfirmWindows) -> None:
        self._bus = bus
        self._windows = windows
        self._connections: dict[str, SocketConnection] = {}
        self._handlers = {
            "activate_extension": self._activate,
            "full_state_sync": self._sync,
            "tab_event": self._tab_event,
            "debugger_event": self._debugger_event,
            "task_takeover": self._take_over,
            "task_handback": self._hand_back,
            "task_stopped": self._stopped,
            "confirm_answer": self._confirmed,
        }

    def has(self, sid: str) -> bool:
        return sid in self._connections

    async def join(self, rooms: Rooms, sid: str, client_id: Any) -> None:
        """Doesn't await before the connection is stored: otherwise a disconnect in between would go unnoticed."""
        client_id = check_client_id(client_id)
        connection = SocketConnection(rooms, sid, client_id)
        known = self._bus.plugins.find(client_id)
        if (
            known is not None
            and isinstance(known.connection, SocketConnection)
            and not rooms.is_connected(known.connection.sid)
        ):
            self.leave(known.connection.sid)
        self._bus.connected(self._bus.plugins.connect(client_id, connection))
        self._connections[sid] = connection
        await rooms.enter(sid, f"client:{client_id}")

    def leave(self, sid: str) -> None:
        if (connection := self._connections.pop(sid, None)) is not None:
            if self._bus.plugins.disconnect(connection.client_id, connection):
                self._bus.disconnected(connection.client_id)
            self._windows.browser_left(connection.client_id)

    async def receive(self, sid: str, event: str, message: dict[str, Any]) -> None:
        connection = self._connections[sid]
        connection.event = event
        if message.get("clientId", connection.client_id) != connection.client_id:
            raise InvalidParams("`clientId` differs from the one that this socket joined with.")
        plugin = self._bus.plugins.touch(connection.client_id)
        if outcome.is_result(message):
            self._bus.dispatcher.answer(plugin, message)
            return
        handler = self._handlers.get(str(message.get("type")))
        if handler is None:
            raise InvalidParams(f"`type` must be {outcome.RESULT_TYPE} or one of {', '.join(self._handlers)}.")
        await handler(plugin, message)

    async def _activate(self, plugin: Plugin, message: dict[str, Any]) -> None:
        """Ignores `skipAuthorization`: a plugin is authenticated when it joins."""
        self._bus.plugins.describe(
            plugin.client_id,
            ua=optional_text(message, "ua") or plugin.record.ua,
            version=optional_text(message, "version", 64) or plugin.record.version,
            browser_name=optional_text(message, "browserName", 64) or plugin.record.browser_name,
            allow_other_client=message.get("allowOtherClient") is True,
        )

    async def _sync(self, plugin: Plugin, message: dict[str, Any]) -> None:
        try:
            held = msgspec.convert(message.get("tasks", ()), tuple[PluginTask, ...])
        except msgspec.ValidationError as error:
            raise InvalidParams(f"`tasks`: {error}.") from None
        await self._bus.takeover.sync(plugin, message, held)

    async def _tab_event(self, plugin: Plugin, message: dict[str, Any]) -> None:
        self._bus.plugins.change_tab(plugin, message)

    async def _debugger_event(self, plugin: Plugin, message: dict[str, Any]) -> None:
        """Accepted, but not used yet."""

    async def _take_over(self, plugin: Plugin, message: dict[str, Any]) -> None:
        """With `again` it repeats an earlier report; if the task was handed back since, the plugin gets its status."""
        task = await self._task(plugin, message)
        if message.get("again") is True and task.status != "takeover":
            self._bus.takeover.notify_plugin(task)
        else:
            await self._bus.takeover.take_over(task, optional_text(message, "reason", 64) or "user_input")

    async def _hand_back(self, plugin: Plugin, message: dict[str, Any]) -> None:
        await self._bus.takeover.hand_back(await self._task(plugin, message))

    async def _stopped(self, plugin: Plugin, message: dict[str, Any]) -> None:
        await self._bus.takeover.stop(await self._task(plugin, message))

    async def _confirmed(self, plugin: Plugin, message: dict[str, Any]) -> None:
        self._windows.receive(plugin.client_id, message)

    async def _task(self, plugin: Plugin, message: dict[str, Any]) -> Task:
        return await self._bus.takeover.task_of_plugin(plugin, text(message, "taskId"))
