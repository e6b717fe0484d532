"""`<stateDir>/server.json`: the server that runs on this state directory, and its token.

`{pid, host, port, token, isOnDemand}`, readable by its owner only. While the server runs, `pid` is its process; a
clean stop sets it to 0 but keeps the token, because clients have it in their configuration until a person renews it.
After a crash the pid is stale, so a lock on `server.lock`, which ends with the process, decides whether a second
server may start.
"""

import fcntl
import os
import re
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from handrail.faces.http import state_file
from handrail.faces.http.listen_socket import url
from handrail.ports.errors import Conflict, InputOutput
from handrail.ports.state_writes import write_state
from handrail.ports.unreadable_json import UNREADABLE_JSON

FILE = "server.json"
_LOCK = "server.lock"
_END_SECONDS = 10.0
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43,128}")


class ServerFile(msgspec.Struct, frozen=True, omit_defaults=True):
    pid: int
    host: str
    port: int
    token: str
    is_on_demand: bool = msgspec.field(default=False, name="isOnDemand")
    """Started for agents; it stops when a person starts a server."""

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
    """The file's content; None if it is missing or invalid."""
    try:
        content = msgspec.json.decode(state_file.read(state / FILE) or b"", type=ServerFile)
    except UNREADABLE_JSON:
        return None
    return content if _TOKEN.fullmatch(content.token) else None


@contextmanager
def claim_state(state: Path, *, is_on_demand: bool = False) -> Iterator[None]:
    """Until left, no other server can start on this state directory.

    A server that was started for agents is stopped first, unless this is one, too. Blocks until it has stopped.
    """
    with state_file.os_errors(state):
        lock = os.open(state / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if not _try_lock(lock):
            server = read(state)
            if is_on_demand or server is None or not server.is_on_demand or not _replace(server, lock):
                raise _already_running(server)
        yield
    finally:
        os.close(lock)


class Published:
    """The file while this process owns it."""

    def __init__(self, state: Path, content: ServerFile) -> None:
        self._state = state
        self.content = content

    @property
    def path(self) -> Path:
        return self._state / FILE

    @property
    def token(self) -> str:
        return self.content.token

    def renew_token(self) -> None:
        """Replaces the token. If the file can't be written, the old one stays valid."""
        self.write(msgspec.structs.replace(self.content, token=_new_token()))

    def write(self, content: ServerFile) -> None:
        with state_file.os_errors(self._state):
            write_state(self.path, msgspec.json.encode(content) + b"\n")
        self.content = content


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _replace(server: ServerFile, lock: int) -> bool:
    """Stops that server and takes its lock, polling fast enough to be before agents that start another."""
    if server.pid > 0:
        with suppress(ProcessLookupError):
            os.kill(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + _END_SECONDS
    while not (is_ours := _try_lock(lock)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return is_ours


@contextmanager
def publish(state: Path, host: str, port: int, *, is_on_demand: bool = False) -> Iterator[Published]:
    """Until left, the file names this process; afterwards it only keeps the token."""
    previous = read(state)
    token = previous.token if previous is not None else _new_token()
    running = ServerFile(os.getpid(), host, port, token, is_on_demand)
    file = Published(state, running)
    file.write(running)
    try:
        yield file
    finally:
        with suppress(InputOutput):  # the pid is then stale, as after a crash
            file.write(msgspec.structs.replace(file.content, pid=0))


def _already_running(server: ServerFile | None) -> Conflict:
    where = f" at {server.url}" if server is not None and server.is_running else ""
    return Conflict(
        f"handrail is already running on this state directory{where}.",
        hint="Use that one, stop it first, or use another --state.",
        **({"url": server.url, "pid": server.pid} if server is not None and where else {}),
    )


def _new_token() -> str:
    return secrets.token_urlsafe(32)
