"""Serves a service on its socket until it is stopped."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from handrail.faces.jsonrpc.connection import Connection, Connections, Service
from handrail.faces.jsonrpc.socket_file import bound
from handrail.ports.peers import Identify
from handrail.ports.waiting import enter_in_thread


async def serve(
    service: Service, path: Path, identify: Identify, on_ready: Callable[[], None], *, unused_seconds: float | None
) -> None:
    """Runs until it is cancelled, or nobody has been connected for so long; running calls are then aborted and
    answered.

    It listens before the service is ready; until then requests get an error that says so.
    """

    connections = Connections()
    async with enter_in_thread(bound(path)) as listening:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(service, identify, connections), sock=listening)
        service.start()
        try:
            on_ready()
            await (connections.gone(unused_seconds) if unused_seconds is not None else loop.create_future())
        finally:
            server.close()
            await asyncio.gather(*(connection.close() for connection in connections.present), return_exceptions=True)
            await service.close()
