"""`<stateDir>/sessions.json`: the browsers that were let in, by the hashes of their two secrets.

One secret is in the cookie, which a browser also sends to other programs on the same host: cookies ignore ports. The
other is kept by the page in the storage of its own origin, which no other port can read. Both are needed.

They survive restarts, for thirty days. Who removes the file sends them all away, and at once: it is looked at with
every request. One server writes it, the one that holds the state directory.
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

FILE = "sessions.json"
LIFETIME = 30 * 24 * 3600
MOST_SESSIONS = 32
LONGEST_USER_AGENT = 300


class Session(msgspec.Struct, frozen=True, rename="camel"):
    """One browser; what it calls itself is its own claim. Times are seconds since 1970."""

    hash: str
    created_at: int
    expires_at: int
    user_agent: str = ""
    page: str = ""
    """The hash of the page's secret. A session of version 0.1 has none and opens nothing: sign in again."""

    @property
    def id(self) -> str:
        """For people to name it by: it opens nothing."""
        return self.hash[:16]


@dataclass(frozen=True, slots=True)
class SessionSecrets:
    """What a browser gets at sign-in: one for its cookie, one for the page."""

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
        self._seen: tuple[int, int, int] | None = None
        self._known: dict[str, Session] = {}
        self._turn = threading.Lock()

    def start(self, user_agent: str = "") -> SessionSecrets:
        """Only the hashes stay here. Blocks."""
        new, now = SessionSecrets(_new_secret(), _new_secret()), int(self._clock())
        started = Session(_hash(new.cookie), now, now + LIFETIME, user_agent[:LONGEST_USER_AGENT], page=_hash(new.page))
        with self._turn:
            self._write((*self.alive()[1 - MOST_SESSIONS :], started))
        return new

    def find(self, cookie: str, page: str) -> str | None:
        """The id of the session that these two secrets open together."""
        session = self._current().get(_hash(cookie))
        if session is None or not hmac.compare_digest(session.page, _hash(page)):
            return None
        return session.id if self._clock() < session.expires_at else None

    def renew(self, id: str) -> str:
        """The page's new secret for this session; all other sessions end. Blocks."""
        secret = _new_secret()
        with self._turn:
            kept = (session for session in self.alive() if session.id == id)
            self._write(tuple(msgspec.structs.replace(session, page=_hash(secret)) for session in kept))
        return secret

    def alive(self) -> tuple[Session, ...]:
        """The oldest first."""
        now = self._clock()
        return tuple(session for session in self._current().values() if now < session.expires_at)

    def end(self, id: str) -> bool:
        """False when there is no such session. Blocks."""
        with self._turn:
            alive = self.alive()
            rest = tuple(session for session in alive if session.id != id)
            if len(rest) < len(alive):
                self._write(rest)
            return len(rest) < len(alive)

    def _write(self, sessions: tuple[Session, ...]) -> None:
        with state_file.spelled(self._state):
            write_state(self._file, msgspec.json.encode(_Content(sessions)) + b"\n")

    def _current(self) -> dict[str, Session]:
        try:
            status = os.lstat(self._file)
        except OSError:
            self._seen, self._known = None, {}
            return self._known
        seen = (status.st_ino, status.st_mtime_ns, status.st_size)
        if seen != self._seen:
            self._seen, self._known = seen, _read(self._file)
        return self._known


def _read(file: Path) -> dict[str, Session]:
    try:
        content = msgspec.json.decode(state_file.read(file) or b"", type=_Content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {session.hash: session for session in content.sessions}


def _new_secret() -> str:
    return secrets.token_urlsafe(32)


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
