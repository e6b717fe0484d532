"""One connection to a host: JSON texts in lines, many calls under way at once, answers in any order.

Knows ids and lines, not what the methods mean. A connection that breaks ends every call that waits on it.
"""

import asyncio
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from handrail.ports.errors import Offline

_LONGEST_PATH = 107 if sys.platform == "linux" else 103
_CONNECT_SECONDS = 5.0
_CONNECT_AGAIN_SECONDS = 0.02
_LONGEST_LINE = 64 * 1024 * 1024


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def open(cls, path: Path) -> "Connection":
        """OSError where nobody listens, or whoever listens takes no connections."""
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.setblocking(False)
            await _connect(connected, path)
            reader, writer = await asyncio.open_unix_connection(sock=connected, limit=_LONGEST_LINE)
        except BaseException:
            connected.close()
            raise
        return cls(reader, writer)

    @property
    def is_open(self) -> bool:
        return not self._reading.done()

    async def ask(self, id: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The whole answer to this request. Offline when the host ends first."""
        if not self.is_open:
            raise _ended()
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = answer
        try:
            self.tell(id, method, params)
            with suppress(ConnectionError):  # the reading end knows it as well, and says it
                await self._writer.drain()
            return await answer
        finally:
            del self._waiting[id]

    def tell(self, id: str, method: str, params: dict[str, Any]) -> None:
        """Sends a request whose answer nobody waits for."""
        if self.is_open:
            request = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            self._writer.write(msgspec.json.encode(request) + b"\n")

    async def close(self) -> None:
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _read(self) -> None:
        try:
            while line := await self._reader.readline():
                self._take(line)
        except (OSError, ValueError):  # a broken pipe, or a line that is no end of one
            pass
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(_ended())

    def _take(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ValueError("not JSON") from error
        answer = self._waiting.get(str(message.get("id"))) if isinstance(message, dict) else None
        if answer is not None and not answer.done():
            answer.set_result(message)


def _ended() -> Offline:
    return Offline("The desktop's host ended before it answered.", hint="Look again before you repeat what acts.")


async def _connect(connected: socket.socket, path: Path) -> None:
    """The loop's own `sock_connect` takes a full backlog for a connection."""
    async with asyncio.timeout(_CONNECT_SECONDS):
        while True:
            try:
                with _address(path) as address:
                    return connected.connect(address)
            except BlockingIOError:
                await asyncio.sleep(_CONNECT_AGAIN_SECONDS)


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """What connect takes: the kernel's limit on its length is far below that of a path."""
    if len(os.fsencode(path)) <= _LONGEST_PATH or sys.platform != "linux":
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
