"""Nodes: people's machines that belong to a team. What a node knows of the team, and the team of the node."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from handrail.ports.journal import Journal
from handrail.ports.policy import Rule
from handrail.ports.prompt_queue import ApprovalSubject
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompt_store import Watch
from handrail.ports.prompts import FileChangePrompt
from handrail.ports.team import Limits
from handrail.ports.unreadable_json import UNREADABLE_JSON
from handrail.ports.wire import Wire


class NeededVotes(Wire, frozen=True, kw_only=True):
    """How many people of the team have to approve calls within these limits."""

    limits: Limits
    votes: int


class TeamPolicy(Wire, frozen=True, kw_only=True):
    """A team's policy for its nodes. It only tightens, so it contains no rules that allow."""

    version: str
    rules: tuple[Rule, ...] = ()
    approvals: tuple[NeededVotes, ...] = ()

    def votes_for(self, about: ApprovalSubject) -> int:
        """0 if the person at the node decides."""
        return max((each.votes for each in self.approvals if each.limits.cover(about)), default=0)


class Membership(Wire, frozen=True, kw_only=True):
    """The team that this machine belongs to, its node there, and the team's last policy."""

    url: str
    tenant: str
    node: str
    """The id of the node's member."""
    name: str
    policy: TeamPolicy
    is_revoked: bool = False
    """The team no longer accepts the node. Its last policy applies until a person leaves the team."""


class Memberships(Protocol):
    """The store of the membership on the node. Blocks."""

    def read(self) -> Membership | None:
        """BrokenSettings: it can't be read, so the team's policy is unknown."""
        ...

    def stamp(self) -> object:
        """A value that changes with each change."""
        ...

    def write(self, membership: Membership) -> None: ...

    def remove(self) -> None: ...


class NodeQuestion(Wire, frozen=True, kw_only=True):
    """An approval that a node waits for, with its id on the node."""

    request_id: str
    prompt: FileChangePrompt


class NodeAnswer(Wire, frozen=True, kw_only=True):
    """The team's answer for the node; `shown` is the digest of what its people saw."""

    request_id: str
    response: PromptResponse
    by: tuple[str, ...]
    shown: str


class NodeOutcome(Wire, frozen=True, kw_only=True):
    """The outcome of a question on the node: its answer, or why the node refused the team's answer."""

    request_id: str
    response: PromptResponse | UnsetType = UNSET
    by: str = ""
    refused: str = ""


class NodeUpdate(Wire, frozen=True, kw_only=True):
    """What a team sends to a node. The policy is set only if the node has another version."""

    tenant: str
    node: str
    name: str
    audit_size: int
    """How much of the node's audit the team has."""
    open: tuple[str, ...] = ()
    """The node's questions that the team still shows."""
    answers: tuple[NodeAnswer, ...] = ()
    policy: TeamPolicy | UnsetType = UNSET


class NodeStatus(Wire, frozen=True, kw_only=True):
    """What the servers last knew about a node. `policy` is the version that it had when it last asked for updates."""

    last_seen: str
    is_connected: bool
    policy: str
    version: str
    pending: int
    """The number of its open questions."""


class Nodes(Protocol):
    """What a team's servers know about its nodes. `node` is a member's id."""

    async def seen(self, node: str, policy: str, version: str) -> None:
        """Records that it has just called, with this version of the team's policy and of handrail."""
        ...

    async def sightings(self) -> Mapping[str, "NodeStatus"]:
        """The status of each node that has ever called."""
        ...

    async def connected(self) -> Collection[str]: ...

    async def opened(self, node: str, request_id: str) -> None:
        """Adds an open question of the node, unless it is known already."""
        ...

    async def answer(self, node: str, answer: NodeAnswer) -> bool:
        """Returns False if there is an answer already, or the question isn't open."""
        ...

    async def refuse(self, node: str, request_id: str) -> None:
        """Removes an answer that the node refused, so that another can be given."""
        ...

    async def close(self, node: str, request_id: str) -> None: ...

    async def open(self, node: str) -> Sequence[tuple[str, NodeAnswer | None]]:
        """Its open questions, each with the answer that was given but not yet received."""
        ...

    async def orphaned_questions(self) -> Sequence[tuple[str, str]]:
        """Open questions, with their nodes, of nodes that are no longer members."""
        ...

    def journal(self, node: str) -> Journal:
        """The copy of the node's audit."""
        ...

    def journals(self) -> Sequence[str]:
        """The nodes whose audits have a copy. Blocks."""
        ...

    def watching(self) -> AbstractAsyncContextManager[Watch]:
        """While inside, reports when there may be an update for a node."""
        ...


def decode_as(data: bytes, kind: type[Any]) -> Any:
    """Decodes JSON as this type. ValueError."""
    try:
        return msgspec.json.decode(data, type=kind)
    except UNREADABLE_JSON as wrong:
        raise ValueError(str(wrong)) from None
