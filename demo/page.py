"""A page that talks to the agent, as the console's is one: Socket.IO of contract 2 §3, over a WebSocket of our own."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
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
        await self._line.send(f"42{_NAMESPACE},{json.dumps(['frontend_message', {**message, **members}])}")

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """What the task's page is told, until the line ends."""
        try:
            async for packet in self._line:
                match _event(packet):
                    case "ping":
                        await self._line.send("3")
                    case ["frontend_event", {"taskId": self.task, "event": dict() as event}]:
                        yield event
        except ConnectionClosed:
            return


@asynccontextmanager
async def open_page(host: str, port: int, token: str, task: str) -> AsyncIterator[Page]:
    address = f"ws://{host}:{port}/socket.io/?EIO=4&transport=websocket"
    async with connect(address, max_size=_LARGEST, compression=None) as line:
        await line.recv()
        auth = {"token": token, "clientType": "frontend", "taskId": task}
        await line.send(f"40{_NAMESPACE},{json.dumps(auth)}")
        welcome = str(await line.recv())
        if not welcome.startswith(f"40{_NAMESPACE}"):
            raise NotPossible(f"The server does not talk to us: {welcome}")
        yield Page(line, task)


def _event(packet: str | bytes) -> Any:
    """`[name, data]` of an event, or `ping`; None of all else."""
    text = packet.decode() if isinstance(packet, bytes) else packet
    if text == "2":
        return "ping"
    head = f"42{_NAMESPACE},"
    return json.loads(text.removeprefix(head)) if text.startswith(head) else None
