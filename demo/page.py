"""A client that talks to the agent like the console's page: Socket.IO of contract 2 §3, over a WebSocket."""

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

from demo.tour_folder import TourFailed

_NAMESPACE = "/mimo"
_MOST_BYTES = 16 * 1024 * 1024


class Page:
    def __init__(self, socket: ClientConnection, task: str) -> None:
        self._socket = socket
        self.task = task

    async def say(self, content: str, **members: Any) -> None:
        message = {"v": 1, "type": "user_message", "id": f"evt-{uuid4().hex}", "taskId": self.task, "content": content}
        await self._socket.send(f"42{_NAMESPACE},0{json.dumps(['frontend_message', {**message, **members}])}")

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yields the events of the task's page until the connection ends."""
        try:
            async for packet in self._socket:
                match _event(packet):
                    case "ping":
                        await self._socket.send("3")
                    case [{"ok": False, "error": {"message": str(reason)}}]:
                        raise TourFailed(f"The server refused the page: {reason}")
                    case ["frontend_event", {"taskId": self.task, "event": dict() as event}]:
                        yield event
        except ConnectionClosed:
            return


@asynccontextmanager
async def open_page(console: str, task: str) -> AsyncIterator[Page]:
    """`console` is a one-time link, so messages sent here count as a person's."""
    link = urlsplit(console)
    origin = f"{link.scheme}://{link.netloc}"
    cookie, secret = await asyncio.to_thread(_sign_in, origin, link.fragment.removeprefix("code=").partition("/")[0])
    address = f"ws://{link.netloc}/socket.io/?EIO=4&transport=websocket"
    headers = {"Cookie": cookie, "Origin": origin}
    async with connect(address, max_size=_MOST_BYTES, compression=None, additional_headers=headers) as socket:
        await socket.recv()
        auth = {"page": secret, "clientType": "frontend", "taskId": task}
        await socket.send(f"40{_NAMESPACE},{json.dumps(auth)}")
        welcome = str(await socket.recv())
        if not welcome.startswith(f"40{_NAMESPACE}"):
            raise TourFailed(f"The server refused the connection: {welcome}")
        yield Page(socket, task)


def _sign_in(origin: str, code: str) -> tuple[str, str]:
    """Returns the cookie, and the secret that a page shows with it."""
    headers = {"Origin": origin, "Content-Type": "application/json"}
    request = Request(f"{origin}/api/session", json.dumps({"code": code}).encode(), headers, method="POST")
    with urlopen(request) as response:
        cookie = str(response.headers["Set-Cookie"]).partition(";")[0]
        return cookie, str(json.load(response)["data"]["pageSecret"])


def _event(packet: str | bytes) -> Any:
    """Returns `[name, data]` of an event, `[answer]` to a message, or `ping`; None for anything else."""
    text = packet.decode() if isinstance(packet, bytes) else packet
    if text == "2":
        return "ping"
    for head in (f"42{_NAMESPACE},", f"43{_NAMESPACE},0"):
        if text.startswith(head):
            return json.loads(text.removeprefix(head))
    return None
