"""The only socket that the agent can connect to: a proxy for everything outside, and handrail's own endpoint."""

import asyncio
import json
import logging
import socket

from handrail.features.cage.proxy.host_access import HostAccess
from handrail.features.cage.proxy.incoming_connection import EndpointProtocol, IncomingConnection, PeerCheck
from handrail.features.cage.proxy.relay import CHUNK, close_writer, copy, relay
from handrail.features.cage.proxy.request_head import RequestHead
from handrail.features.cage.proxy.server_name import NotTls, hello_size, server_name
from handrail.kernel.host_name import canonical_host
from handrail.ports.errors import Declined, Failure, InvalidParams

logger = logging.getLogger(__name__)

_HELLO_SECONDS = 30.0


class ProxyServer:
    def __init__(
        self,
        listening: socket.socket,
        access: HostAccess,
        endpoint_protocol: EndpointProtocol,
        is_allowed_peer: PeerCheck,
    ) -> None:
        self._listening = listening
        self._access = access
        self._endpoint_protocol = endpoint_protocol
        self._is_allowed_peer = is_allowed_peer

    async def serve(self) -> None:
        """Runs until it is cancelled."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: IncomingConnection(self._answer, self._endpoint_protocol, _refusal, self._is_allowed_peer),
            sock=self._listening,
            backlog=256,
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
            await close_writer(writer)

    async def _tunnel(self, request: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream = await self._access.connect("https", request.host, request.port)
        try:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            hello = await _hello(reader)
            if not _is_for(hello, request.host):
                logger.warning("a tunnel to %s was used for another host, and was closed", request.host)
                return
            upstream[1].write(hello)
            await relay((reader, writer), upstream)
        finally:
            await close_writer(upstream[1])

    async def _forward(self, request: RequestHead, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream = await self._access.connect("http", request.host, request.port)
        try:
            upstream[1].write(request.forwarded)
            remaining = request.body_size
            while remaining > 0 and (piece := await reader.read(min(remaining, CHUNK))):
                remaining -= len(piece)
                upstream[1].write(piece)
                await upstream[1].drain()
            await copy(upstream[0], writer)
        finally:
            await close_writer(upstream[1])


async def _hello(reader: asyncio.StreamReader) -> bytes:
    """Returns the first bytes up to the end of the ClientHello; empty if they aren't TLS."""
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
    """Whether a tunnel's TLS is for the allowed host. For an IP address, no other name may be given."""
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
    """Makes a proxy response, which programs show: what happened and what to do."""
    status = "400 Bad Request" if isinstance(failure, InvalidParams) else "502 Bad Gateway"
    if isinstance(failure, Declined):
        status = "403 Forbidden"
    message = f"handrail: {failure.message}" + (f" {failure.hint}" if failure.hint else "")
    body = json.dumps({"error": {"message": message}}).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body
