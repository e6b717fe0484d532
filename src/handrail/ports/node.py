"""A person's machine as a node of a team: what it knows of the team, and what the team knows of it."""

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
from handrail.ports.wire import Wire


class NeededVotes(Wire, frozen=True, kw_only=True):
    """Approvals within these limits need so many people of the team."""

    limits: Limits
    votes: int


class TeamPolicy(Wire, frozen=True, kw_only=True):
    """What a team asks of its nodes. It only tightens: rules that allow are not among these."""

    version: str
    rules: tuple[Rule, ...] = ()
    approvals: tuple[NeededVotes, ...] = ()

    def votes_for(self, about: ApprovalSubject) -> int:
        """0 where the person at the node decides."""
        return max((each.votes for each in self.approvals if each.limits.cover(about)), default=0)


class Membership(Wire, frozen=True, kw_only=True):
    """Which team this machine is a node of, as what, and what that team last asked of it."""

    url: str
    tenant: str
    node: str
    """The member's id there."""
    name: str
    policy: TeamPolicy
    is_revoked: bool = False
    """The team lets it in no more. What it asked for last goes on counting until a person leaves it."""


class Memberships(Protocol):
    """Where it is kept on the node. Blocks."""

    def read(self) -> Membership | None:
        """BrokenSettings where it can't be read: nobody knows then what the team asked for."""
        ...

    def stamp(self) -> object:
        """Another one after each change."""
        ...

    def write(self, membership: Membership) -> None: ...

    def remove(self) -> None: ...


class NodeQuestion(Wire, frozen=True, kw_only=True):
    """An approval that a node waits for, under the id that it has there."""

    request_id: str
    prompt: FileChangePrompt


class NodeAnswer(Wire, frozen=True, kw_only=True):
    """An answer of the team's, on its way to the node; `shown` is the digest of what its people saw."""

    request_id: str
    response: PromptResponse
    by: tuple[str, ...]
    shown: str


class NodeOutcome(Wire, frozen=True, kw_only=True):
    """What became of a question on the node: its answer, or why the node did not take the team's."""

    request_id: str
    response: PromptResponse | UnsetType = UNSET
    by: str = ""
    refused: str = ""


class NodeUpdate(Wire, frozen=True, kw_only=True):
    """What a team tells a node. The policy only where the node has another one."""

    tenant: str
    node: str
    name: str
    audit_size: int
    """How much of the node's audit the team has."""
    open: tuple[str, ...] = ()
    """Questions of the node that the team still shows."""
    answers: tuple[NodeAnswer, ...] = ()
    policy: TeamPolicy | UnsetType = UNSET


class NodeStatus(Wire, frozen=True, kw_only=True):
    """What the servers last knew of a node. `policy` is the version that it had when it asked for news."""

    last_seen: str
    is_connected: bool
    policy: str
    version: str
    pending: int
    """Its open questions."""


class Nodes(Protocol):
    """What the servers of a team know about its nodes. `node` is a member's id."""

    async def seen(self, node: str, policy: str, version: str) -> None:
        """It has called just now, under this version of the team's policy and of handrail."""
        ...

    async def sightings(self) -> Mapping[str, "NodeStatus"]:
        """When each that has ever called was last seen."""
        ...

    async def connected(self) -> Collection[str]: ...

    async def opened(self, node: str, request_id: str) -> None:
        """From now on it is one of its open questions, unless it was before."""
        ...

    async def answer(self, node: str, answer: NodeAnswer) -> bool:
        """False where there is one already, or the question is not open."""
        ...

    async def refuse(self, node: str, request_id: str) -> None:
        """The node did not take the answer: there may be another."""
        ...

    async def close(self, node: str, request_id: str) -> None: ...

    async def open(self, node: str) -> Sequence[tuple[str, NodeAnswer | None]]:
        """Its open questions, with the answer that is on its way."""
        ...

    async def orphaned_questions(self) -> Sequence[tuple[str, str]]:
        """Open questions, with their nodes, of those who are no members any more."""
        ...

    def journal(self, node: str) -> Journal:
        """The copy of its audit."""
        ...

    def journals(self) -> Sequence[str]:
        """The nodes of which there is one. Blocks."""
        ...

    def watching(self) -> AbstractAsyncContextManager[Watch]:
        """While inside, tells when there may be news for a node."""
        ...


def decode_as(data: bytes, kind: type[Any]) -> Any:
    """ValueError where it is something else."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise ValueError(str(wrong)) from None
