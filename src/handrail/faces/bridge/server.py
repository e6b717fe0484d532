"""The host behind its socket, until it is stopped."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from handrail.contract.peers import Caller, Identify
from handrail.core.desktop.host import Host, Request
from handrail.faces.bridge.audience import Audience
from handrail.faces.bridge.connection import Connection
from handrail.faces.bridge.messages import Message
from handrail.faces.bridge.socket_file import bound

_LOOK_EVERY_SECONDS = 1.0


async def serve(
    host: Host, path: Path, identify: Identify, on_ready: Callable[[], None], *, until_unused: float | None = None
) -> None:
    """Until it is cancelled, or nobody has been connected for `until_unused` seconds: then running calls are aborted and answered, and the socket's name goes.

    It listens before there is a desktop, and says so to those who come.
    """

    async def answer(message: Message, caller: Caller) -> dict[str, Any]:
        return await host.answer(Request(message.id, message.method, message.params, caller))

    audience: Audience[Connection] = Audience()
    with bound(path) as listening:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: Connection(answer, identify, audience), sock=listening)
        host.equipment.source.start()
        try:
            on_ready()
            await _unused(connections, until_unused)
        finally:
            server.close()
            await asyncio.gather(*(connection.close() for connection in audience.present), return_exceptions=True)
            await host.equipment.source.close()


async def _unused(connections: set[Connection], seconds: float | None) -> None:
    """Returns after so many seconds without anybody; without a limit, never."""
    clock = asyncio.get_running_loop().time
    if seconds is None:
        await asyncio.Future()
        return
    used_at = clock()
    while (left := used_at + seconds - clock()) > 0:
        await asyncio.sleep(min(left, _LOOK_EVERY_SECONDS))
        used_at = clock() if connections else used_at
