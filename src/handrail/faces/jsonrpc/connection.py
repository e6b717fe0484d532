"""One client connection: reads requests and sends each answer as soon as it is ready.

While a client doesn't read its answers, we don't read its requests. When it disconnects, its executions are cancelled.
"""

import asyncio
import logging
import os
import select
import socket
from collections.abc import Collection
from typing import Any, Protocol, cast

from handrail.faces.jsonrpc.messages import LONGEST_LINE, BadMessage, Id, Message, decode, failure, success, too_long
from handrail.kernel.line_framer import LineFramer, LongLine
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.errors import Aborted, Busy, Failure
from handrail.ports.peers import Identify, PeerProcess

logger = logging.getLogger(__name__)

MOST_RUNNING = 1_000
_MOST_INQUIRIES = 100
"""Additional requests, so that a client with too many running calls can still abort some."""
_POLL_SECONDS = 0.2


class Service(Protocol):
    """Answers requests and formats their errors."""

    def start(self) -> None: ...

    async def close(self) -> None: ...

    def is_inquiry(self, method: str) -> bool:
        """Whether requests of this method are answered even when too many calls are running, above all aborts."""
        ...

    def answer_at_once(
        self, id: str, method: str, params: dict[str, Any], caller: PeerProcess
    ) -> dict[str, Any] | None:
        """The answer, or None if the request takes time."""
        ...

    async def answer(self, id: str, method: str, params: dict[str, Any], caller: PeerProcess) -> dict[str, Any]: ...

    def error_object(self, failure: Failure) -> dict[str, Any]: ...


class Connections:
    """The open connections."""

    def __init__(self) -> None:
        self._open: set[Connection] = set()
        self._changed = asyncio.Event()

    @property
    def all(self) -> "Collection[Connection]":
        return list(self._open)

    def add(self, connection: "Connection") -> None:
        self._open.add(connection)
        self._changed.set()

    def remove(self, connection: "Connection") -> None:
        self._open.discard(connection)
        self._changed.set()

    async def wait_until_unused(self, seconds: float) -> None:
        """Returns when there was no connection for so many seconds."""
        while True:
            self._changed.clear()
            try:
                async with asyncio.timeout(None if self._open else seconds):
                    await self._changed.wait()
            except TimeoutError:
                return


class Connection(asyncio.Protocol):
    def __init__(self, service: Service, identify: Identify, connections: Connections) -> None:
        self._service = service
        self._identify = identify
        self._connections = connections
        self._framer = LineFramer(LONGEST_LINE)
        self._running: set[asyncio.Task[None]] = set()
        self._caller: PeerProcess | None = None
        self._has_ended = False
        self._is_lost = False
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        try:
            with socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno())) as connection:
                self._caller = self._identify(connection)
        except (Failure, OSError) as refused:
            logger.warning("a connection is closed: %s", refused)
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        for line in self._framer.feed(data):
            try:
                if isinstance(line, LongLine):
                    raise too_long()
                self._begin(decode(line))
            except BadMessage as bad:
                self._write(self._failure(bad.id, bad.failure))

    def eof_received(self) -> bool:
        """Keeps the connection open for answers: the client may have closed only its sending side."""
        self._has_ended = True
        if not self._running:
            return False
        asyncio.create_task(self._watch_departure()).add_done_callback(_log_fault)
        return True

    def connection_lost(self, error: Exception | None) -> None:
        self._is_lost = True
        self._connections.remove(self)
        for task in self._running:
            task.cancel()
        if self._caller is not None and not self._running:
            self._caller.close()

    def pause_writing(self) -> None:
        if not self._has_ended:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        if not self._has_ended:
            self._transport.resume_reading()

    async def close(self) -> None:
        """Cancels running requests and sends their answers."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(set(self._running))
        self._transport.close()

    def _begin(self, message: Message) -> None:
        if self._caller is None:
            return
        most = MOST_RUNNING + _MOST_INQUIRIES if self._service.is_inquiry(message.method) else MOST_RUNNING
        if len(self._running) >= most:
            busy = Busy(f"More than {MOST_RUNNING} calls of one connection are running.")
            self._write(self._failure(message.id, busy))
            return
        if (line := self._immediate_answer(message, self._caller)) is not None:
            self._write(line)
            return
        task = asyncio.create_task(self._serve(message, self._caller))
        self._running.add(task)
        task.add_done_callback(self._on_end)

    def _immediate_answer(self, message: Message, caller: PeerProcess) -> bytes | None:
        try:
            result = self._service.answer_at_once(message.id, message.method, message.params, caller)
            return None if result is None else success(message.id, result)
        except Failure as failed:
            return self._failure(message.id, failed)
        except Exception as fault:  # noqa: BLE001 - logged
            return self._failure(message.id, unexpected_error(message.method, fault))

    async def _serve(self, message: Message, caller: PeerProcess) -> None:
        try:
            line = success(message.id, await self._service.answer(message.id, message.method, message.params, caller))
        except Failure as failed:
            line = self._failure(message.id, failed)
        except asyncio.CancelledError:
            line = self._failure(message.id, Aborted("The caller disconnected, or the host is stopping."))
        except Exception as fault:  # noqa: BLE001 - logged
            line = self._failure(message.id, unexpected_error(message.method, fault))
        self._write(line)

    def _on_end(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        _log_fault(task)
        if self._running:
            return
        if self._is_lost:
            if self._caller is not None:
                self._caller.close()
        elif self._has_ended:
            self._transport.close()

    async def _watch_departure(self) -> None:
        """Notices a client that has closed both sides after its last request, which epoll doesn't report."""
        while self._running and not self._transport.is_closing():
            poll = select.poll()
            poll.register(self._transport.get_extra_info("socket").fileno(), 0)
            if any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0)):
                self._transport.abort()
                return
            await asyncio.wait(set(self._running), timeout=_POLL_SECONDS)

    def _failure(self, id: Id, failed: Failure) -> bytes:
        return failure(id, self._service.error_object(failed))

    def _write(self, line: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(line)


def _log_fault(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        logger.error("a connection failed", exc_info=fault)
