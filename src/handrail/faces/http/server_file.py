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

from handrail.contract.errors import Conflict, InputOutput
from handrail.faces.http.listening import url

FILE = "server.json"
_LOCK = "server.lock"
_MAX_BYTES = 64 * 1024
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
        handle = os.open(state / FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = os.read(handle, _MAX_BYTES)
        finally:
            os.close(handle)
        found = msgspec.json.decode(data, type=ServerFile)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if _TOKEN.fullmatch(found.token) else None


@contextmanager
def claimed(state: Path) -> Iterator[None]:
    """While inside, no other server starts on this state directory."""
    with _spelled(state):
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
    with _spelled(state):
        _write(state, running)
    try:
        yield running
    finally:
        with suppress(OSError):  # then the pid is stale, as after a crash
            _write(state, ServerFile(0, host, port, token))


@contextmanager
def _spelled(state: Path) -> Iterator[None]:
    try:
        yield
    except OSError as refusal:
        raise InputOutput(f"Can't write in the state directory {state}: {refusal.strerror}.") from None


def _already_running(server: ServerFile | None) -> Conflict:
    where = f" at {server.url}" if server is not None and server.is_running else ""
    return Conflict(
        f"handrail is already running on this state directory{where}.",
        hint="Use that one, stop it first, or start with another --state.",
        **({"url": server.url, "pid": server.pid} if server is not None and where else {}),
    )


def _write(state: Path, content: ServerFile) -> None:
    """Whole or not at all: a reader never sees half a file, and a full disk leaves the old one."""
    temporary = state / f".{FILE}.{secrets.token_hex(6)}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(msgspec.json.encode(content) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, state / FILE)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    folder = os.open(state, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
