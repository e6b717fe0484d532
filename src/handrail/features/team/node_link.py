"""A server's side of the connection to nodes: sends them policy and answers, and receives questions and audits."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.team.node_questions import NodeQuestions
from handrail.kernel.audit import Audit
from handrail.kernel.chain import Head, read_head
from handrail.kernel.chain_check import follow_records
from handrail.kernel.node_record import EVENT
from handrail.kernel.policy_source import SharedRules
from handrail.ports.errors import Conflict, Declined, InvalidParams
from handrail.ports.journal import Journal
from handrail.ports.node import NeededVotes, NodeOutcome, NodeQuestion, NodeUpdate, TeamPolicy
from handrail.ports.policy import Decision
from handrail.ports.team import Member, TeamStores
from handrail.ports.waiting import run_in_thread

LONGEST_POLL_SECONDS = 20.0


class NodeLink:
    def __init__(
        self, team: TeamStores, rules: SharedRules, questions: NodeQuestions, audit: Audit, journal: Journal
    ) -> None:
        self._team = team
        self._nodes = team.nodes
        self._rules = rules
        self._questions = questions
        self._audit = audit
        self._journal = journal
        self._policy: tuple[object, TeamPolicy] | None = None

    async def news(self, member: Member, version: str, seconds: float, program: str = "") -> NodeUpdate:
        """Returns as soon as there is an update, or after `seconds`. Declined: the token was revoked.

        `version` is the node's version of the policy, `program` its version of handrail.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + min(seconds, LONGEST_POLL_SECONDS)
        await self._nodes.seen(member.id, version, program)
        async with self._nodes.watching() as watch:
            while True:
                await watch.change()
                if await self._team.members.with_id(member.id) is None:
                    raise Declined("This node's token was revoked.", reason="revoked")
                update = await self._make_update(member, version)
                if update.policy is not UNSET or update.answers or loop.time() >= deadline:
                    return update

    async def ask(self, member: Member, questions: Sequence[NodeQuestion]) -> None:
        for each in questions:
            await self._questions.post(member, each)

    async def settle(self, member: Member, outcomes: Sequence[NodeOutcome]) -> None:
        for each in outcomes:
            await self._questions.settle(member, each)

    async def keep_audit(self, member: Member, start: int, data: bytes) -> dict[str, Any]:
        """Each of the two audits records the other's last digest. Conflict: these are not the next records."""
        head = await run_in_thread(lambda: append_records(self._nodes.journal(member.id), start, data))
        await self._audit.add(
            {"event": EVENT, "node": member.id, "records": head.count, "size": head.size, "digest": head.hash},
            durable=True,
        )
        own = await run_in_thread(lambda: _head(self._journal))
        return {"size": head.size, "tenant": self._team.tenant, "records": own.count, "digest": own.hash}

    async def _make_update(self, member: Member, version: str) -> NodeUpdate:
        policy = await self.policy()
        open_questions = await self._nodes.open(member.id)
        journal = self._nodes.journal(member.id)
        size = (await run_in_thread(journal.snapshot)).size or 0
        return NodeUpdate(
            tenant=self._team.tenant,
            node=member.id,
            name=member.name,
            audit_size=size,
            open=tuple(id for id, _ in open_questions),
            answers=tuple(answer for _, answer in open_questions if answer is not None),
            policy=UNSET if policy.version == version else policy,
        )

    async def policy(self) -> TeamPolicy:
        await self._rules.refresh()
        stamp = self._rules.stamp()
        if self._policy is None or self._policy[0] != stamp:
            self._policy = (stamp, await self._read_policy())
        return self._policy[1]

    async def _read_policy(self) -> TeamPolicy:
        """Without rules that allow something: a team can't take away a node's own approvals."""
        rules = tuple(each for each in await run_in_thread(self._rules.all) if each.verdict is not Decision.ALLOW)
        approvals = await self._team.approvals.current()
        votes = tuple(NeededVotes(limits=each.limits, votes=each.votes) for each in approvals)
        version = sha256(msgspec.json.encode([rules, votes])).hexdigest()[:32]
        return TeamPolicy(version=version, rules=rules, approvals=votes)


def _head(journal: Journal) -> Head:
    head = read_head(journal.snapshot().mark or b"")
    if head is None:
        raise Conflict("The team's audit has no head.")
    return head


def append_records(journal: Journal, start: int, data: bytes) -> Head:
    """Returns where the copy now ends. Conflict: these are not the next records. Blocks."""
    if not data:
        raise InvalidParams("There are no records.", field="body")
    with journal.lock(is_durable=True) as locked:
        before = read_head(locked.mark) if locked.mark is not None else Head()
        if before is None or start != locked.size:
            raise Conflict("The team has another part of this audit.", size=locked.size)
        count, last, end = follow_records(before.count, before.hash, data)
        if end != len(data):
            raise Conflict(
                "This does not continue the team's copy of this node's audit.",
                hint="A machine that was set up again needs a new token.",
            )
        for line in data[:-1].split(b"\n"):
            locked.append(line)
        head = Head(count, locked.size, last)
        locked.set_mark(head.spelled())
    return head
