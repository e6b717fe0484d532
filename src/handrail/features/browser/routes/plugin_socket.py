"""A plugin's side of the socket: it joins, says what it has open, and carries out actions."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from handrail.faces.socketio.rooms import Rooms
from handrail.features.browser.bus import outcome
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.plugins import Plugin
from handrail.features.browser.bus.tasks import Task
from handrail.features.browser.routes.messages import optional_text, text
from handrail.features.browser.routes.news import News
from handrail.features.browser.routes.wheel import Wheel, held_tasks
from handrail.ports.browser import Acknowledge
from handrail.ports.errors import InvalidParams

EVENT = "plugin_message"
LEGACY_EVENT = "my_browser_extension_message"
CLIENT_ID = r"^[A-Za-z0-9._:-]{1,128}$"
_CLIENT_ID = re.compile(CLIENT_ID[1:-1])


class SocketLine:
    """`event` is the name under which this plugin speaks, and so is spoken to."""

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
    def __init__(self, bus: LocalBus, news: News, wheel: Wheel) -> None:
        self._bus = bus
        self._news = news
        self._wheel = wheel
        self._lines: dict[str, SocketLine] = {}
        self._saying = {
            "activate_extension": self._activate,
            "full_state_sync": self._sync,
            "tab_event": self._tab_event,
            "debugger_event": self._debugger_event,
            "task_takeover": self._take_over,
            "task_handback": self._hand_back,
            "task_stopped": self._stopped,
        }

    def has(self, sid: str) -> bool:
        return sid in self._lines

    async def join(self, rooms: Rooms, sid: str, client_id: Any) -> None:
        """Without a pause before the line is known: a client that goes meanwhile would never be told to have gone."""
        if not isinstance(client_id, str) or not _CLIENT_ID.fullmatch(client_id):
            raise InvalidParams("`auth.clientId` must be 1 to 128 letters, digits or . _ : -")
        line = SocketLine(rooms, sid, client_id)
        known = self._bus.plugins.find(client_id)
        if known is not None and isinstance(known.line, SocketLine) and not rooms.is_there(known.line.sid):
            self._forget(known.line)
        plugin, before = self._bus.plugins.connect(client_id, line)
        self._lines[sid] = line
        if before is not None:
            before.drop()
        await rooms.enter(sid, f"client:{client_id}")
        self._seen(plugin)

    def leave(self, sid: str) -> None:
        line = self._lines.get(sid)
        if line is not None:
            self._forget(line)

    def drop(self, client_id: str) -> None:
        """Sends a plugin away whose token counts no more."""
        plugin = self._bus.plugins.find(client_id)
        if plugin is not None and plugin.line is not None:
            plugin.line.drop()

    async def hear(self, sid: str, event: str, message: dict[str, Any]) -> None:
        line = self._lines[sid]
        plugin = self._bus.plugins.known(line.client_id)
        line.event = event
        if message.get("clientId", line.client_id) != line.client_id:
            raise InvalidParams("`clientId` is not the one that this socket joined with.")
        self._touch(plugin)
        if outcome.is_result(message):
            self._bus.dispatcher.answer(plugin, message)
            return
        handle = self._saying.get(str(message.get("type")))
        if handle is None:
            raise InvalidParams(f"`type` must be {outcome.RESULT_TYPE} or one of {', '.join(self._saying)}.")
        await handle(plugin, message)

    async def _activate(self, plugin: Plugin, message: dict[str, Any]) -> None:
        """`skipAuthorization` is not read: who a plugin is was decided when it joined."""
        plugin.record = msgspec.structs.replace(
            plugin.record,
            ua=optional_text(message, "ua") or plugin.record.ua,
            version=optional_text(message, "version", 64) or plugin.record.version,
            browser_name=optional_text(message, "browserName", 64) or plugin.record.browser_name,
            allow_other_client=message.get("allowOtherClient") is True,
        )
        self._seen(plugin)

    async def _sync(self, plugin: Plugin, message: dict[str, Any]) -> None:
        held = held_tasks(message)
        plugin.view.replace(message, self._bus.now())
        plugin.tabs.forget_closed()
        await self._wheel.compare(plugin, held)
        self._news.snapshot_changed(plugin, "full_state_sync")

    async def _tab_event(self, plugin: Plugin, message: dict[str, Any]) -> None:
        plugin.view.apply(message, self._bus.now())
        if str(message["eventType"]).endswith("removed"):
            plugin.tabs.forget_closed()
        self._news.snapshot_changed(plugin, str(message["eventType"]))

    async def _debugger_event(self, plugin: Plugin, message: dict[str, Any]) -> None:
        """Heard, and of no use here yet."""

    async def _take_over(self, plugin: Plugin, message: dict[str, Any]) -> None:
        """`again`: it was said before, and may have been handed back here since; then the plugin hears that."""
        task = await self._task(plugin, message)
        if message.get("again") is True and task.record.status != "takeover":
            self._wheel.tell(task)
            return
        await self._wheel.take_over(task, optional_text(message, "reason", 64) or "user_input")

    async def _hand_back(self, plugin: Plugin, message: dict[str, Any]) -> None:
        await self._wheel.hand_back(await self._task(plugin, message))

    async def _stopped(self, plugin: Plugin, message: dict[str, Any]) -> None:
        await self._wheel.stop(await self._task(plugin, message))

    async def _task(self, plugin: Plugin, message: dict[str, Any]) -> Task:
        task = await self._bus.tasks.find(text(message, "taskId"))
        if task.client_id != plugin.client_id:
            raise InvalidParams("The task is another plugin's.")
        return task

    def _touch(self, plugin: Plugin) -> None:
        plugin.record = msgspec.structs.replace(plugin.record, last_seen_at=self._bus.now())

    def _seen(self, plugin: Plugin) -> None:
        self._touch(plugin)
        self._bus.plugin_records.save(plugin.record)
        self._news.plugins_changed()
        if plugin.view.is_known:  # another browser may be the one that is shown now
            self._news.snapshot_changed(plugin, "presence")

    def _forget(self, line: SocketLine) -> None:
        self._lines.pop(line.sid, None)
        plugin = self._bus.plugins.disconnect(line.client_id, line)
        if plugin is not None:
            self._seen(plugin)
