"""A page that talks to the agent, as the console's is one: Socket.IO of contract 2 §3, over a WebSocket of our own."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from demo.ground import NotPossible

_NAMESPACE = "/mimo"
_LARGEST = 16 * 1024 * 1024


class Page:
    def __init__(self, line: ClientConnection, task: str) -> None:
        self._line = line
        self.task = task

    async def say(self, content: str, **members: Any) -> None:
        message = {"v": 1, "type": "user_message", "id": f"evt-{uuid4().hex}", "taskId": self.task, "content": content}
        await self._line.send(f"42{_NAMESPACE},0{json.dumps(['frontend_message', {**message, **members}])}")

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """What the task's page is told, until the line ends."""
        try:
            async for packet in self._line:
                match _event(packet):
                    case "ping":
                        await self._line.send("3")
                    case [{"ok": False, "error": {"message": str(reason)}}]:
                        raise NotPossible(f"The server does not listen to us: {reason}")
                    case ["frontend_event", {"taskId": self.task, "event": dict() as event}]:
                        yield event
        except ConnectionClosed:
            return


@asynccontextmanager
async def open_page(console: str, task: str) -> AsyncIterator[Page]:
    """`console` is an address that lets one browser in: whoever speaks here does so as a person."""
    link = urlsplit(console)
    origin = f"{link.scheme}://{link.netloc}"
    cookie, secret = await asyncio.to_thread(_sign_in, origin, link.fragment.removeprefix("code=").partition("/")[0])
    address = f"ws://{link.netloc}/socket.io/?EIO=4&transport=websocket"
    headers = {"Cookie": cookie, "Origin": origin}
    async with connect(address, max_size=_LARGEST, compression=None, additional_headers=headers) as line:
        await line.recv()
        auth = {"page": secret, "clientType": "frontend", "taskId": task}
        await line.send(f"40{_NAMESPACE},{json.dumps(auth)}")
        welcome = str(await line.recv())
        if not welcome.startswith(f"40{_NAMESPACE}"):
            raise NotPossible(f"The server does not talk to us: {welcome}")
        yield Page(line, task)


def _sign_in(origin: str, code: str) -> tuple[str, str]:
    """The cookie, and what a page shows beside it."""
    headers = {"Origin": origin, "Content-Type": "application/json"}
    request = Request(f"{origin}/api/session", json.dumps({"code": code}).encode(), headers, method="POST")
    with urlopen(request) as answer:
        cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]
        return cookie, str(json.load(answer)["data"]["pageSecret"])


def _event(packet: str | bytes) -> Any:
    """`[name, data]` of an event, `[answer]` to what was said, or `ping`; None of all else."""
    text = packet.decode() if isinstance(packet, bytes) else packet
    if text == "2":
        return "ping"
    for head in (f"42{_NAMESPACE},", f"43{_NAMESPACE},0"):
        if text.startswith(head):
            return json.loads(text.removeprefix(head))
    return None
