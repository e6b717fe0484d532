"""`<stateDir>/sessions.json`: the browsers that have signed in, by the hashes of their two secrets.

One secret is in the cookie, which browsers also send to other programs on the same host, because cookies ignore
ports. The page keeps the other one in the storage of its origin, which no other port can read. Both are needed.

Sessions survive restarts and last for thirty days. Removing the file signs everyone out at once, because it is checked
with every request. Only the server that owns the state directory writes it.
"""

import hmac
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from handrail.faces.http import state_file
from handrail.ports.state_writes import write_state
from handrail.ports.unreadable_json import UNREADABLE_JSON

FILE = "sessions.json"
LIFETIME = 30 * 24 * 3600
MOST_SESSIONS = 32
LONGEST_USER_AGENT = 300


class Session(msgspec.Struct, frozen=True, rename="camel"):
    """One browser; its user agent is its own claim. Times are seconds since 1970."""

    hash: str
    created_at: int
    expires_at: int
    user_agent: str = ""
    page: str = ""
    """The hash of the page's secret. A session of version 0.1 has none and is invalid."""

    @property
    def id(self) -> str:
        """Identifies the session to people; it isn't a secret."""
        return self.hash[:16]


@dataclass(frozen=True, slots=True)
class SessionSecrets:
    """The two secrets that a browser gets at sign-in."""

    cookie: str
    page: str


class _Content(msgspec.Struct, frozen=True):
    sessions: tuple[Session, ...] = ()


class Sessions:
    """`clock` gives seconds since 1970."""

    def __init__(self, state: Path, clock: Callable[[], float] = time.time) -> None:
        self._state = state
        self._file = state / FILE
        self._clock = clock
        self._stamp: tuple[int, int, int] | None = None
        self._by_hash: dict[str, Session] = {}
        self._lock = threading.Lock()

    def start(self, user_agent: str = "") -> SessionSecrets:
        """Starts a session; only the hashes of its secrets are stored. Blocks."""
        new, now = SessionSecrets(_new_secret(), _new_secret()), int(self._clock())
        started = Session(_hash(new.cookie), now, now + LIFETIME, user_agent[:LONGEST_USER_AGENT], page=_hash(new.page))
        with self._lock:
            self._write((*self.alive()[1 - MOST_SESSIONS :], started))
        return new

    def find(self, cookie: str, page: str) -> str | None:
        """The id of the session with these two secrets."""
        session = self._current().get(_hash(cookie))
        if session is None or not hmac.compare_digest(session.page, _hash(page)):
            return None
        return session.id if self._clock() < session.expires_at else None

    def renew(self, id: str) -> str:
        """Returns a new page secret for this session and ends all others. Blocks."""
        secret = _new_secret()
        with self._lock:
            remaining = (session for session in self.alive() if session.id == id)
            self._write(tuple(msgspec.structs.replace(session, page=_hash(secret)) for session in remaining))
        return secret

    def alive(self) -> tuple[Session, ...]:
        """Sessions that haven't expired, the oldest first."""
        now = self._clock()
        return tuple(session for session in self._current().values() if now < session.expires_at)

    def end(self, id: str) -> bool:
        """False if there is no such session. Blocks."""
        with self._lock:
            alive = self.alive()
            remaining = tuple(session for session in alive if session.id != id)
            if len(remaining) < len(alive):
                self._write(remaining)
            return len(remaining) < len(alive)

    def _write(self, sessions: tuple[Session, ...]) -> None:
        with state_file.os_errors(self._state):
            write_state(self._file, msgspec.json.encode(_Content(sessions)) + b"\n")

    def _current(self) -> dict[str, Session]:
        try:
            status = os.lstat(self._file)
        except OSError:
            self._stamp, self._by_hash = None, {}
            return self._by_hash
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        if stamp != self._stamp:
            self._stamp, self._by_hash = stamp, _read(self._file)
        return self._by_hash


def _read(file: Path) -> dict[str, Session]:
    try:
        content = msgspec.json.decode(state_file.read(file) or b"", type=_Content)
    except UNREADABLE_JSON:
        return {}
    return {session.hash: session for session in content.sessions}


def _new_secret() -> str:
    return secrets.token_urlsafe(32)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
