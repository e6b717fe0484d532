"""Decisions and rules, as they are written in policy files."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from enum import IntEnum
from functools import cache, lru_cache
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

import msgspec

from handrail.ports.effect import Effect


class Decision(IntEnum):
    """Ordered by strictness: the greatest of several matches wins."""

    ALLOW = 0
    ASK = 1
    DENY = 2


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rule for a `tool`, `effect` or `server`, optionally limited to a target, project, agent or time.

    `path`, `host` and `app` are patterns, `place` is `scheme://host[:port]`, `command` is exactly one command line,
    `program` the first words of a command (`npm test`), `server` a pattern for MCP servers behind handrail. `project`
    is a folder, `agent` a lasting identity (`Caller.agent`).
    """

    decision: str
    tool: str | None = None
    effect: Effect | None = None
    path: str | None = None
    host: str | None = None
    app: str | None = None
    place: str | None = None
    server: str | None = None
    command: str | None = None
    program: str | None = None
    project: str | None = None
    agent: str | None = None
    until: str | None = None
    """A date (until its end) or a time in ISO 8601, in local time without a zone. The rule doesn't apply afterwards."""
    below: bool = True
    """Whether `path` also covers everything below it."""
    critical: bool = False
    """An approval that this rule requires needs proof that a person is present."""

    def __post_init__(self) -> None:
        if self.decision.upper() not in Decision.__members__:
            raise ValueError(f"`decision` must be allow, ask or deny, not {self.decision!r}")
        if self.tool is None and self.effect is None and self.server is None:
            raise ValueError("a rule needs a tool, an effect or a server")
        if self.project is not None and not self.project.startswith(("/", "~/")):
            raise ValueError("`project` must be an absolute path")
        if self.program is not None:
            split_program(self.program)
        if self.until is not None:
            parse_until(self.until)

    @property
    def verdict(self) -> Decision:
        return _decision_of(self.decision)

    def has_expired(self, now: datetime) -> bool:
        return self.until is not None and now >= parse_until(self.until)


@lru_cache(maxsize=32)
def _decision_of(word: str) -> Decision:
    return Decision[word.upper()]


@lru_cache(maxsize=256)
def split_program(program: str) -> tuple[str, ...]:
    """The words of a rule's `program`. ValueError."""
    try:
        words = tuple(shlex.split(program))
    except ValueError:
        words = ()
    if not words:
        raise ValueError(f"`program` must be words such as `npm test`, not {program!r}")
    return words


@cache
def _machine_zone() -> tzinfo:
    """Ignores `TZ`: an agent sets the environment of programs that it starts, and could make a rule last longer."""
    try:
        with open("/etc/localtime", "rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC


@lru_cache(maxsize=256)
def parse_until(until: str) -> datetime:
    """The time at which something ends; a date ends with its day. ValueError."""
    try:
        if len(until) == len("2026-11-30"):
            moment = datetime.fromisoformat(until) + timedelta(days=1)
        else:
            moment = datetime.fromisoformat(until)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=_machine_zone())).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("`until` must be a date such as 2026-11-30 or a moment such as 2026-11-30T18:00Z") from None


class TrustedPolicy(NamedTuple):
    """A trusted policy: the hash of its content, where the file was when a person trusted it, and since when."""

    hash: str
    where: str
    at: str


class Trust(Protocol):
    """The policy files that a person trusts, by their content. Blocks."""

    @property
    def where(self) -> str:
        """The file that changes with it."""
        ...

    def holds(self, data: bytes) -> bool: ...

    def add(self, data: bytes, where: str) -> None: ...

    def remove(self, data: bytes) -> bool:
        """Returns whether it was trusted."""
        ...

    def all(self) -> Sequence[TrustedPolicy]:
        """The trusted policies of all projects, the newest first."""
        ...

    def forget(self, digest: str) -> TrustedPolicy | None:
        """Removes and returns the policy with this digest, if it was trusted."""
        ...

    def restore(self, trusted: TrustedPolicy) -> None: ...
