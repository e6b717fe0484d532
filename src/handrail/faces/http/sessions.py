"""`<stateDir>/sessions.json`: the browsers that were let in, by the hash of what each one's cookie holds.

They survive restarts, for thirty days. Who removes the file sends them all away, and at once: it is looked at with
every request. One server writes it, the one that holds the state directory.
"""

import os
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec

from handrail.faces.http import state_file

FILE = "sessions.json"
LIFETIME = 30 * 24 * 3600
MOST_SESSIONS = 32


class _Session(msgspec.Struct, frozen=True, rename="camel"):
    hash: str
    created_at: int
    expires_at: int


class _Content(msgspec.Struct, frozen=True):
    sessions: tuple[_Session, ...] = ()


class Sessions:
    """`clock` gives seconds since 1970."""

    def __init__(self, state: Path, clock: Callable[[], float] = time.time) -> None:
        self._state = state
        self._file = state / FILE
        self._clock = clock
        self._seen: tuple[int, int, int] | None = None
        self._known: dict[str, _Session] = {}

    def start(self) -> str:
        """The secret for the cookie; here only its hash stays."""
        secret, now = secrets.token_urlsafe(32), int(self._clock())
        started = _Session(_hash(secret), now, now + LIFETIME)
        alive = [session for session in self._current().values() if now < session.expires_at]
        with state_file.spelled(self._state):
            state_file.replace(
                self._file, msgspec.json.encode(_Content((*alive[1 - MOST_SESSIONS :], started))) + b"\n"
            )
        return secret

    def holds(self, secret: str) -> bool:
        session = self._current().get(_hash(secret))
        return session is not None and self._clock() < session.expires_at

    def _current(self) -> dict[str, _Session]:
        try:
            status = os.lstat(self._file)
        except OSError:
            self._seen, self._known = None, {}
            return self._known
        seen = (status.st_ino, status.st_mtime_ns, status.st_size)
        if seen != self._seen:
            self._seen, self._known = seen, _read(self._file)
        return self._known


def _read(file: Path) -> dict[str, _Session]:
    try:
        content = msgspec.json.decode(state_file.read(file) or b"", type=_Content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {session.hash: session for session in content.sessions}


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
