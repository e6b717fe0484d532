"""A bus with a real database and plugins whose connections are lists."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from handrail.features.browser.bus.action import Action
from handrail.features.browser.bus.bus import LocalBus
from handrail.features.browser.bus.outcome import End
from handrail.features.browser.opening import open_bus
from handrail.stores.local.state import State, open_state
from handrail.wiring import Wiring

TASK = "01HRZZZZZZZZZZZZZZZZZZZZZ0"
OTHER_TASK = "7a3c0000-0000-4000-8000-000000000001"
CLICK = {"browser_click": {"tabId": 1, "clickId": "12"}}
LOOK = {"browser_dom_index": {"tabId": 1}}


class ListConnection:
    """The actions that were sent, oldest first: (message, acknowledge). `statuses` are what was told of tasks."""

    def __init__(self) -> None:
        self.sent: list[tuple[dict[str, Any], Callable[[Any], None]]] = []
        self.statuses: list[str] = []
        self.is_dropped = False
        self._news = asyncio.Event()

    async def send(self, message: Mapping[str, Any], on_ack: Callable[[Any], None]) -> None:
        if message["type"] == "task_status":
            self.statuses.append(message["status"])
            return
        self.sent.append((dict(message), on_ack))
        self._news.set()

    def drop(self) -> None:
        self.is_dropped = True

    async def next(self, number: int = 1) -> dict[str, Any]:
        """The message of that number, once it was sent."""
        while len(self.sent) < number:
            self._news.clear()
            await self._news.wait()
        return self.sent[number - 1][0]

    def acknowledge(self, number: int = 1, ack: Any = None) -> None:
        self.sent[number - 1][1]({"ok": True} if ack is None else ack)


class Stage:
    """`ends` is what the observer was told, in order."""

    def __init__(self, folder: Path) -> None:
        self.state: State = open_state(folder)
        self.bus: LocalBus = open_bus(Wiring().open_stores(folder))
        self.bus.dispatcher.observer = self._observe
        self.begun: list[str] = []
        self.ends: list[tuple[str, End]] = []

    def _observe(self, action: Action, end: End | None) -> None:
        if end is None:
            self.begun.append(action.record.action_id)
        else:
            self.ends.append((action.record.action_id, end))

    def connect(self, client_id: str = "p1") -> ListConnection:
        line = ListConnection()
        self.bus.plugins.connect(client_id, line)
        return line

    def answer(self, message: Mapping[str, Any], client_id: str = "p1", **members: Any) -> None:
        plugin = self.bus.plugins.get_or_add(client_id)
        report = {"actionId": message["id"], "type": "browser_action_result", "status": "success", **members}
        self.bus.dispatcher.answer(plugin, report)
