"""A D-Bus connection, to a bus or directly to an app, that sends many calls at once."""

import asyncio
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from dbus_fast import Message, MessageType
from dbus_fast.aio.message_reader import build_message_reader

from handrail.features.desktop.backends.atspi.calls import Call

_MAX_IN_FLIGHT = 200
_HELLO = Call("org.freedesktop.DBus", "Hello")
_METHOD_RETURN, _ERROR, _SIGNAL = MessageType.METHOD_RETURN, MessageType.ERROR, MessageType.SIGNAL


class ConnectionLost(ConnectionError):
    """The connection was closed."""


class NoAnswer(Exception):
    """No answer arrived in time."""


class Refused(NamedTuple):
    """The error that a call returned."""

    text: str


Answers = list[Any]
"""For each call, the list of returned values, or Refused."""


class Connection:
    def __init__(self, sock: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._serial = 0
        self._waiting: dict[int, tuple[_Batch, int]] = {}
        self._open: set[_Batch] = set()
        self._answered: set[_Batch] = set()
        self._unsent = bytearray()
        self._read = build_message_reader(sock, self._receive, self._close_with, False)
        self.on_signal: Callable[[Message], None] | None = None
        self.on_lost: Callable[[], object] | None = None
        self.is_closed = False
        self._loop.add_reader(sock.fileno(), self._on_readable)

    @classmethod
    async def to_bus(cls, address: str, *, patience: float) -> "Connection":
        connection = await cls.to_peer(address, patience=patience)
        try:
            hello = await connection.ask("org.freedesktop.DBus", "/org/freedesktop/DBus", _HELLO, patience)
            if isinstance(hello, Refused):
                raise ConnectionLost(hello.text)
        except BaseException:
            connection.close()
            raise
        return connection

    @classmethod
    async def to_peer(cls, address: str, *, patience: float) -> "Connection":
        """Connects directly to an app; there are no bus names on such a connection."""
        try:
            async with asyncio.timeout(patience):
                return cls(await _connected_socket(address))
        except TimeoutError:
            raise NoAnswer from None
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    async def ask(self, destination: str | None, path: str, call: Call, patience: float) -> Any:
        """Returns the list of returned values, or Refused."""
        return (await self.ask_all(destination, [(path, call)], patience))[0]

    async def ask_all(self, destination: str | None, questions: Sequence[tuple[str, Call]], patience: float) -> Answers:
        """Returns the answers in the order of the calls. `patience` is the longest pause between two of them."""
        if self.is_closed:
            raise ConnectionLost
        if not questions:
            return []
        batch = _Batch(destination, questions, self._loop.create_future())
        self._open.add(batch)
        self._send_more(batch)
        self._flush()
        try:
            return await self._wait_for_answers(batch, patience)
        finally:
            self._open.discard(batch)
            for serial in batch.serials:
                self._waiting.pop(serial, None)

    async def _wait_for_answers(self, batch: "_Batch", patience: float) -> Answers:
        """Uses one timer for the batch instead of one per call: any answer shows that the app is alive."""
        while True:
            before = batch.remaining
            done, _ = await asyncio.wait([batch.done], timeout=patience)
            if done:
                return await batch.done
            if batch.remaining == before:
                raise NoAnswer

    def close(self) -> None:
        self._close_with(None)

    def _send_more(self, batch: "_Batch") -> None:
        while batch.sent < len(batch.questions) and len(batch.serials) < _MAX_IN_FLIGHT:
            path, call = batch.questions[batch.sent]
            self._serial = serial = self._serial % 0xFFFFFFFF + 1
            self._waiting[serial] = (batch, batch.sent)
            batch.serials.add(serial)
            batch.sent += 1
            self._unsent += call.message(path, batch.destination, serial)

    def _flush(self) -> None:
        if not self._unsent or self.is_closed:
            return
        try:
            del self._unsent[: self._sock.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            self._close_with(error)
            return
        if self._unsent:
            self._loop.add_writer(self._sock.fileno(), self._on_writable)

    def _on_writable(self) -> None:
        self._loop.remove_writer(self._sock.fileno())
        self._flush()

    def _on_readable(self) -> None:
        self._read()
        answered, self._answered = self._answered, set()
        for batch in answered:
            if batch.done.done():
                continue
            if batch.remaining == 0:
                batch.done.set_result(batch.answers)
            elif len(batch.serials) <= _MAX_IN_FLIGHT // 2:
                self._send_more(batch)
        self._flush()

    def _receive(self, message: Message) -> None:
        kind = message.message_type
        if kind is _METHOD_RETURN or kind is _ERROR:
            if waiting := self._waiting.pop(message.reply_serial, None):
                batch, index = waiting
                batch.serials.discard(message.reply_serial)
                is_answer = kind is _METHOD_RETURN and batch.questions[index][1].is_answer(
                    message.signature, message.body
                )
                batch.answers[index] = message.body if is_answer else _refusal(message)
                batch.remaining -= 1
                self._answered.add(batch)
        elif kind is _SIGNAL and self.on_signal is not None:
            self.on_signal(message)

    def _close_with(self, reason: Exception | None) -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self._loop.remove_reader(self._sock.fileno())
        self._loop.remove_writer(self._sock.fileno())
        self._sock.close()
        for batch in self._open:
            if not batch.done.done():
                batch.done.set_exception(ConnectionLost(str(reason or "closed")))
        self._waiting.clear()
        if self.on_lost is not None:
            self.on_lost()


class _Batch:
    def __init__(
        self, destination: str | None, questions: Sequence[tuple[str, Call]], done: "asyncio.Future[Answers]"
    ) -> None:
        self.destination = destination
        self.questions = questions
        self.done = done
        self.answers: Answers = [None] * len(questions)
        self.remaining = len(questions)
        self.sent = 0
        self.serials: set[int] = set()


def _refusal(message: Message) -> Refused:
    if message.message_type is _METHOD_RETURN:
        return Refused(f"an answer of the type {message.signature!r}")
    return Refused(message.body[0] if message.body and isinstance(message.body[0], str) else "")


def session_bus(environment: Mapping[str, str]) -> str | None:
    """Returns the address of the user's session bus, or None if there is no session."""
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    socket = os.path.join(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "bus")
    return f"unix:path={socket}" if os.path.exists(socket) else None


def unix_sockets(address: str) -> Iterator[bytes]:
    """Yields the Unix sockets of a D-Bus address in order; other transports are skipped."""
    for one in address.split(";"):
        transport, _, rest = one.partition(":")
        options = dict(option.partition("=")[::2] for option in rest.split(",") if transport == "unix")
        if "path" in options:
            yield unquote_to_bytes(options["path"])
        elif "abstract" in options:
            yield b"\0" + unquote_to_bytes(options["abstract"])


async def _connected_socket(address: str) -> socket.socket:
    last_error: OSError = ConnectionRefusedError(f"no Unix socket in the address {address}")
    for place in unix_sockets(address):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, place)
            await _authenticate(sock)
            return sock
        except OSError as error:
            sock.close()
            last_error = error
        except BaseException:
            sock.close()
            raise
    raise last_error


async def _authenticate(sock: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(sock, f"\0AUTH EXTERNAL {str(os.getuid()).encode().hex()}\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n"):
        part = await loop.sock_recv(sock, 512)
        if not part or len(answer) > 4096:
            raise ConnectionRefusedError("no answer to the authentication")
        answer += part
    if not answer.startswith(b"OK "):
        raise ConnectionRefusedError(f"refused: {answer.decode(errors='replace').strip()}")
    await loop.sock_sendall(sock, b"BEGIN\r\n")
