"""The members of a team, what each may do, and the ports to their stores."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, Protocol, get_args
from urllib.parse import urlsplit

import msgspec

from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_queue import ApprovalSubject
from handrail.ports.prompt_store import Watch

if TYPE_CHECKING:
    from handrail.ports.node import Nodes

Role = Literal["agent", "node", "viewer", "operator", "approver", "administrator"]
"""agent: calls tools through the gate. node: a person's machine with a gate of its own. viewer: reads. operator: also
calls tools and answers questions that are no approvals. approver: also approves, within its limits. administrator: also
decides who is in the team."""

ROLES: tuple[Role, ...] = get_args(Role)
PROGRAM_ROLES = frozenset[Role]({"agent", "node"})
"""Roles of programs, which have tokens and never sign in."""
_RANKS = {role: rank for rank, role in enumerate(ROLES)}


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a member may approve, or to which approvals a rule applies: patterns with `*`; empty means any.

    Effects and hosts match in any case, and hosts with or without the dot at their end.
    """

    tools: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()

    def cover(self, about: ApprovalSubject) -> bool:
        host = (urlsplit(about.place).hostname or about.place) if about.place else ""
        pairs = (
            (self.tools, about.tool),
            ([each.upper() for each in self.effects], about.effect),
            ([each.lower().rstrip(".") for each in self.hosts], host.lower().rstrip(".")),
            (self.projects, about.project),
            (self.servers, about.server),
        )
        return all(not patterns or any(fnmatchcase(value, each) for each in patterns) for patterns, value in pairs)

    def __str__(self) -> str:
        said = msgspec.to_builtins(self)
        return " ".join(f"{name.removesuffix('s')}={','.join(said[name])}" for name in said) or "everything"


@dataclass(frozen=True, slots=True)
class Member:
    """A person, or a program with its own token. `owner` is the member for whom an agent works, or whose machine a
    node is."""

    id: str
    name: str
    role: Role
    limits: Limits
    owner: str
    created_at: str
    token_hash: str = field(default="", repr=False, compare=False)

    def is_at_least(self, role: Role) -> bool:
        return self.role not in PROGRAM_ROLES and _RANKS[self.role] >= _RANKS[role]


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """How many people have to approve calls within these limits."""

    id: str
    limits: Limits
    votes: int


@dataclass(frozen=True, slots=True)
class Vote:
    """A member's approval; `answer` is the digest of the whole answer."""

    member: str
    name: str
    answer: str


class Members(Protocol):
    """The members. Changes take effect with the next request on every server. Everything except `current` blocks."""

    def add(self, name: str, role: Role, limits: Limits, *, owner: str, by: str) -> tuple[Member, str]:
        """The member and its token, which can't be read again. Conflict: the name is taken; NotFound: no such owner."""
        ...

    def admit(self, subject: str, name: str, role: Role) -> Member:
        """The member that an identity provider has authenticated, with the role that it assigns. Declined: revoked."""
        ...

    def revoke(self, name: str) -> Member:
        """Revokes a member's token and sessions, by name or id. NotFound."""
        ...

    def all(self) -> Sequence[Member]: ...

    async def current(self, name: str) -> Member | None:
        """As the database has it now."""
        ...

    async def with_id(self, id: str) -> Member | None:
        """As the database has it now."""
        ...

    async def refresh(self) -> object:
        """Reads the database once, for `with_token` and `Sessions.find`."""
        ...

    def with_token(self, token: str) -> Member | None:
        """As of the last `refresh`; doesn't block."""
        ...


class Session(Protocol):
    """A browser with which a member has signed in. Times are seconds since 1970."""

    @property
    def id(self) -> str:
        """An id for people, which gives no access."""
        ...

    @property
    def member(self) -> str: ...

    @property
    def user_agent(self) -> str: ...

    @property
    def created_at(self) -> float: ...

    @property
    def expires_at(self) -> float: ...


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """What is saved of a browser that was sent to the provider; it may come back to another server."""

    nonce: str
    verifier: str


