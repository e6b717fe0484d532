"""`<stateDir>/agents.json`: the agents to which a person has issued tokens, by the hash of each token.

The file is checked with every request, so a change by one process takes effect in all of them.
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
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.stores.local import locks
from handrail.stores.local.private_file import read_plain

FILE = "agents.json"
_TOKEN_PREFIX = "hra_"


class _StoredAgent(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    name: str
    created_at: str
    hash: str

    @property
    def agent(self) -> Agent:
        return Agent(self.id, self.name, self.created_at, self.hash)


class _Content(msgspec.Struct, frozen=True):
    agents: tuple[_StoredAgent, ...] = ()


class AgentsFile:
    def __init__(self, state: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._file = state / FILE
        self._now = now
        self._stamp: tuple[int, int, int] | None = None
        self._by_hash: dict[str, _StoredAgent] = {}

    def all(self) -> Sequence[Agent]:
        """All agents; none if the file can't be read, so that no token is valid."""
        return [agent.agent for agent in self._current().values()]

    def find(self, token: str) -> Agent | None:
        """Tokens are looked up by hash, so that timing reveals nothing about valid tokens."""
        stored = self._current().get(_hash(token))
        return None if stored is None else stored.agent

    def is_valid(self, identity: str) -> bool:
        if not identity.startswith(PREFIX):
            return True
        return any(agent.id == identity.removeprefix(PREFIX) for agent in self._current().values())

    async def is_still_valid(self, identity: str) -> bool:
        return self.is_valid(identity)

    def stamp(self) -> object:
        self._current()
        return self._stamp

    def add(self, name: str) -> tuple[Agent, str]:
        validate_agent_name(name)
        token = _TOKEN_PREFIX + secrets.token_urlsafe(32)
        at = self._now().isoformat(timespec="seconds")
        added = _StoredAgent(f"{name}.{secrets.token_hex(3)}", name, at, _hash(token))
        self._add(added)
        return added.agent, token

    def remove(self, name: str) -> Agent:
        with locks.exclusive(self._file.with_name(f"{FILE}.lock")):
            agents = self._read().values()
            match = next((agent for agent in agents if name in (agent.name, agent.id)), None)
            if match is None:
                raise NotFound(f"There is no agent {name!r}.", hint="`handrail agents list` shows them.")
            self._write(tuple(agent for agent in agents if agent is not match))
        return match.agent

    def restore(self, agent: Agent) -> None:
        self._add(_StoredAgent(agent.id, agent.name, agent.created_at, agent.token_hash))

    def _add(self, added: _StoredAgent) -> None:
        with locks.exclusive(self._file.with_name(f"{FILE}.lock")):
            agents = self._read()
            if any(agent.name == added.name for agent in agents.values()):
                raise Conflict(
                    f"There is an agent named {added.name!r} already.",
                    hint=f"Choose another name, or first `handrail agents remove {added.name}`.",
                )
            self._write((*agents.values(), added))

    def _write(self, agents: tuple[_StoredAgent, ...]) -> None:
        try:
            write_state(self._file, msgspec.json.encode(_Content(agents)) + b"\n")
        except OSError as refusal:
            raise InputOutput(f"Can't write {self._file}: {refusal.strerror}.") from None

    def _current(self) -> dict[str, _StoredAgent]:
        try:
            return self._read()
        except InputOutput:
            return {}

    def _read(self) -> dict[str, _StoredAgent]:
        """Raises InputOutput if the disk fails, so that a writer doesn't take that for an empty file."""
        try:
            status = os.lstat(self._file)
            stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
            if stamp != self._stamp:
                self._by_hash = _decoded(read_plain(self._file))
                self._stamp = stamp
        except FileNotFoundError:
            self._stamp, self._by_hash = None, {}
        except OSError as refusal:
            self._stamp = None
            raise InputOutput(f"Can't read {self._file}: {refusal.strerror}.") from None
        return self._by_hash


def _decoded(data: bytes) -> dict[str, _StoredAgent]:
    """The agents by token hash; none if the file is invalid."""
    try:
        content = msgspec.json.decode(data, type=_Content)
    except UNREADABLE_JSON:
        return {}
    return {agent.hash: agent for agent in content.agents}


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
