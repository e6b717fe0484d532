"""A connection until its first request's head was read; then it goes to the proxy or to handrail's own endpoint."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from handrail.features.cage.proxy.request_head import LONGEST_HEAD, RequestHead, read_head
from handrail.ports.errors import Failure, InvalidParams

_HEAD_SECONDS = 30.0
_END = b"\r\n\r\n"

ProxyHandler = Callable[[RequestHead, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
EndpointProtocol = Callable[[], asyncio.Protocol]
"""Makes the HTTP protocol of handrail's own endpoint."""
PeerCheck = Callable[[tuple[str, int], tuple[str, int]], bool]
"""Whether a connection from the first address to the second, ours, is allowed."""


class IncomingConnection(asyncio.Protocol):
    def __init__(
        self,
        handle_proxied: ProxyHandler,
        endpoint_protocol: EndpointProtocol,
        refusal: Callable[[Failure], bytes],
        is_allowed_peer: PeerCheck,
    ) -> None:
        self._handle_proxied = handle_proxied
        self._endpoint_protocol = endpoint_protocol
        self._refusal = refusal
        self._is_allowed_peer = is_allowed_peer
        self._data = b""
        self._transport: asyncio.Transport
        self._timeout: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._timeout = asyncio.get_running_loop().call_later(_HEAD_SECONDS, transport.close)
        peer, endpoint_protocol = (transport.get_extra_info(name)[:2] for name in ("peername", "sockname"))
        if not self._is_allowed_peer(peer, endpoint_protocol):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timeout.cancel()

    def data_received(self, data: bytes) -> None:
        self._data += data
        end = self._data.find(_END)
        if end < 0 and len(self._data) <= LONGEST_HEAD:
            return
        self._timeout.cancel()
        try:
            if end < 0:
                raise InvalidParams("The head of the request is too long.")
            request = read_head(self._data[: end + len(_END)])
        except Failure as failure:
            self._transport.write(self._refusal(failure))
            self._transport.close()
            return
        if request.kind == "own":
            self._hand_over(self._endpoint_protocol(), self._data)
        else:
            self._hand_over(self._proxy_protocol(request), self._data[end + len(_END) :])

    def _hand_over(self, protocol: asyncio.Protocol, data: bytes) -> None:
        self._transport.set_protocol(protocol)
        protocol.connection_made(self._transport)
        if data:
            protocol.data_received(data)

    def _proxy_protocol(self, request: RequestHead) -> asyncio.Protocol:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.CancelledError):  # Python 3.11 prints a traceback for a cancelled handler
                await self._handle_proxied(request, reader, writer)

        return asyncio.StreamReaderProtocol(asyncio.StreamReader(), connected)
