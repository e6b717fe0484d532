"""Serves the features' services on a Unix socket in the state directory, one service per connection.

The first line of a connection is the hello, a JSON object: `{"service": …, "version": 1, "project": …}` and the
service's own members. The answer is one line, `{"ok": true, …}` or `{"ok": false, "error": …}`; then the service has
the connection. The operating system tells which process is calling.
"""

import asyncio
import logging
import os
import select
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import msgspec

import handrail
from handrail.faces.local.client import VERSION
from handrail.kernel import strict_json
from handrail.kernel.local_service import LocalCaller, LocalSession, Service
from handrail.kernel.project import Project
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Declined, Failure, InvalidParams, NotFound, Unsupported

LONGEST_LINE = 64 * 1024 * 1024
_LONGEST_HELLO = 64 * 1024
_CHUNK = 256 * 1024
_HELLO_SECONDS = 10.0

logger = logging.getLogger(__name__)

FindProject = Callable[[str | None], Awaitable[Project]]
IdentifyCaller = Callable[[socket.socket], LocalCaller]
"""Blocks. Raises InputOutput if the operating system can't tell who is calling."""


class Stream:
    """Implements the port `LocalStream` with asyncio's streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        with suppress(ConnectionError):
            return await self._reader.read(_CHUNK)
        return b""

    async def read_line(self) -> bytes | None:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            return end.partial or None
        except asyncio.LimitOverrunError:
            raise InvalidParams(f"A line is longer than {LONGEST_LINE} bytes.") from None
        return line[:-1]

    async def read_exactly(self, size: int) -> bytes:
        try:
            return await self._reader.readexactly(size)
        except asyncio.IncompleteReadError:
            raise InvalidParams("The connection ended too early.") from None

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    @property
    def is_gone(self) -> bool:
        poll = select.poll()
        poll.register(self._writer.get_extra_info("socket").fileno(), 0)
        return bool(poll.poll(0))  # hangs up only when both directions are closed

    async def closed(self) -> None:
        with suppress(ConnectionError):
            while await self._reader.read(65536):
                pass


@dataclass(frozen=True, slots=True)
class LocalServer:
    """`services` are the features' services by name; `find_project` opens the project that a hello names.

    `in_use` is a context manager that is entered while a client is served.
    """

    services: Mapping[str, Callable[[], Service]]
    find_project: FindProject
    identify_caller: IdentifyCaller
    in_use: Callable[[], AbstractContextManager[None]] = nullcontext

    @asynccontextmanager
    async def listening(self, listener: socket.socket, *, cage: str | None = None) -> AsyncIterator[None]:
        """Serves callers on this socket until left; with `cage`, all of them count as being inside that cage."""
        running: set[asyncio.Task[None]] = set()

        async def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            running.add(task)
            try:
                await self._serve(reader, writer, cage)
            finally:
                running.discard(task)

        server = await asyncio.start_unix_server(begin, sock=listener, limit=LONGEST_LINE)
        try:
            yield
        finally:
            server.close()
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, cage: str | None) -> None:
        stream = Stream(reader, writer)
        try:
            await self._answer(stream, writer, cage)
        except (ConnectionError, BrokenPipeError):
            pass  # the caller has gone
        finally:
            writer.close()
            with suppress(ConnectionError, BrokenPipeError):
                await writer.wait_closed()

    async def _answer(self, stream: Stream, writer: asyncio.StreamWriter, cage: str | None) -> None:
        try:
            connection = writer.get_extra_info("socket")
            caller = await asyncio.to_thread(self._caller, connection, cage)
            async with asyncio.timeout(_HELLO_SECONDS):
                hello = _read_hello(await stream.read_line())
            service = self._service(hello["service"])
            project = await self.find_project(hello.get("project"))
        except TimeoutError:
            return
        except Failure as failure:
            await stream.write(_refusal(failure))
            return
        except Exception as fault:  # noqa: BLE001 - logged
            await stream.write(_refusal(unexpected_error("a local call", fault)))
            return
        await stream.write(msgspec.json.encode({"ok": True, "handrail": handrail.__version__}) + b"\n")
        try:
            with self.in_use():
                await service(LocalSession(project, caller, hello, stream))
        except Failure as failure:
            logger.warning("%s ended: %s", hello["service"], failure.message)
        except ConnectionError:
            raise
        except Exception as fault:  # noqa: BLE001 - logged
            unexpected_error(hello["service"], fault)

    def _caller(self, connection: socket.socket, cage: str | None) -> LocalCaller:
        with socket.socket(fileno=os.dup(connection.fileno())) as duplicate:
            caller = self.identify_caller(duplicate)
        if caller.uid != os.getuid():
            raise Declined("This socket only serves its own user.", reason="user")
        return LocalCaller(caller.pid, caller.uid, caller.identity, caller.session, cage)

    def _service(self, name: str) -> Service:
        if name not in self.services:
            raise NotFound(f"There is no local service named {name!r}.", hint=f"Known: {', '.join(self.services)}.")
        return self.services[name]()


def _read_hello(line: bytes | None) -> dict[str, Any]:
    if line is None:
        raise InvalidParams("The connection ended before its hello.")
    hello = strict_json.decode(line, max_bytes=_LONGEST_HELLO)
    if not isinstance(hello, dict) or not isinstance(hello.get("service"), str):
        raise InvalidParams("The hello must be an object with `service`.")
    if hello.get("version") != VERSION:
        raise Unsupported(
            f"This server supports version {VERSION} of the local socket.",
            hint="Restart `handrail up` after an update.",
        )
    if not isinstance(hello.get("project"), str | None):
        raise InvalidParams("`project` must be a path.")
    return hello


def _refusal(failure: Failure) -> bytes:
    error = {"condition": type(failure).__name__, "message": failure.message, "hint": failure.hint}
    return msgspec.json.encode({"ok": False, "error": error}) + b"\n"
