"""The members of a team: who they are, what each may do, and the port to where that is kept."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, Protocol, get_args
from urllib.parse import urlsplit

import msgspec

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
"""They have tokens, and never sign in."""
_RANKS = {role: rank for rank, role in enumerate(ROLES)}


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody may approve, or which approvals a rule is about: patterns with `*`; what is empty is any."""

    tools: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()

    def cover(self, about: ApprovalSubject) -> bool:
        host = (urlsplit(about.place).hostname or about.place) if about.place else ""
        pairs = (
            (self.tools, about.tool),
            (self.effects, about.effect),
            (self.hosts, host),
            (self.projects, about.project),
            (self.servers, about.server),
        )
        return all(not patterns or any(fnmatchcase(value, each) for each in patterns) for patterns, value in pairs)

    def __str__(self) -> str:
        said = msgspec.to_builtins(self)
        return " ".join(f"{name.removesuffix('s')}={','.join(said[name])}" for name in said) or "everything"


@dataclass(frozen=True, slots=True)
class Member:
    """A person, a service or an agent with a token of its own. `owner` is the member for whom an agent works, or
    whose machine a node is."""

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
    """Approvals within these limits need so many people."""

    id: str
    limits: Limits
    votes: int


@dataclass(frozen=True, slots=True)
class Vote:
    """Who said yes to what: `answer` is the digest of everything that was answered."""

    member: str
    name: str
    answer: str


class Members(Protocol):
    """What is changed here counts with the next request on every server. Everything but `current` blocks."""

    def add(self, name: str, role: Role, limits: Limits, *, owner: str, by: str) -> tuple[Member, str]:
        """The member and its token, which is told once. Conflict: the name is taken; NotFound: no such owner."""
        ...

    def admit(self, subject: str, name: str, role: Role) -> Member:
        """Who an identity provider has vouched for, with the role that it gives now. Declined: they were revoked."""
        ...

    def revoke(self, name: str) -> Member:
        """By its name or id: its token, and every session that was begun with it. NotFound."""
        ...

    def all(self) -> Sequence[Member]: ...

    async def current(self, name: str) -> Member | None:
        """As the database has it now."""
        ...

    async def with_id(self, id: str) -> Member | None:
        """As the database has it now."""
        ...

    async def refresh(self) -> object:
        """One look at the database, for `with_token` and `Sessions.find`."""
        ...

    def with_token(self, token: str) -> Member | None:
        """As of the last look; doesn't block."""
        ...


class Session(Protocol):
    """One browser that a member has signed in with. Times are seconds since 1970."""

    @property
    def id(self) -> str:
        """For people to name it by: it opens nothing."""
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
    """What a server remembers of a browser that it has sent to the provider, for whichever server it comes back to."""

    nonce: str
    verifier: str


class Sessions(Protocol):
    """`find`, `member` and `alive` are as of the last look and don't block; the others do."""

    def start(self, member: str, user_agent: str) -> tuple[str, str]:
        """The cookie's secret and the page's."""
        ...

    def find(self, cookie: str, page: str) -> Session | None: ...

    def member(self, session: Session) -> Member | None: ...

    def alive(self) -> Sequence[Session]: ...

    def end(self, id: str) -> bool: ...

    def make_code(self, member: str) -> str:
        """For one sign-in within two minutes, on any server."""
        ...

    def use_code(self, code: str) -> str | None:
        """Whose it is; None where it was used, has expired, or never was."""
        ...

    def begin(self, state: str, attempt: SignInAttempt) -> None:
        """For ten minutes."""
        ...

    def resume(self, state: str) -> SignInAttempt | None:
        """Once; None where there is none, or not any more."""
        ...


class Votes(Protocol):
    async def cast(self, request_id: str, vote: Vote) -> None:
        """Conflict: this member has voted otherwise before. The same vote again changes nothing."""
        ...

    async def of(self, request_id: str) -> Sequence[Vote]:
        """In the order in which they were cast."""
        ...


class ApprovalRules(Protocol):
    """Everything but `current` blocks."""

    def add(self, limits: Limits, votes: int) -> ApprovalRule: ...

    def remove(self, id: str) -> bool: ...

    def all(self) -> Sequence[ApprovalRule]: ...

    async def current(self) -> Sequence[ApprovalRule]: ...


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to act as the only one. A write names its epoch, and is refused once somebody else has a later one."""

    name: str
    holder: str
    epoch: int


class Leases(Protocol):
    async def take(self, name: str, seconds: float) -> Lease | None:
        """None while somebody else has it. Who has it already gets it again, with the same epoch."""
        ...

    async def keep(self, lease: Lease, seconds: float) -> bool:
        """For longer; False where it has expired or is another's by now. Then it is lost for good."""
        ...

    async def give_back(self, lease: Lease) -> None: ...


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """An OpenID Connect provider. `groups` maps a group that it names to a role; of several, the highest counts."""

    issuer: str
    client: str
    secret: str = field(repr=False)
    groups: Mapping[str, Role]
    claim: str = "groups"

    def role(self, groups: Sequence[str]) -> Role | None:
        return max((self.groups[each] for each in groups if each in self.groups), key=_RANKS.__getitem__, default=None)


@dataclass(frozen=True, slots=True)
class TeamStores:
    """What a team has beside what one user has."""

    tenant: str
    server: str
    """This process, to the others."""
    members: Members
    sessions: Sessions
    votes: Votes
    approvals: ApprovalRules
    leases: Leases
    parts: Callable[[], Mapping[str, str | None]]
    """Each engine, and what is wrong with it now. Blocks."""
    watch_access: Callable[[], AbstractAsyncContextManager[Watch]]
    """While inside, tells when somebody's access may have changed."""
    nodes: "Nodes"
    provider: IdentityProvider | None = None
    url: str = ""
    """The address under which people reach the team."""


def validate_role(role: str) -> Role:
    for known in ROLES:
        if role == known:
            return known
    raise InvalidParams(f"Unknown role {role!r}.", hint=f"Roles are {', '.join(ROLES)}.", field="role")
