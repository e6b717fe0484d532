"""Agents that a person has added: each has its own token, of which only the hash is stored."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from handrail.ports.errors import InvalidParams

PREFIX = "agent:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class Agent:
    """`id` is never reused: an agent that is added later under the same name gets another one."""

    id: str
    name: str
    created_at: str
    token_hash: str = field(default="", repr=False, compare=False)

    @property
    def identity(self) -> str:
        return PREFIX + self.id


class Agents(Protocol):
    """The agents. Changes take effect at once in every process."""

    def all(self) -> Sequence[Agent]: ...

    def find(self, token: str) -> Agent | None: ...

    def is_valid(self, identity: str) -> bool:
        """False for an agent whose token was revoked; True for identities that need no token."""
        ...

    async def is_still_valid(self, identity: str) -> bool:
        """Like `is_valid`, after checking for changes by other processes."""
        ...

    def stamp(self) -> object:
        """A value that changes with each change by any process."""
        ...

    def add(self, name: str) -> tuple[Agent, str]:
        """The agent and its token, which can't be read again. Conflict: the name is taken. Blocks."""
        ...

    def remove(self, name: str) -> Agent:
        """Removes an agent by its name or id. NotFound. Blocks."""
        ...

    def restore(self, agent: Agent) -> None:
        """Restores a removed agent with its token. Conflict: the name is taken now. Blocks."""
        ...


def validate_agent_name(name: str) -> str:
    """Names appear in commands and to people, so only unambiguous characters are allowed."""
    if not _NAME.fullmatch(name):
        raise InvalidParams("An agent's name has 1 to 40 letters, digits, dots, underscores or hyphens.", field="name")
    return name
