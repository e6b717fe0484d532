"""A client of the local socket. It imports next to nothing, because agents wait for it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
else:
    import _socket as socket  # importing `socket` takes as long as everything else here

FILE = "local.sock"
VERSION = 1
READY = b'{"ok":true'
_LONGEST_PATH = 107
_ANSWER_SECONDS = 10.0


class NoServer(Exception):
    """No server is listening on this state directory; the caller must do without one."""


class ServerRefused(Exception):
    """A server is listening but doesn't serve us: it refused, didn't respond or closed the connection."""


class ServerEnded(ServerRefused):
    """The server ended after we connected. Another one may start."""


def state_folder(option: str | None) -> str:
    """The state directory, found in the same way as by every other command."""
    if path := option or os.environ.get("HANDRAIL_STATE"):
        return os.path.abspath(path)
    home = os.environ.get("XDG_STATE_HOME", "")
    return os.path.join(home if os.path.isabs(home) else os.path.expanduser("~/.local/state"), "handrail")


def connect(
    path: str, service: str, members: Mapping[str, str | int | None], *, seconds: float = _ANSWER_SECONDS
) -> ServerConnection:
    """Opens a service of the server. Raises NoServer, or ServerRefused, also if the server hangs."""
    connection = ServerConnection(send_hello(path, service, members, seconds=seconds))
    try:
        line = connection.read_line()
    except OSError as error:
        connection.close()
        raise ServerRefused(f"handrail's server does not respond: {error}") from None
    if not line.startswith(READY):
        connection.close()
        raise ServerRefused(line.decode(errors="replace") or "handrail's server closed the connection")
    return connection


def send_hello(
    path: str, service: str, members: Mapping[str, str | int | None], *, seconds: float = _ANSWER_SECONDS
) -> socket.socket:
    """Connects and sends the hello, without waiting for the first line, in which the server accepts or refuses it."""
    connection = _connect(path, seconds)
    try:
        connection.sendall(_hello(service, members))
    except ConnectionError as error:
        connection.close()
        raise ServerEnded(f"handrail's server has ended: {error}") from None
    except OSError as error:
        connection.close()
        raise ServerRefused(f"handrail's server does not respond: {error}") from None
    return connection


class ServerConnection:
    """A connected socket that is read by line or by size."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._buffer = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read_line(self) -> bytes:
        """The next line without its LF; at the end of the stream, the remaining bytes. Raises OSError."""
        while b"\n" not in self._buffer:
            chunk = self.socket.recv(65536)
            if not chunk:
                line, self._buffer = self._buffer, b""
                return line
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def read_exactly(self, size: int) -> bytes:
        """Raises OSError if the stream ends too early."""
        while len(self._buffer) < size:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionResetError("handrail's server closed the connection")
            self._buffer += chunk
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def close(self) -> None:
        self.socket.close()


def _connect(path: str, seconds: float) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    folder = None
    try:
        if len(os.fsencode(path)) > _LONGEST_PATH:
            folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
            path = f"/proc/self/fd/{folder}/{os.path.basename(path)}"
        connection.connect(path)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        connection.close()
        raise NoServer from None
    except OSError as error:  # such as a full backlog or a folder without permission: there is a server
        connection.close()
        raise ServerRefused(f"handrail's server can't be reached: {error}") from None
    finally:
        if folder is not None:
            os.close(folder)
    return connection


def _hello(service: str, members: Mapping[str, str | int | None]) -> bytes:
    """One line of JSON, written without the json module, which takes longer to import than everything else here."""
    hello = {"service": service, "version": VERSION, **members}
    pairs = (f"{_json_string(name)}:{_json_value(value)}" for name, value in hello.items() if value is not None)
    return ("{" + ",".join(pairs) + "}\n").encode()


def _json_value(value: str | int | None) -> str:
    return _json_string(value) if isinstance(value, str) else str(value)


def _json_string(text: str) -> str:
    parts = []
    for char in text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"):
        if char in '"\\':
            parts.append("\\" + char)
        elif char < " ":
            parts.append(f"\\u{ord(char):04x}")
        else:
            parts.append(char)
    return '"' + "".join(parts) + '"'