class Sessions(Protocol):
    """`find`, `member` and `alive` are as of the last `refresh` and don't block; the others do."""

    def start(self, member: str, user_agent: str) -> tuple[str, str]:
        """The cookie's secret and the page's."""
        ...

    def find(self, cookie: str, page: str) -> Session | None: ...

    def member(self, session: Session) -> Member | None: ...

    def alive(self) -> Sequence[Session]: ...

    def end(self, id: str) -> bool: ...

    def make_code(self, member: str) -> str:
        """A code for one sign-in within two minutes, on any server."""
        ...

    def use_code(self, code: str) -> str | None:
        """The member's id; None if the code was used, has expired or never existed."""
        ...

    def begin(self, state: str, attempt: SignInAttempt) -> None:
        """Saves the attempt for ten minutes."""
        ...

    def resume(self, state: str) -> SignInAttempt | None:
        """Returns the attempt once; None if there is none or it has expired."""
        ...


class Votes(Protocol):
    async def cast(self, request_id: str, vote: Vote) -> None:
        """Conflict: the member has voted differently before. Repeating a vote has no effect."""
        ...

    async def of(self, request_id: str) -> Sequence[Vote]:
        """In the order in which they were cast."""
        ...


class ApprovalRules(Protocol):
    """Everything except `current` blocks."""

    def add(self, limits: Limits, votes: int) -> ApprovalRule: ...

    def remove(self, id: str) -> bool: ...

    def all(self) -> Sequence[ApprovalRule]: ...

    async def current(self) -> Sequence[ApprovalRule]: ...


@dataclass(frozen=True, slots=True)
class Lease:
    """An exclusive right. Writes contain its epoch, and are refused once somebody else has a later one."""

    name: str
    holder: str
    epoch: int


class Leases(Protocol):
    async def take(self, name: str, seconds: float) -> Lease | None:
        """None while somebody else has it. Its holder gets it again with the same epoch."""
        ...

    async def keep(self, lease: Lease, seconds: float) -> bool:
        """Renews it; returns False if it has expired or somebody else has it. It is then lost."""
        ...

    async def give_back(self, lease: Lease) -> None: ...


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """An OpenID Connect provider. `groups` maps its groups to roles; of several, the highest counts."""

    issuer: str
    client: str
    secret: str = field(repr=False)
    groups: Mapping[str, Role]
    claim: str = "groups"

    def role(self, groups: Sequence[str]) -> Role | None:
        return max((self.groups[each] for each in groups if each in self.groups), key=_RANKS.__getitem__, default=None)


@dataclass(frozen=True, slots=True)
class TeamStores:
    """What a team has in addition to a user's stores."""

    tenant: str
    server: str
    """The name of this process."""
    members: Members
    sessions: Sessions
    votes: Votes
    approvals: ApprovalRules
    leases: Leases
    parts: Callable[[], Mapping[str, str | None]]
    """Each external service, and what is wrong with it. Blocks."""
    watch_access: Callable[[], AbstractAsyncContextManager[Watch]]
    """While inside, reports when somebody's access may have changed."""
    nodes: "Nodes"
    provider: IdentityProvider | None = None
    url: str = ""
    """The address under which people reach the team."""


def validate_effects(patterns: Sequence[str]) -> None:
    """A misspelled effect would match nothing, so that what it limits isn't limited."""
    effects = [effect.value for effect in Effect]
    for each in patterns:
        if not any(fnmatchcase(effect, each.upper()) for effect in effects):
            raise InvalidParams(f"Unknown effect {each!r}.", hint=f"Effects are {', '.join(effects)}.", field="effect")


def validate_role(role: str) -> Role:
    for each in ROLES:
        if role == each:
            return each
    raise InvalidParams(f"Unknown role {role!r}.", hint=f"Roles are {', '.join(ROLES)}.", field="role")
