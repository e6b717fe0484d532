"""A Socket.IO client of the namespace `/mimo` that records all events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import socketio

from tests.faces.http.running import Running
from tests.waiting import PATIENCE

NAMESPACE = "/mimo"
BOTH = ["polling", "websocket"]


class Listener:
    def __init__(self, *, reconnects: bool = False) -> None:
        self.client = socketio.AsyncClient(reconnection=reconnects, reconnection_delay=0.1, reconnection_delay_max=0.2)
        self.told: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self.refusals: list[Any] = []
        self.joined = asyncio.Event()
        self.left = asyncio.Event()
        self._is_decided = asyncio.Event()
        self.client.on("*", self._tell, namespace=NAMESPACE)
        self.client.on("connect", self._join, namespace=NAMESPACE)
        self.client.on("disconnect", self._leave, namespace=NAMESPACE)
        self.client.on("connect_error", self._refuse, namespace=NAMESPACE)

    async def connect(
        self, server: Running, *, auth: Any = None, headers: Any = None, transports: list[str] | None = None
    ) -> None:
        await self.client.connect(
            server.address,
            auth=auth,
            headers=lambda: dict(headers or {}),  # the client removes the cookie from the headers that it gets
            namespaces=[NAMESPACE],
            transports=transports or BOTH,
            wait=False,
        )
        async with asyncio.timeout(PATIENCE):
            await self._is_decided.wait()
        if self.refusals:
            raise socketio.exceptions.ConnectionError(self.refusals[-1])

    async def close(self) -> None:
        """Disconnects like a closed tab: without waiting for a poll to end."""
        self.client.reconnection = False
        await self.client.eio.disconnect(abort=True)

    async def next(self, event: str) -> Any:
        """Returns the next event of that name and skips others."""
        async with asyncio.timeout(PATIENCE):
            while True:
                name, data = await self.told.get()
                if name == event:
                    return data

    async def gone(self) -> None:
        """Returns once the server has closed the connection."""
        async with asyncio.timeout(PATIENCE):
            await self.left.wait()

    async def send(self, event: str, data: Any) -> Any:
        return await self.client.call(event, data, namespace=NAMESPACE, timeout=PATIENCE)

    async def _tell(self, event: str, data: Any) -> None:
        self.told.put_nowait((event, data))

    async def _join(self) -> None:
        self.left.clear()
        self.joined.set()
        self._is_decided.set()

    async def _leave(self, reason: str) -> None:
        self.joined.clear()
        self.left.set()

    async def _refuse(self, data: Any) -> None:
        self.refusals.append(data)
        self._is_decided.set()


@asynccontextmanager
async def listening(server: Running, **how: Any) -> AsyncIterator[Listener]:
    """With the token, unless `how` says otherwise."""
    listener = Listener(reconnects=how.pop("reconnects", False))
    if not how.keys() & {"auth", "headers"}:
        how["auth"] = {"token": server.token, "clientType": "frontend"}
    try:
        await listener.connect(server, **how)
        yield listener
    finally:
        await listener.close()
