"""Ports that the agent opens inside, forwarded from loopback outside: those of `--publish`, and others by asking."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from handrail.features.cage.launch import ASK_PORTS
from handrail.features.cage.namespace import receive_socket
from handrail.features.cage.proxy.relay import closed, relay
from handrail.features.cage.spec import ENDPOINT_PORT
from handrail.ports.errors import Failure

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 1.0
_FIRST_SHORT_LIVED = 32768
"""From here on the kernel chooses ports for sockets that name none: tests open many of them."""

Ask = Callable[[int, int], Awaitable[object]]
"""Whether a port inside may be forwarded from one outside. Raises where it may not."""


@asynccontextmanager
async def publish(published: "Published", ports: Sequence[int], ask: Ask) -> AsyncIterator[None]:
    """While inside the context. A port of `ports` that is taken outside is an OSError."""
    watching: asyncio.Task[None] | None = None
    try:
        for port in ports:
            await published.forward(port, port)
        watching = asyncio.create_task(published.watch(ask))
        yield
    finally:
        if watching is not None:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        published.close()


class Published:
    """`inside` reaches the helper in the cage's network, which connects for us, one at a time."""

    def __init__(self, inside: socket.socket) -> None:
        self._inside = inside
        self._turn = asyncio.Lock()
        self._known = {ENDPOINT_PORT}
        self._servers: list[asyncio.Server] = []

    async def watch(self, ask: Ask) -> None:
        """Asks about each port once, when it has been open for two looks."""
        seen: set[int] = set()
        async with asyncio.TaskGroup() as group:
            while True:
                await asyncio.sleep(_LOOK_SECONDS)
                async with self._turn:
                    found = await asyncio.to_thread(self._ports)
                for port in (found & seen) - self._known:
                    self._known.add(port)
                    group.create_task(self._offer(port, ask))
                seen = found

    async def _offer(self, port: int, ask: Ask) -> None:
        try:
            await ask(port, await asyncio.to_thread(_free_port, port))
        except Failure as failure:
            logger.info("port %d of the cage stays inside: %s", port, failure.message)

    def _ports(self) -> set[int]:
        self._inside.send(ASK_PORTS)
        words = receive_socket(self._inside)[0].split()
        return {int(word) for word in words if word.isdigit() and 0 < int(word) < _FIRST_SHORT_LIVED}

    def close(self) -> None:
        for server in self._servers:
            server.close()

    async def forward(self, port: int, outside: int) -> None:
        """From a port outside to one inside. OSError."""
        self._known.add(port)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                async with self._turn:
                    found = await asyncio.to_thread(self._connected, port)
                if found is not None:
                    there = await asyncio.open_connection(sock=found)
                    await relay((reader, writer), there)
            except OSError:
                logger.debug("a connection to the published port %d ended early", port, exc_info=True)
            finally:
                await closed(writer)

        self._servers.append(await asyncio.start_server(answer, "127.0.0.1", outside))

    def _connected(self, port: int) -> socket.socket | None:
        """None where nothing listens inside."""
        self._inside.send(str(port).encode())
        return receive_socket(self._inside)[1]


def _free_port(wanted: int) -> int:
    """The same one, or another where something else has it."""
    for port in (wanted, 0):
        try:
            with socket.create_server(("127.0.0.1", port)) as found:
                return int(found.getsockname()[1])
        except OSError:
            continue
    return wanted
