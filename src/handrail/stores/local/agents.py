"""`<stateDir>/agents.json`: the agents that a person has let in, by the hash of each one's token.

It is looked at with every request, so what one process changes counts in all of them.
"""

import os
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from handrail.ports.agents import PREFIX, Agent, validate_agent_name
from handrail.ports.errors import Conflict, InputOutput, NotFound
from handrail.ports.state_writes import write_state
from handrail.stores.local import locks
from handrail.stores.local.private_file import read_plain

FILE = "agents.json"
_TOKEN_PREFIX = "hra_"


class _Kept(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    name: str
    created_at: str
    hash: str

    @property
    def agent(self) -> Agent:
        return Agent(self.id, self.name, self.created_at, self.hash)


class _Content(msgspec.Struct, frozen=True):
    agents: tuple[_Kept, ...] = ()


class AgentsFile:
    def __init__(self, state: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._file = state / FILE
        self._now = now
        self._seen: tuple[int, int, int] | None = None
        self._by_hash: dict[str, _Kept] = {}

    def all(self) -> Sequence[Agent]:
        """While the file can't be read, none: that lets nobody in."""
        return [kept.agent for kept in self._current().values()]

    def find(self, token: str) -> Agent | None:
        """Looked up by the hash, so that the time this takes tells nothing of the tokens there are."""
        kept = self._current().get(_hash(token))
        return None if kept is None else kept.agent

    def is_valid(self, identity: str) -> bool:
        if not identity.startswith(PREFIX):
            return True
        return any(kept.id == identity.removeprefix(PREFIX) for kept in self._current().values())

    async def is_still_valid(self, identity: str) -> bool:
        return self.is_valid(identity)

    def stamp(self) -> object:
        self._current()
        return self._seen

    def add(self, name: str) -> tuple[Agent, str]:
        validate_agent_name(name)
        token = _TOKEN_PREFIX + secrets.token_urlsafe(32)
        at = self._now().isoformat(timespec="seconds")
        added = _Kept(f"{name}.{secrets.token_hex(3)}", name, at, _hash(token))
        self._add(added)
        return added.agent, token

    def remove(self, name: str) -> Agent:
        with locks.exclusive(self._file.with_name(f"{FILE}.lock")):
            known = self._read().values()
            found = next((kept for kept in known if name in (kept.name, kept.id)), None)
            if found is None:
                raise NotFound(f"There is no agent {name!r}.", hint="`handrail agents list` shows them.")
            self._write(tuple(kept for kept in known if kept is not found))
        return found.agent

    def restore(self, agent: Agent) -> None:
        self._add(_Kept(agent.id, agent.name, agent.created_at, agent.token_hash))

    def _add(self, added: _Kept) -> None:
        with locks.exclusive(self._file.with_name(f"{FILE}.lock")):
            known = self._read()
            if any(kept.name == added.name for kept in known.values()):
                raise Conflict(
                    f"There is an agent named {added.name!r} already.",
                    hint=f"Choose another name, or first `handrail agents remove {added.name}`.",
                )
            self._write((*known.values(), added))

    def _write(self, agents: tuple[_Kept, ...]) -> None:
        try:
            write_state(self._file, msgspec.json.encode(_Content(agents)) + b"\n")
        except OSError as refusal:
            raise InputOutput(f"Can't write {self._file}: {refusal.strerror}.") from None

    def _current(self) -> dict[str, _Kept]:
        try:
            return self._read()
        except InputOutput:
            return {}

    def _read(self) -> dict[str, _Kept]:
        """InputOutput where the disk fails: who writes must not take that for an empty file."""
        try:
            status = os.lstat(self._file)
            seen = (status.st_ino, status.st_mtime_ns, status.st_size)
            if seen != self._seen:
                self._by_hash = _decoded(read_plain(self._file))
                self._seen = seen
        except FileNotFoundError:
            self._seen, self._by_hash = None, {}
        except OSError as refusal:
            self._seen = None
            raise InputOutput(f"Can't read {self._file}: {refusal.strerror}.") from None
        return self._by_hash


def _decoded(data: bytes) -> dict[str, _Kept]:
    """A file that makes no sense lets nobody in."""
    try:
        content = msgspec.json.decode(data, type=_Content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
    return {kept.hash: kept for kept in content.agents}


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
