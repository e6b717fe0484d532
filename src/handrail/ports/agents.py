"""Agents that a person has let in: each has a token of its own, of which only the hash is kept."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from handrail.ports.errors import InvalidParams

PREFIX = "agent:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class Agent:
    """`id` is its own for good: an agent that is added later under the same name is another one."""

    id: str
    name: str
    created_at: str
    token_hash: str = field(default="", repr=False, compare=False)

    @property
    def identity(self) -> str:
        return PREFIX + self.id


class Agents(Protocol):
    """What is changed here counts at once, in every process."""

    def all(self) -> Sequence[Agent]: ...

    def find(self, token: str) -> Agent | None: ...

    def is_valid(self, identity: str) -> bool:
        """False for an agent's identity whose token was revoked; True for everybody who needs no token."""
        ...

    async def is_still_valid(self, identity: str) -> bool:
        """`is_valid`, after a look at what other processes may have changed."""
        ...

    def stamp(self) -> object:
        """Another one after each change, by whichever process."""
        ...

    def add(self, name: str) -> tuple[Agent, str]:
        """The agent and its token, which is told once. Conflict: the name is taken. Blocks."""
        ...

    def remove(self, name: str) -> Agent:
        """By its name or id. NotFound. Blocks."""
        ...

    def restore(self, agent: Agent) -> None:
        """Exactly the one that was removed, with its token. Conflict: the name was taken meanwhile. Blocks."""
        ...


def validate_agent_name(name: str) -> str:
    """For people, and in commands: nothing that looks like something else."""
    if not _NAME.fullmatch(name):
        raise InvalidParams("An agent's name has 1 to 40 letters, digits, dots, underscores or hyphens.", field="name")
    return name
