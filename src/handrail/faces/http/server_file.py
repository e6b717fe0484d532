"""`<stateDir>/server.json`: which server runs on this state directory, and the token that it wants.

`{pid, host, port, token}`, readable by its owner alone. While the server runs, `pid` is its process; a clean stop
leaves the file with `pid` 0, because the token survives restarts: clients keep it in their configuration. After a
crash the pid is stale, so what decides whether a second server may start is a lock on `server.lock` that ends with
the process, never the pid.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from handrail.contract.errors import Conflict
from handrail.faces.http import state_file
from handrail.faces.http.listening import url

FILE = "server.json"
_LOCK = "server.lock"
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43,128}")


class ServerFile(msgspec.Struct, frozen=True):
    pid: int
    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        return url(self.host, self.port)

    @property
    def is_running(self) -> bool:
        if self.pid <= 0:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


def read(state: Path) -> ServerFile | None:
    """What the file says; None when there is none or it makes no sense."""
    try:
        found = msgspec.json.decode(state_file.read(state / FILE) or b"", type=ServerFile)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if _TOKEN.fullmatch(found.token) else None


@contextmanager
def claimed(state: Path) -> Iterator[None]:
    """While inside, no other server starts on this state directory."""
    with state_file.spelled(state):
        lock = os.open(state / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _already_running(read(state)) from None
        yield
    finally:
        os.close(lock)


@contextmanager
def published(state: Path, host: str, port: int) -> Iterator[ServerFile]:
    """While inside, the file names this process; afterwards it keeps the token and names none."""
    known = read(state)
    token = known.token if known is not None else secrets.token_urlsafe(32)
    running = ServerFile(os.getpid(), host, port, token)
    with state_file.spelled(state):
        _write(state, running)
    try:
        yield running
    finally:
        with suppress(OSError):  # then the pid is stale, as after a crash
            _write(state, ServerFile(0, host, port, token))


def _already_running(server: ServerFile | None) -> Conflict:
    where = f" at {server.url}" if server is not None and server.is_running else ""
    return Conflict(
        f"handrail is already running on this state directory{where}.",
        hint="Use that one, stop it first, or start with another --state.",
        **({"url": server.url, "pid": server.pid} if server is not None and where else {}),
    )


def _write(state: Path, content: ServerFile) -> None:
    state_file.replace(state / FILE, msgspec.json.encode(content) + b"\n")
