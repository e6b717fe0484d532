"""The one socket that the agent reaches: a proxy for everything outside, and handrail's own endpoint behind it."""

import asyncio
import json
import logging
import socket

from handrail.features.cage.proxy.arrival import Arrival, IsWelcome, OwnProtocol
from handrail.features.cage.proxy.host_access import HostAccess
from handrail.features.cage.proxy.relay import CHUNK, closed, copy, relay
from handrail.features.cage.proxy.request_head import RequestHead
from handrail.features.cage.proxy.server_name import NotTls, hello_size, server_name
from handrail.kernel.host_name import canonical_host
from handrail.ports.errors import Declined, Failure, InvalidParams

logger = logging.getLogger(__name__)

_HELLO_SECONDS = 30.0


class Door:
    def __init__(self, listening: socket.socket, access: HostAccess, own: OwnProtocol, is_welcome: IsWelcome) -> None:
        self._listening = listening
        self._access = access
        self._own = own
        self._is_welcome = is_welcome

    async def serve(self) -> None:
        """Until it is cancelled."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Arrival(self._answer, self._own, _refusal, self._is_welcome), sock=self._listening, backlog=256
        )
        async with server:
            await server.serve_forever()

    async def _answer(self, request: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if request.kind == "tunnel":
                await self._tunnel(request, reader, writer)
            else:
                await self._forward(request, reader, writer)
        except Failure as failure:
            writer.write(_refusal(failure))
        except (OSError, TimeoutError):
            logger.debug("a connection in the cage ended early", exc_info=True)
        finally:
            await closed(writer)

    async def _tunnel(self, request: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await self._access.connect("https", request.host, request.port)
        try:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            hello = await _hello(reader)
            if not _is_for(hello, request.host):
                logger.warning("a tunnel to %s was used for another host, and closed", request.host)
                return
            there[1].write(hello)
            await relay((reader, writer), there)
        finally:
            await closed(there[1])

    async def _forward(self, request: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await self._access.connect("http", request.host, request.port)
        try:
            there[1].write(request.forwarded)
            left = request.body_size
            while left > 0 and (piece := await reader.read(min(left, CHUNK))):
                left -= len(piece)
                there[1].write(piece)
                await there[1].drain()
            await copy(there[0], writer)
        finally:
            await closed(there[1])


async def _hello(reader: asyncio.StreamReader) -> bytes:
    """What the client sends first, as far as its ClientHello goes; empty where it isn't TLS."""
    data = b""
    async with asyncio.timeout(_HELLO_SECONDS):
        while True:
            piece = await reader.read(CHUNK)
            data += piece
            try:
                if not piece:
                    return b""
                if hello_size(data) is not None:
                    return data
            except NotTls:
                return b""


def _is_for(hello: bytes, host: str) -> bool:
    """A tunnel carries TLS to the host that was allowed. An address has no name, and then none may be given."""
    try:
        size = hello_size(hello) if hello else None
        name = None if size is None else server_name(hello[:size])
    except NotTls:
        return False
    if size is None:
        return False
    if host.replace(".", "").isdigit() or ":" in host:
        return name is None or canonical_host(name) == host
    return name is not None and canonical_host(name) == host


def _refusal(failure: Failure) -> bytes:
    """A proxy's answer that programs show: what happened and what to do."""
    status = "400 Bad Request" if isinstance(failure, InvalidParams) else "502 Bad Gateway"
    if isinstance(failure, Declined):
        status = "403 Forbidden"
    words = f"handrail: {failure.message}" + (f" {failure.hint}" if failure.hint else "")
    body = json.dumps({"error": {"message": words}}).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body
