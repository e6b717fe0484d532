"""A connection until its first request's head is read: then it goes to the proxy or to handrail's own endpoint."""

import asyncio
from collections.abc import Awaitable, Callable

from handrail.features.cage.proxy.request_head import LONGEST_HEAD, RequestHead, read_head
from handrail.ports.errors import Failure, InvalidParams

_HEAD_SECONDS = 30.0
_END = b"\r\n\r\n"

Proxied = Callable[[RequestHead, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
OwnProtocol = Callable[[], asyncio.Protocol]
"""What speaks HTTP on handrail's own endpoint."""
IsWelcome = Callable[[tuple[str, int], tuple[str, int]], bool]
"""Whether who connects from the first address to the second, ours, may."""


class Arrival(asyncio.Protocol):
    def __init__(
        self, proxied: Proxied, own: OwnProtocol, refusal: Callable[[Failure], bytes], is_welcome: IsWelcome
    ) -> None:
        self._proxied = proxied
        self._own = own
        self._refusal = refusal
        self._is_welcome = is_welcome
        self._data = b""
        self._transport: asyncio.Transport
        self._patience: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._patience = asyncio.get_running_loop().call_later(_HEAD_SECONDS, transport.close)
        peer, own = (transport.get_extra_info(name)[:2] for name in ("peername", "sockname"))
        if not self._is_welcome(peer, own):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.cancel()

    def data_received(self, data: bytes) -> None:
        self._data += data
        end = self._data.find(_END)
        if end < 0 and len(self._data) <= LONGEST_HEAD:
            return
        self._patience.cancel()
        try:
            if end < 0:
                raise InvalidParams("The head of the request is too long.")
            request = read_head(self._data[: end + len(_END)])
        except Failure as failure:
            self._transport.write(self._refusal(failure))
            self._transport.close()
            return
        if request.kind == "own":
            self._hand_over(self._own(), self._data)
        else:
            self._hand_over(self._streams(request), self._data[end + len(_END) :])

    def _hand_over(self, protocol: asyncio.Protocol, data: bytes) -> None:
        self._transport.set_protocol(protocol)
        protocol.connection_made(self._transport)
        if data:
            protocol.data_received(data)

    def _streams(self, request: RequestHead) -> asyncio.Protocol:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Awaitable[None]:
            return self._proxied(request, reader, writer)

        return asyncio.StreamReaderProtocol(asyncio.StreamReader(), connected)
