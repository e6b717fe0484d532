"""Serves JSON-RPC on a Unix socket until it is stopped."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from handrail.faces.jsonrpc.connection import Connection, Connections, Service
from handrail.faces.jsonrpc.socket_file import open_socket
from handrail.ports.peers import Identify
from handrail.ports.waiting import enter_in_thread


async def serve(
    service: Service, path: Path, identify: Identify, on_ready: Callable[[], None], *, unused_seconds: float | None
) -> None:
    """Runs until it is cancelled, or unused for `unused_seconds`; running calls are then aborted and answered.

    It listens before the service is ready; until then requests get an error that says so.
    """

    connections = Connections()
    async with enter_in_thread(open_socket(path)) as listener:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(service, identify, connections), sock=listener)
        service.start()
        try:
            on_ready()
            await (
                connections.wait_until_unused(unused_seconds) if unused_seconds is not None else loop.create_future()
            )
        finally:
            server.close()
            await asyncio.gather(*(connection.close() for connection in connections.all), return_exceptions=True)
            await service.close()
