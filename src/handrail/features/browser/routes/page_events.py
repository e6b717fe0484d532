"""Sends events to pages: snapshots to all, and a task's events to those that follow it.

`browsing`, an addition to the contract, tells all pages which plugins, tasks or windows have changed.
"""

import asyncio
import itertools
import logging
import os
from collections.abc import Coroutine, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.faces.socketio.messages import event_envelope
from handrail.faces.socketio.rooms import Rooms
from handrail.faces.socketio.sockets import FRONTEND
from handrail.features.browser.bus.action import Action
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.outcome import End
from handrail.features.browser.bus.plugins import BusListener, Plugin
from handrail.features.browser.dialect import envelope
from handrail.ports.agent import AgentTask

EVENT = "frontend_event"
LEGACY_EVENT = "message"
LEGACY_SNAPSHOT = "twin_state_sync"
BROWSING = "browsing"
GLOBAL = "global"
DEBUG_SETTING = "MIMO_SNAPSHOT_DEBUG"
_SEND_INTERVAL = 0.1  # so that forty tabs that open at once cause a few events, not forty
_OPENING = {"task_start", "browser_tab_open"}

logger = logging.getLogger(__name__)


def room_of(task_id: str) -> str:
    return f"task:{task_id}"


class PageEvents(BusListener):
    def __init__(self, bus: LocalBus, environ: Mapping[str, str] = os.environ, *, speaks_legacy: bool = False) -> None:
        self._bus = bus
        self._speaks_legacy = speaks_legacy
        self._is_debugging = environ.get(DEBUG_SETTING, "").lower() in ("1", "true")
        self._rooms: Rooms | None = None
        self._numbers = itertools.count(1)
        self._snapshot_is_due: asyncio.TimerHandle | None = None
        self._browsing_is_due: asyncio.TimerHandle | None = None
        self._changed_tasks: set[str] = set()
        self._changed_windows: set[str] = set()
        self._plugins_changed = False
        self._preferred: str | None = None
        self._sending: set[asyncio.Task[None]] = set()
        bus.listen(self)

    def open(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def close(self) -> None:
        for due in (self._snapshot_is_due, self._browsing_is_due):
            if due is not None:
                due.cancel()

    def snapshot_changed(self, plugin: Plugin, what: str) -> None:
        if self._is_debugging:
            state = plugin.view.state()
            counts = f"{len(state.windows)} windows, {len(state.tabs)} tabs, {len(state.tab_groups)} groups"
            logger.warning("snapshot of %s: %s, now %s", plugin.client_id, what, counts)
        self._changed_windows.add(plugin.client_id)
        self._schedule_browsing()
        if self._snapshot_is_due is None and plugin is self._bus.plugins.preferred():
            loop = asyncio.get_running_loop()
            self._snapshot_is_due = loop.call_later(_SEND_INTERVAL, self._send_snapshot)

    def plugins_changed(self) -> None:
        self._plugins_changed = True
        self._schedule_browsing()

    def action_changed(self, action: Action, end: End | None) -> None:
        """Sends `toolUsed`, and also `structuredOutput` if the action failed."""
        record = action.record
        self.mark_task_changed(record.task_id)
        if end is not None and (record.actions.keys() & _OPENING or "changes" in end.result):
            self.snapshot_changed(self._bus.plugins.get_or_add(record.client_id), "tabs of a task")
        if self._is_empty(room_of(record.task_id)):
            return
        used = {
            "type": "toolUsed",
            "name": ",".join(record.actions),
            "actionId": record.action_id,
            "status": "running" if end is None else end.status,
        }
        trace = None if record.trace_id is UNSET else record.trace_id
        if end is not None and end.failure is not None:
            error = envelope(end.failure)["error"]
            used["error"] = error
            failed = {"status": "error", "schemaName": "browser_action", "error": error, "isComplete": True}
            data = {"actionId": record.action_id, "name": used["name"]}
            self.send_event(record.task_id, used, trace)
            self.send_event(record.task_id, {"type": "structuredOutput", **failed, "data": data}, trace)
        else:
            self.send_event(record.task_id, used, trace)

    def task_changed(self, task: AgentTask, reason: str | None = None) -> None:
        """Sends `taskStatus`, an addition to the contract."""
        self.mark_task_changed(task.id)
        event: dict[str, Any] = {"type": "taskStatus", "status": task.record.status}
        self.send_event(task.id, event if reason is None else {**event, "reason": reason})

    def send_event(self, task_id: str, event: dict[str, Any], trace_id: str | None = None) -> None:
        """Sends an event to the pages that follow this task."""
        room = room_of(task_id)
        if not self._is_empty(room):
            self._send(room, event_envelope(task_id, self._bus.now(), event, trace_id))

    def _send_snapshot(self) -> None:
        self._snapshot_is_due = None
        plugin = self._bus.plugins.preferred()
        if plugin is None or self._is_empty(FRONTEND):
            return
        state = msgspec.to_builtins(plugin.state())
        event = {"type": "snapshotSync", "mode": "full", "seq": next(self._numbers), "state": state}
        self._send(FRONTEND, event_envelope(GLOBAL, self._bus.now(), {**event, "clientId": plugin.client_id}))
        if self._speaks_legacy and self._rooms is not None:
            self._send_in_background(self._rooms.emit(FRONTEND, LEGACY_SNAPSHOT, state))

    def mark_task_changed(self, task_id: str) -> None:
        self._changed_tasks.add(task_id)
        self._schedule_browsing()

    def _schedule_browsing(self) -> None:
        if self._browsing_is_due is None:
            self._browsing_is_due = asyncio.get_running_loop().call_later(_SEND_INTERVAL, self._send_browsing)

    def _send_browsing(self) -> None:
        self._browsing_is_due = None
        used = (self._bus.tasks.in_use(id) for id in self._changed_tasks)
        changes: dict[str, Any] = {
            "tasks": [msgspec.to_builtins(task.record) for task in used if task is not None],
            "windows": sorted(self._changed_windows),
        }
        preferred = self._bus.plugins.preferred()
        before, self._preferred = self._preferred, None if preferred is None else preferred.client_id
        if self._plugins_changed or before != self._preferred:
            changes["plugins"] = msgspec.to_builtins(self._bus.plugins.records())
        self._changed_tasks, self._changed_windows, self._plugins_changed = set(), set(), False
        if self._rooms is not None and not self._is_empty(FRONTEND):
            self._send_in_background(self._rooms.emit(FRONTEND, BROWSING, changes))

    def _send(self, room: str, message: dict[str, Any]) -> None:
        if self._rooms is not None:
            self._send_in_background(self._rooms.emit(room, EVENT, message))
            if self._speaks_legacy:
                self._send_in_background(self._rooms.emit(room, LEGACY_EVENT, message))

    def _is_empty(self, room: str) -> bool:
        return self._rooms is None or self._rooms.is_empty(room)

    def _send_in_background(self, telling: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(telling)
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
