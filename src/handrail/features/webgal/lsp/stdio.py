"""The transport: stdin and stdout without blocking threads. It ends with the client or when asked to."""

import asyncio
import logging
import os
import stat
import sys
from contextlib import suppress
from threading import Event
from typing import Any

from pygls.io_ import run_async

from handrail.features.webgal.lsp.server import EditorServer
from handrail.ports.errors import InvalidParams

_FLUSH_SECONDS = 2.0
_LONGEST_HEADER = 64 * 1024


class Sink:
    """What pygls writes to. It never blocks, and does nothing once the client is gone."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport

    def write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        self._transport.close()


class _EndProtocol(asyncio.BaseProtocol):
    def __init__(self) -> None:
        self.has_ended = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.has_ended.done():
            self.has_ended.set_result(None)


async def serve(server: EditorServer) -> int:
    """Runs until the client ends it or closes the pipe; returns the protocol's exit status."""
    if not all(map(_is_pipe, (0, 1))):
        raise InvalidParams("An editor starts this command and talks to it over pipes.", hint="See docs/webgal.md.")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it logs whole messages, and failed requests as errors
    loop = asyncio.get_running_loop()
    wire_in, wire_out = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # so that a stray print doesn't reach the wire
    reader = asyncio.StreamReader(limit=_LONGEST_HEADER)
    source, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(wire_in, "rb", 0))
    transport, end = await loop.connect_write_pipe(_EndProtocol, os.fdopen(wire_out, "wb", 0))
    exit_status: asyncio.Future[int] = loop.create_future()
    server.protocol.on_exit = lambda status: None if exit_status.done() else exit_status.set_result(status)
    server.protocol.set_writer(Sink(transport))
    reading = asyncio.ensure_future(_read(server, reader))
    try:
        ends: list[asyncio.Future[Any]] = [reading, exit_status, end.has_ended]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        return exit_status.result() if exit_status.done() else 0
    finally:
        reading.cancel()
        source.close()
        await server.end()
        transport.close()  # flushes what is still to be written
        with suppress(TimeoutError):
            await asyncio.wait_for(end.has_ended, _FLUSH_SECONDS)


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


async def _read(server: EditorServer, reader: asyncio.StreamReader) -> None:
    try:
        await run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)
    except (asyncio.IncompleteReadError, ConnectionError):
        return  # the connection ended in the middle of a message
    except ValueError:
        print("handrail: stdin is not the language server protocol.", file=sys.stderr)
