"""A D-Bus connection to KWin that waits for each answer."""

import os
import socket
from typing import Any, Self

from dbus_fast import Message, MessageType
from dbus_fast._private.unmarshaller import Unmarshaller

from handrail.features.desktop.backends.atspi.calls import BUS, BUS_PATH, Call
from handrail.features.desktop.backends.atspi.connection import unix_sockets

_KWIN = "org.kde.KWin"
_ANSWER_SECONDS = 1.0


class Refused(Exception):
    """The error that a call returned."""


class KWinBus:
    """TimeoutError if no answer arrives in time; OSError or EOFError if the bus can't be reached."""

    def __init__(self, address: str) -> None:
        self._serial = 0
        self._calls: list[Message] = []
        self._socket = _connected_socket(address)
        self._stream = self._socket.makefile("rwb")
        self._messages = Unmarshaller(self._stream)
        try:
            self._authenticate()
            self.name: str = self._ask(BUS, BUS_PATH, Call(BUS, "Hello")).body[0]
            self._kwin: str = self._ask(BUS, BUS_PATH, Call(BUS, "GetNameOwner", "s", _KWIN)).body[0]
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, path: str, call: Call) -> list[Any]:
        return self._ask(self._kwin, path, call).body

    def next_call(self) -> list[Any]:
        """Returns the arguments of the next call that KWin itself makes to this connection."""
        while not self._calls:
            self._receive()
        return self._calls.pop(0).body

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _authenticate(self) -> None:
        self._socket.sendall(f"\0AUTH EXTERNAL {str(os.getuid()).encode().hex()}\r\n".encode())
        if not self._stream.readline(4096).startswith(b"OK "):
            raise ConnectionRefusedError("the session bus refused the connection")
        self._socket.sendall(b"BEGIN\r\n")

    def _ask(self, destination: str, path: str, call: Call) -> Message:
        self._serial += 1
        self._socket.sendall(call.message(path, destination, self._serial))
        while (message := self._receive()).reply_serial != self._serial:
            pass
        if message.message_type is MessageType.ERROR:
            raise Refused(str(message.body[0]) if message.body else message.error_name)
        return message

    def _receive(self) -> Message:
        if (message := self._messages.unmarshall()) is None:
            raise EOFError("it closed the connection")
        if message.message_type is MessageType.METHOD_CALL and message.sender == self._kwin:
            self._calls.append(message)
        return message


def _connected_socket(address: str) -> socket.socket:
    last_error: OSError = ConnectionRefusedError(f"no Unix socket in the address {address}")
    for place in unix_sockets(address):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.settimeout(_ANSWER_SECONDS)
        try:
            sock.connect(place)
            return sock
        except OSError as error:
            sock.close()
            last_error = error
    raise last_error
