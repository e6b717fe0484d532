"""A connection to an HTTP server on this machine that outlives its request: one at a time, with known lengths.

Knows no routes and no credentials. Who gives up waiting has to close it, and so the server hears of it.
"""

import asyncio
import select
import time
from dataclasses import dataclass

_KEPT = 2.0
"""Shorter than any server waits for the next request before it hangs up."""
_HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class KeptLine(asyncio.Protocol):
    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._waiting: asyncio.Future[Answer] | None = None
        self._used_at = 0.0
        self._is_open = False
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def open(cls, host: str, port: int) -> "KeptLine":
        _, line = await asyncio.get_running_loop().create_connection(cls, host, port)
        return line

    def is_usable(self, loop: asyncio.AbstractEventLoop) -> bool:
        """The server may have hung up without our having heard of it yet: then there is something to read."""
        if self._transport is None or not self._is_open or time.monotonic() - self._used_at > _KEPT:
            return False
        if self._transport.is_closing() or self._loop is not loop:
            return False
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not poll.poll(0)

    async def ask(self, request: bytes) -> Answer:
        """OSError: the connection ended before the whole answer was there. ValueError: it is no answer."""
        if self._transport is None or not self._is_open:
            raise ConnectionResetError("the connection has ended before it was asked")
        self._waiting = self._loop.create_future()
        self._transport.write(request)
        try:
            return await self._waiting
        finally:
            self._waiting = None
            self._used_at = time.monotonic()

    def close(self) -> None:
        self._is_open = False
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._is_open = True

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._waiting is None or self._waiting.done():
            self.close()  # nobody has asked
            return
        try:
            answer = self._whole()
        except ValueError as wrong:
            self._waiting.set_exception(wrong)
            self.close()
            return
        if answer is not None:
            self._waiting.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_open = False
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionResetError("the answer is cut off"))

    def _whole(self) -> Answer | None:
        """None while a part of it is missing."""
        end = self._received.find(_HEAD_END)
        if end < 0:
            return None
        first, *rest = self._received[:end].decode("latin-1").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        start = end + len(_HEAD_END)
        stop = start + int(headers.get("content-length", ""))
        if len(self._received) < stop:
            return None
        body = bytes(self._received[start:stop])
        if len(self._received) > stop or headers.get("connection", "").lower() == "close":
            self.close()
        self._received.clear()
        return Answer(int(first.split()[1]), headers, body)
