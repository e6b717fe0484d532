"""The process's stdin and stdout, reserved for the wire, and read and written without threads if they are pipes."""

import asyncio
import os
import stat
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

_READ_SIZE = 256 * 1024
_CHUNKS_AHEAD = 4


class Source(Protocol):
    async def read(self) -> bytes:
        """Returns some bytes; none at the end."""
        ...


class Sink(Protocol):
    @property
    def is_gone(self) -> bool:
        """Whether nobody reads any more."""
        ...

    async def write(self, data: bytes) -> None:
        """Waits until the other side has read enough; does nothing once it has disconnected."""
        ...

    def close(self) -> None: ...


@asynccontextmanager
async def claim_standard_streams() -> AsyncIterator[tuple[Source, Sink]]:
    """Until left, fd 0 is the null device and fd 1 is stderr, so that stray reads and prints don't reach the wire."""
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    source: Source = await _PipeSource.open(wire_in) if _is_pipe(wire_in) else _FileSource(wire_in)
    sink: Sink = await _PipeSink.open(wire_out) if _is_pipe(wire_out) else _FileSink(wire_out)
    try:
        yield source, sink
    finally:
        sink.close()
        os.dup2(wire_in, 0)
        os.dup2(wire_out, 1)


def _is_pipe(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


class _PipeSource:
    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    @classmethod
    async def open(cls, fd: int) -> "_PipeSource":
        reader = asyncio.StreamReader(limit=_READ_SIZE)
        protocol = asyncio.StreamReaderProtocol(reader)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(os.dup(fd), "rb", 0))
        return cls(reader)

    async def read(self) -> bytes:
        return await self._reader.read(_READ_SIZE)


class _FileSource:
    """A terminal or a file, read in a daemon thread, because reading may block."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes | OSError] = asyncio.Queue()
        self._room = threading.Semaphore(_CHUNKS_AHEAD)
        self._has_ended = False
        threading.Thread(target=self._read_all, name="stdin", daemon=True).start()

    async def read(self) -> bytes:
        if self._has_ended:
            return b""
        chunk = await self._chunks.get()
        self._room.release()
        if isinstance(chunk, OSError):
            raise chunk
        self._has_ended = not chunk
        return chunk

    def _read_all(self) -> None:
        while True:
            self._room.acquire()
            try:
                chunk: bytes | OSError = os.read(self._fd, _READ_SIZE)
            except OSError as error:
                chunk = error
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:  # the loop has been closed
                return
            if not chunk or isinstance(chunk, OSError):
                return


class _PipeSink(asyncio.BaseProtocol):
    def __init__(self) -> None:
        self._may_write = asyncio.Event()
        self._may_write.set()
        self.is_gone = False
        self._transport: asyncio.WriteTransport

    @classmethod
    async def open(cls, fd: int) -> "_PipeSink":
        file = os.fdopen(os.dup(fd), "wb", 0)
        transport, sink = await asyncio.get_running_loop().connect_write_pipe(cls, file)
        sink._transport = transport
        return sink

    async def write(self, data: bytes) -> None:
        if self.is_gone:
            return
        self._transport.write(data)
        if not self._may_write.is_set():
            await self._may_write.wait()

    def close(self) -> None:
        self._transport.close()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_gone = True
        self._may_write.set()


class _FileSink:
    is_gone = False

    def __init__(self, fd: int) -> None:
        self._fd = fd

    async def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]

    def close(self) -> None:
        """Does nothing: the descriptor belongs to the process."""
