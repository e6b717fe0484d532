"""A plugin over the real wire: a python-socketio client that acknowledges and answers as the test says."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from handrail.kernel.task_ids import new_task_id
from handrail.ports.browser import EXTENSION_ORIGIN
from tests.credentials import browser_token
from tests.faces.http.listener import NAMESPACE, Listener
from tests.faces.http.running import Answer, Running
from tests.waiting import PATIENCE

KEY_HEADER = "x-handrail-console-key"
CLICK = {"browser_click": {"tabId": 1, "clickId": "12"}}

Obey = Callable[[dict[str, Any]], Awaitable[Any]]


class Browser(Listener):
    """`ack` is what each action is acknowledged with; None leaves it without."""

    def __init__(self, client_id: str, event: str = "plugin_message") -> None:
        super().__init__()
        self.client_id = client_id
        self.event = event
        self.ack: Any = {"ok": True}
        self.actions: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.statuses: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.client.on(event, self._hear, namespace=NAMESPACE)

    async def say(self, message: Any) -> Any:
        return await self.send(self.event, message)

    async def action(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            return await self.actions.get()

    async def status(self) -> tuple[str, str]:
        """The next task that it is told of, and how that stands."""
        told = await self.task_status()
        return told["taskId"], told["status"]

    async def task_status(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            return await self.statuses.get()

    async def answer(self, action: Mapping[str, Any], **members: Any) -> Any:
        report = {
            "v": 1, "type": "browser_action_result", "actionId": action["id"], "taskId": action["taskId"],
            "clientId": self.client_id, "status": "success", "result": {"clicked": True},
        }  # fmt: skip
        return await self.say({**report, **members})

    async def _hear(self, message: dict[str, Any]) -> Any:
        (self.statuses if message["type"] == "task_status" else self.actions).put_nowait(message)
        if self.ack is None:
            await asyncio.Event().wait()
        return self.ack


@asynccontextmanager
async def browsing(server: Running, client_id: str | None = None, **how: Any) -> AsyncIterator[Browser]:
    """A plugin that has joined, with its own token unless `how` says otherwise."""
    browser = Browser(client_id or new_client_id(), how.pop("event", "plugin_message"))
    auth = {"clientType": "plugin", "clientId": browser.client_id, **how.pop("auth", {})}
    if "token" not in auth:
        auth["token"] = await asyncio.to_thread(browser_token, server.state, browser.client_id)
    how.setdefault("transports", ["websocket"])
    try:
        await browser.connect(server, auth=auth, headers={"origin": EXTENSION_ORIGIN, **how.pop("headers", {})}, **how)
        yield browser
    finally:
        await browser.close()


def new_client_id() -> str:
    return f"plugin-{secrets.token_hex(6)}"


def bus_key(server: Running) -> dict[str, str]:
    return {**server.bearer, KEY_HEADER: (server.state / "console.key").read_text().strip()}


def post_act(server: Running, actions: Any = CLICK, headers: dict[str, str] | None = None, **members: Any) -> Answer:
    params = {**bus_key(server), **(headers or {})}
    return server.request("POST", "/api/browser/act", headers=params, json={"actions": actions, **members})


def acting(server: Running, actions: Any = CLICK, **members: Any) -> "asyncio.Task[Answer]":
    return asyncio.ensure_future(asyncio.to_thread(post_act, server, actions, **members))


async def task_on(server: Running, browser: Browser) -> str:
    """A new task that is this browser's."""
    task = new_task_id()
    body = {"caller": "tests", "taskId": task}
    await asyncio.to_thread(server.request, "POST", "/api/browser/task", headers=bus_key(server), json=body)
    selected = await asyncio.to_thread(
        server.request,
        "POST",
        f"/api/task/{task}/plugin",
        headers=server.sign_in(),
        json={"clientId": browser.client_id},
    )
    assert selected.status == 200, selected.body
    return task


async def got(server: Running, path: str, **how: Any) -> Answer:
    return await asyncio.to_thread(server.request, "GET", path, **how)


async def posted(server: Running, path: str, **how: Any) -> Answer:
    return await asyncio.to_thread(server.request, "POST", path, **how)
