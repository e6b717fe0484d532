"""Delivers secrets to the programs that wait for an answer, through a Unix socket for each of them.

A socket that accepts connections also shows that its program is still running.
"""

import asyncio
import errno
import os
import socket
import stat
import time
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import cast

import msgspec

from handrail.ports.prompts import NOTHING_MASKED
from handrail.ports.unix_socket import socket_address
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.stores.local.private_file import make_private_folder, os_failure
from handrail.stores.shared.mailbox import Mailbox

_LARGEST_DELIVERY = 1 << 25
_DELIVERY_SECONDS = 2.0
_STALE_AFTER_SECONDS = 60.0
_TAKEN = b"taken\n"


class _Delivery(msgspec.Struct, frozen=True, tag_field="is", tag="delivery"):
    digest: str
    values: dict[str, str]


class _Reveal(msgspec.Struct, frozen=True, tag_field="is", tag="reveal"):
    """Asks for the values that the question shows masked."""


class _Connections:
    """The open connections of a waiter, closed when it stops waiting."""

    def __init__(self, mailbox: Mailbox) -> None:
        self.mailbox = mailbox
        self._open: set[asyncio.Transport] = set()
        self._removal = asyncio.Event()
        self._is_closed = False

    def add(self, transport: asyncio.Transport) -> None:
        self._open.add(transport)
        if self._is_closed:
            transport.abort()

    def remove(self, transport: asyncio.Transport) -> None:
        self._open.discard(transport)
        self._removal.set()

    async def close(self) -> None:
        self._is_closed = True
        for transport in self._open:
            transport.abort()
        while self._open:
            self._removal.clear()
            await self._removal.wait()


class _DeliveryProtocol(asyncio.Protocol):
    """Handles one delivery or reveal request. A client that only checks whether we are alive sends nothing."""

    def __init__(self, connections: _Connections) -> None:
        self._connections = connections
        self._message = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self._transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.remove(self._transport)

    def data_received(self, data: bytes) -> None:
        self._message += data
        if len(self._message) > _LARGEST_DELIVERY:
            self._transport.abort()
        elif data.endswith(b"\n"):
            try:
                message = msgspec.json.decode(self._message, type=_Delivery | _Reveal)
            except UNREADABLE_JSON:
                self._transport.abort()
                return
            if isinstance(message, _Reveal):
                self._transport.write(msgspec.json.encode(self._connections.mailbox.masked))
            else:
                self._connections.mailbox.put(message.digest, message.values)
                self._transport.write(_TAKEN)
            self._transport.close()


class Waiters:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_swept = False

    def is_waiting(self, request_id: str) -> bool:
        return self._is_alive(_name(request_id))

    def deliver(self, request_id: str, digest: str, values: Mapping[str, str]) -> bool:
        """True if the waiter has received it; blocks for two seconds at most."""
        message = msgspec.json.encode(_Delivery(digest, dict(values))) + b"\n"
        try:
            with self._connect(_name(request_id)) as connection:
                connection.settimeout(_DELIVERY_SECONDS)
                connection.sendall(message)
                return connection.recv(len(_TAKEN), socket.MSG_WAITALL) == _TAKEN
        except OSError:
            return False

    def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        return {each for each in request_ids if self.is_waiting(each)}

    def masked(self, request_id: str) -> Mapping[str, str]:
        try:
            with self._connect(_name(request_id)) as connection:
                connection.settimeout(_DELIVERY_SECONDS)
                connection.sendall(msgspec.json.encode(_Reveal()) + b"\n")
                answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
                return msgspec.json.decode(answer, type=dict[str, str])
        except (OSError, *UNREADABLE_JSON):
            return {}

    @asynccontextmanager
    async def waiting(self, request_id: str, masked: Mapping[str, str] = NOTHING_MASKED) -> AsyncIterator[Mailbox]:
        """Until left, `is_waiting` is true. The last one to enter gets the secrets."""
        if not self._is_swept:
            self._is_swept = True
            await asyncio.to_thread(self._sweep)
        mailbox = Mailbox(masked)
        with self._listening(_name(request_id)) as listener:
            connections = _Connections(mailbox)
            loop = asyncio.get_running_loop()
            server = await loop.create_unix_server(lambda: _DeliveryProtocol(connections), sock=listener)
            try:
                yield mailbox
            finally:
                server.close()
                await connections.close()

    @contextmanager
    def _listening(self, name: str) -> Iterator[socket.socket]:
        path, new = self._folder / name, f"{token_hex(8)}.new"
        with socket.socket(socket.AF_UNIX) as listener:
            try:
                self._make_folder()
                with socket_address(self._folder / new) as address:
                    listener.bind(address)
                os.chmod(self._folder / new, 0o600)
                listener.listen()
                listener.setblocking(False)
                # Renamed only when it listens, because a socket that refuses connections counts as dead.
                os.rename(self._folder / new, path)
                identity = os.lstat(path).st_ino
            except OSError as error:
                raise os_failure(path, error) from error
            try:
                yield listener
            finally:
                with suppress(OSError):
                    if os.lstat(path).st_ino == identity:
                        os.unlink(path)

    def _make_folder(self) -> None:
        make_private_folder(self._folder)
        if stat.S_IMODE(os.lstat(self._folder).st_mode) & 0o077:
            os.chmod(self._folder, 0o700)

    def _sweep(self) -> None:
        """Removes the sockets of killed processes."""
        with suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                with suppress(OSError):
                    if not self._is_alive(name) and self._age(name) > _STALE_AFTER_SECONDS:
                        os.unlink(self._folder / name)

    def _age(self, name: str) -> float:
        return time.time() - os.lstat(self._folder / name).st_mtime

    def _is_alive(self, name: str) -> bool:
        try:
            with self._connect(name):
                return True
        except OSError as error:
            return error.errno == errno.EAGAIN  # its backlog is full, so it is alive

    @contextmanager
    def _connect(self, name: str) -> Iterator[socket.socket]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.setblocking(False)
            with socket_address(self._folder / name) as address:
                connection.connect(address)
            yield connection


def _name(request_id: str) -> str:
    """A hash, because request ids are foreign text and must not become file names."""
    return sha256(request_id.encode("utf-8", "surrogatepass")).hexdigest()[:32] + ".sock"
