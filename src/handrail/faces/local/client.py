"""The other end of the local socket: a few lines that load next to nothing, because agents wait for who uses them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping
else:
    import _socket as socket  # what `socket` adds takes as long to load as everything else here

FILE = "local.sock"
VERSION = 1
READY = b'{"ok":true'
_LONGEST_PATH = 107
_ANSWER_SECONDS = 10.0


class NoServer(Exception):
    """Nothing listens on this state directory: the work has to be done without a server."""


class Refused(Exception):
    """A server is there and does not serve us: it says why, does not respond, or has gone."""


class Gone(Refused):
    """It has ended since we connected to it. Another one may follow."""


def state_folder(given: str | None) -> str:
    """As every other command finds it."""
    if named := given or os.environ.get("HANDRAIL_STATE"):
        return os.path.abspath(named)
    home = os.environ.get("XDG_STATE_HOME", "")
    return os.path.join(home if os.path.isabs(home) else os.path.expanduser("~/.local/state"), "handrail")


def connect(
    path: str, service: str, members: Mapping[str, str | int | None], *, seconds: float = _ANSWER_SECONDS
) -> Wire:
    """A connection to a service of the server. NoServer or Refused; a server that hangs is one that refuses."""
    wire = Wire(greeted(path, service, members, seconds=seconds))
    try:
        line = wire.read_line()
    except OSError as error:
        wire.close()
        raise Refused(f"handrail's server does not respond: {error}") from None
    if not line.startswith(READY):
        wire.close()
        raise Refused(line.decode(errors="replace") or "handrail's server closed the connection")
    return wire


def greeted(
    path: str, service: str, members: Mapping[str, str | int | None], *, seconds: float = _ANSWER_SECONDS
) -> socket.socket:
    """The same, without waiting for the server's first line, which says whether it serves us."""
    connection = _connected(path, seconds)
    try:
        connection.sendall(_hello(service, members))
    except ConnectionError as error:
        connection.close()
        raise Gone(f"handrail's server has ended: {error}") from None
    except OSError as error:
        connection.close()
        raise Refused(f"handrail's server does not respond: {error}") from None
    return connection


class Wire:
    """A connected socket, read by lines and by sizes."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._rest = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read_line(self) -> bytes:
        """Without its LF; what is left at the end of the stream. OSError."""
        while b"\n" not in self._rest:
            chunk = self.socket.recv(65536)
            if not chunk:
                line, self._rest = self._rest, b""
                return line
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def read_exactly(self, size: int) -> bytes:
        """OSError where the stream ends before."""
        while len(self._rest) < size:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionResetError("handrail's server closed the connection")
            self._rest += chunk
        data, self._rest = self._rest[:size], self._rest[size:]
        return data

    def close(self) -> None:
        self.socket.close()


def _connected(path: str, seconds: float) -> socket.socket:
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
    except OSError as error:  # a full backlog, a folder that is closed to us: somebody is there
        connection.close()
        raise Refused(f"handrail's server can't be reached: {error}") from None
    finally:
        if folder is not None:
            os.close(folder)
    return connection


def _hello(service: str, members: Mapping[str, str | int | None]) -> bytes:
    """One line of JSON, spelled without the json module, which takes longer to load than everything else here."""
    given = {"service": service, "version": VERSION, **members}
    pairs = (f"{_quoted(name)}:{_value(value)}" for name, value in given.items() if value is not None)
    return ("{" + ",".join(pairs) + "}\n").encode()


def _value(value: str | int | None) -> str:
    return _quoted(value) if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    parts = []
    for char in text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"):
        if char in '"\\':
            parts.append("\\" + char)
        elif char < " ":
            parts.append(f"\\u{ord(char):04x}")
        else:
            parts.append(char)
    return '"' + "".join(parts) + '"'
