"""Decisions and rules, as people write them into policy files."""

from enum import IntEnum
from typing import Protocol

import msgspec

from handrail.ports.effect import Effect


class Decision(IntEnum):
    """Ordered by strictness: of several matches the greatest wins."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`tool` or `effect`, optionally narrowed to a `path`, `place`, `host` or `app` pattern."""

    decision: str
    tool: str | None = None
    effect: Effect | None = None
    path: str | None = None
    place: str | None = None
    host: str | None = None
    app: str | None = None

    def __post_init__(self) -> None:
        if self.decision.upper() not in Decision.__members__:
            raise ValueError(f"`decision` must be allow, ask or deny, not {self.decision!r}")
        if self.tool is None and self.effect is None:
            raise ValueError("a rule needs a tool or an effect")

    @property
    def verdict(self) -> Decision:
        return Decision[self.decision.upper()]


class Trust(Protocol):
    """The policy files that a person has said yes to, by their content. Blocks."""

    @property
    def where(self) -> str:
        """The file that changes with it."""
        ...

    def holds(self, data: bytes) -> bool: ...

    def add(self, data: bytes, where: str) -> None: ...

    def remove(self, data: bytes) -> bool:
        """Whether it was there."""
        ...
