"""Ports that the agent opens inside, forwarded from the same port outside, on loopback."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from handrail.features.cage.namespace import receive_socket
from handrail.features.cage.proxy.relay import closed, relay

logger = logging.getLogger(__name__)


@asynccontextmanager
async def publish(inside: socket.socket, ports: Sequence[int]) -> AsyncIterator[None]:
    """While inside the context. A port that is taken outside is an OSError."""
    published = Published(inside)
    async with AsyncExitStack() as stack:
        for port in ports:
            await stack.enter_async_context(await published.open(port))
        yield


class Published:
    """`inside` reaches the helper in the cage's network, which connects for us, one at a time."""

    def __init__(self, inside: socket.socket) -> None:
        self._inside = inside
        self._turn = asyncio.Lock()

    async def open(self, port: int) -> asyncio.Server:
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

        return await asyncio.start_server(answer, "127.0.0.1", port)

    def _connected(self, port: int) -> socket.socket | None:
        """None where nothing listens inside."""
        self._inside.send(str(port).encode())
        return receive_socket(self._inside)[1]
