"""One D-Bus connection, to a bus or directly to an app, that sends many calls at once."""

import asyncio
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from dbus_fast import Message, MessageType
from dbus_fast.aio.message_reader import build_message_reader

from handrail.features.desktop.backends.atspi.calls import Call

_MOST_IN_FLIGHT = 200
_HELLO = Call("org.freedesktop.DBus", "Hello")
_METHOD_RETURN, _ERROR, _SIGNAL = MessageType.METHOD_RETURN, MessageType.ERROR, MessageType.SIGNAL


class Lost(ConnectionError):
    """The other end is gone."""


class Silent(Exception):
    """Nothing was answered in time."""


class Refused(NamedTuple):
    """The error that a call got."""

    name: str
    text: str


Answers = list[Any]
"""A list of what was returned, or Refused, for each call."""


class Connection:
    def __init__(self, sock: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._serial = 0
        self._waiting: dict[int, tuple[_Batch, int]] = {}
        self._open: set[_Batch] = set()
        self._answered: set[_Batch] = set()
        self._unsent = bytearray()
        self._read = build_message_reader(sock, self._receive, self._lose, False)
        self.on_signal: Callable[[Message], None] | None = None
        self.on_lost: Callable[[], None] | None = None
        self.is_lost = False
        self._loop.add_reader(sock.fileno(), self._on_readable)

    @classmethod
    async def to_bus(cls, address: str, *, patience: float) -> "Connection":
        connection = await cls.to_peer(address, patience=patience)
        try:
            hello = await connection.ask("org.freedesktop.DBus", "/org/freedesktop/DBus", _HELLO, patience)
            if isinstance(hello, Refused):
                raise Lost(hello.text)
        except BaseException:
            connection.close()
            raise
        return connection

    @classmethod
    async def to_peer(cls, address: str, *, patience: float) -> "Connection":
        """Directly to an app, where nobody has a name."""
        try:
            async with asyncio.timeout(patience):
                return cls(await _connected_socket(address))
        except TimeoutError:
            raise Silent from None
        except OSError as error:
            raise Lost(str(error)) from error

    async def ask(self, destination: str | None, path: str, call: Call, patience: float) -> Any:
        """The list of what was returned, or Refused."""
        return (await self.ask_all(destination, [(path, call)], patience))[0]

    async def ask_all(self, destination: str | None, questions: Sequence[tuple[str, Call]], patience: float) -> Answers:
        """The answers in the order of the questions. `patience` is the longest pause between two of them."""
        if self.is_lost:
            raise Lost
        if not questions:
            return []
        batch = _Batch(destination, questions, self._loop.create_future())
        self._open.add(batch)
        self._send_more(batch)
        self._flush()
        try:
            return await self._with_patience(batch, patience)
        finally:
            self._open.discard(batch)
            for serial in batch.serials:
                self._waiting.pop(serial, None)

    async def _with_patience(self, batch: "_Batch", patience: float) -> Answers:
        """One timer a batch, not one a call: any answer shows that the other side is alive."""
        while True:
            seen = batch.left
            done, _ = await asyncio.wait([batch.done], timeout=patience)
            if done:
                return await batch.done
            if batch.left == seen:
                raise Silent

    def close(self) -> None:
        self._lose(None)

    def _send_more(self, batch: "_Batch") -> None:
        while batch.sent < len(batch.questions) and len(batch.serials) < _MOST_IN_FLIGHT:
            path, call = batch.questions[batch.sent]
            self._serial = serial = self._serial % 0xFFFFFFFF + 1
            self._waiting[serial] = (batch, batch.sent)
            batch.serials.add(serial)
            batch.sent += 1
            self._unsent += call.message(path, batch.destination, serial)

    def _flush(self) -> None:
        if not self._unsent or self.is_lost:
            return
        try:
            del self._unsent[: self._sock.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lose(error)
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
            if batch.left == 0:
                batch.done.set_result(batch.answers)
            elif len(batch.serials) <= _MOST_IN_FLIGHT // 2:
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
                batch.left -= 1
                self._answered.add(batch)
        elif kind is _SIGNAL and self.on_signal is not None:
            self.on_signal(message)

    def _lose(self, reason: Exception | None) -> None:
        if self.is_lost:
            return
        self.is_lost = True
        self._loop.remove_reader(self._sock.fileno())
        self._loop.remove_writer(self._sock.fileno())
        self._sock.close()
        for batch in self._open:
            if not batch.done.done():
                batch.done.set_exception(Lost(str(reason or "closed")))
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
        self.left = len(questions)
        self.sent = 0
        self.serials: set[int] = set()


def _refusal(message: Message) -> Refused:
    if message.message_type is _METHOD_RETURN:
        return Refused("", f"an answer of the type {message.signature!r}")
    text = message.body[0] if message.body and isinstance(message.body[0], str) else ""
    return Refused(message.error_name or "", text)


def session_bus(environment: Mapping[str, str]) -> str | None:
    """The address of the user's session bus, or None where there is no session."""
    if address := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        return address
    socket = os.path.join(environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}", "bus")
    return f"unix:path={socket}" if os.path.exists(socket) else None


def unix_sockets(address: str) -> Iterator[bytes]:
    """The Unix sockets of a D-Bus address, in its order; other transports are skipped."""
    for one in address.split(";"):
        transport, _, rest = one.partition(":")
        options = dict(option.partition("=")[::2] for option in rest.split(","))
        if transport != "unix":
            continue
        if "path" in options:
            yield unquote_to_bytes(options["path"])
        elif "abstract" in options:
            yield b"\0" + unquote_to_bytes(options["abstract"])


async def _connected_socket(address: str) -> socket.socket:
    failure: OSError = ConnectionRefusedError(f"no Unix socket in the address {address}")
    for place in unix_sockets(address):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, place)
            await _authenticate(sock)
            return sock
        except OSError as error:
            sock.close()
            failure = error
        except BaseException:
            sock.close()
            raise
    raise failure


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
