"""Forwards ports that the agent opens to loopback outside: those of `--publish`, and others after approval."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from handrail.features.cage.launch import LIST_PORTS
from handrail.features.cage.namespace import receive_socket
from handrail.features.cage.proxy.relay import close_writer, relay
from handrail.features.cage.spec import ENDPOINT_PORT
from handrail.ports.errors import Failure

logger = logging.getLogger(__name__)

_POLL_SECONDS = 1.0
_FIRST_EPHEMERAL_PORT = 32768
"""From here on, the kernel assigns ports to sockets that don't name one; tests open many of them."""

AskForPort = Callable[[int, int], Awaitable[object]]
"""Asks whether a port inside may be forwarded from one outside. Raises if not."""


@asynccontextmanager
async def publish(published: "PublishedPorts", ports: Sequence[int], ask: AskForPort) -> AsyncIterator[None]:
    """Forwards within the context. OSError if one of `ports` is taken outside."""
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


class PublishedPorts:
    """`helper` is the channel to the process in the cage's network that connects for us, one at a time."""

    def __init__(self, helper: socket.socket) -> None:
        self._helper = helper
        self._lock = asyncio.Lock()
        self._handled = {ENDPOINT_PORT}
        self._servers: list[asyncio.Server] = []

    async def watch(self, ask: AskForPort) -> None:
        """Asks about each port once, when it was open in two polls in a row."""
        previous: set[int] = set()
        async with asyncio.TaskGroup() as group:
            while True:
                await asyncio.sleep(_POLL_SECONDS)
                async with self._lock:
                    open_ports = await asyncio.to_thread(self._ports)
                for port in (open_ports & previous) - self._handled:
                    self._handled.add(port)
                    group.create_task(self._offer(port, ask))
                previous = open_ports

    async def _offer(self, port: int, ask: AskForPort) -> None:
        try:
            await ask(port, await asyncio.to_thread(_free_port, port))
        except Failure as failure:
            logger.info("port %d of the cage stays inside: %s", port, failure.message)

    def _ports(self) -> set[int]:
        self._helper.send(LIST_PORTS)
        words = receive_socket(self._helper)[0].split()
        return {int(word) for word in words if word.isdigit() and 0 < int(word) < _FIRST_EPHEMERAL_PORT}

    def close(self) -> None:
        for server in self._servers:
            server.close()

    async def forward(self, port: int, outside: int) -> None:
        """Forwards from a port outside to one inside. OSError."""
        self._handled.add(port)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                async with self._lock:
                    connection = await asyncio.to_thread(self._connect, port)
                if connection is not None:
                    upstream = await asyncio.open_connection(sock=connection)
                    await relay((reader, writer), upstream)
            except OSError:
                logger.debug("a connection to the published port %d ended early", port, exc_info=True)
            finally:
                await close_writer(writer)

        self._servers.append(await asyncio.start_server(answer, "127.0.0.1", outside))

    def _connect(self, port: int) -> socket.socket | None:
        """None if nothing listens inside."""
        self._helper.send(str(port).encode())
        return receive_socket(self._helper)[1]


def _free_port(preferred: int) -> int:
    """Returns the same port, or another if that is taken."""
    for port in (preferred, 0):
        try:
            with socket.create_server(("127.0.0.1", port)) as server:
                return int(server.getsockname()[1])
        except OSError:
            continue
    return preferred
