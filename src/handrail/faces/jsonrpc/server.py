"""The host behind its socket, until it is stopped."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from handrail.faces.jsonrpc.audience import Audience
from handrail.faces.jsonrpc.connection import Connection
from handrail.faces.jsonrpc.messages import Message
from handrail.faces.jsonrpc.socket_file import bound
from handrail.features.desktop.host.host import Host, Request
from handrail.ports.peers import Caller, Identify
from handrail.ports.waiting import entered


async def serve(
    host: Host, path: Path, identify: Identify, on_ready: Callable[[], None], *, unused_seconds: float | None = None
) -> None:
    """Until it is cancelled, or nobody has been connected for so long; running calls are aborted and answered then.

    It listens before there is a desktop, and says so to those who come.
    """

    audience: Audience[Connection] = Audience()
    async with entered(bound(path)) as listening:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(
            lambda: Connection(HostAnswers(host), identify, audience), sock=listening
        )
        host.services.source.start()
        try:
            on_ready()
            await (audience.gone(unused_seconds) if unused_seconds is not None else loop.create_future())
        finally:
            server.close()
            await asyncio.gather(*(connection.close() for connection in audience.present), return_exceptions=True)
            await host.services.source.close()


class HostAnswers:
    """The host as a connection sees it."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def is_inquiry(self, message: Message) -> bool:
        return self._host.is_inquiry(message.method)

    def at_once(self, message: Message, caller: Caller) -> dict[str, Any] | None:
        return self._host.answer_at_once(Request(message.id, message.method, message.params, caller))

    async def later(self, message: Message, caller: Caller) -> dict[str, Any]:
        return await self._host.answer(Request(message.id, message.method, message.params, caller))
