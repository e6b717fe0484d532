"""A page's side of the chat over the real wire, which records all events."""

import asyncio
import json
import secrets
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from handrail.kernel.task_ids import new_task_id
from tests.faces.http.listener import Listener, listening
from tests.faces.http.running import Answer, Running
from tests.waiting import PATIENCE, eventually

_people: dict[int, dict[str, str]] = {}
"""The session of each server's person."""


def person_at(server: Running) -> dict[str, str]:
    """The headers of the person's own browser."""
    if server.process.pid not in _people:
        _people[server.process.pid] = server.sign_in()
    return _people[server.process.pid]


class Chat:
    def __init__(self, server: Running, page: Listener, task: str) -> None:
        self.server = server
        self.page = page
        self.task = task
        self.events: list[dict[str, Any]] = []

    async def say(self, content: str, **members: Any) -> Any:
        message = {"v": 1, "type": "user_message", "id": f"evt-{secrets.token_hex(4)}", "taskId": self.task}
        return await self.page.send("frontend_message", {**message, "content": content, **members})

    async def until(self, predicate: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next event that it is true of; all on the way are kept."""
        async with asyncio.timeout(PATIENCE):
            while True:
                event = await self.page.next("frontend_event")
                if event["taskId"] == self.task:
                    self.events.append(event["event"])
                    if predicate(event["event"]):
                        return dict(event["event"])

    async def rested(self) -> dict[str, Any]:
        """The status of the run once it waits for the person."""
        return await self.until(lambda event: event["type"] == "runStatus" and event["status"] in ("waiting", "ended"))

    async def of(self, type: str, **members: Any) -> dict[str, Any]:
        return await self.until(
            lambda event: event["type"] == type and all(event.get(name) == value for name, value in members.items())
        )

    def events_of(self, type: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == type]

    @property
    def streamed(self) -> str:
        """What a page shows of the last message."""
        text = ""
        for event in self.events_of("chatDelta"):
            if event["finished"] or event.get("restart"):
                text = event.get("content", "") if event["finished"] else ""
            else:
                text += event["delta"]["content"]
        return text

    async def ask(self, method: str, path: str, **how: Any) -> Answer:
        """As the person at the console."""
        return await asyncio.to_thread(self._ask, method, path, **how)

    async def question(self, words: str = "") -> dict[str, Any]:
        """What the person is asked in this task, once it is asked with these words in it."""

        async def asked() -> dict[str, Any] | None:
            for entry in (await self.ask("GET", "/api/prompts?state=pending")).json["data"]["entries"]:
                if entry.get("runId") == self.task and words in json.dumps(entry, ensure_ascii=False):
                    return dict(entry)
            return None

        return cast(dict[str, Any], await eventually(asked, words))

    async def answer(self, question: dict[str, Any], **response: Any) -> None:
        done = await self.ask("POST", f"/api/prompts/{question['requestId']}/response", json={"response": response})
        assert done.status == 200, done.body

    async def entries(self, query: str = "") -> Any:
        return (await self.ask("GET", f"/api/agent/task/{self.task}{query}")).json["data"]

    def _ask(self, method: str, path: str, **how: Any) -> Answer:
        return self.server.request(method, path, headers=person_at(self.server), **how)

    async def look(self, predicate: Callable[[Any], bool]) -> Any:
        """The task as the chat page would show it, once that is true of it."""

        async def seen() -> list[Any]:
            view = await self.entries()
            return [view] if predicate(view) else []

        return (await eventually(seen))[0]

    async def steer(self, verb: str) -> Answer:
        return await self.ask("POST", f"/api/agent/task/{self.task}/{verb}")


@asynccontextmanager
async def chatting(server: Running, task: str | None = None, *, is_person: bool = True) -> AsyncIterator[Chat]:
    """As a person in the console, or as a program that holds the token."""
    expected = task or new_task_id()
    auth = {"clientType": "frontend", "taskId": expected}
    headers = await asyncio.to_thread(person_at, server) if is_person else None
    if not is_person:
        auth["token"] = server.token
    async with listening(server, auth=auth, headers=headers, transports=["websocket"]) as page:
        yield Chat(server, page, expected)


def add_turns(state: Path, task: str, turns: Iterable[dict[str, str]]) -> None:
    """As if all of this had been said in the task."""
    add = "INSERT INTO conversation (task_id, kind, message_id, text, turn, at) VALUES (?, ?, ?, ?, ?, 1)"
    rows = [
        (task, turn["type"], turn.get("id"), turn["text"], json.dumps({**turn, "text": ""}).encode()) for turn in turns
    ]
    with sqlite3.connect(state / "browser/browser.db", timeout=20) as connection:
        connection.executemany(add, rows)
