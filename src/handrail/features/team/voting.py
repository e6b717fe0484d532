"""A team's queue: an approval takes effect once enough people who may approve it, and didn't ask for it, have voted."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from handrail.features.team.node_questions import PREFIX as NODE
from handrail.features.team.node_questions import NodeQuestions
from handrail.kernel.audit import Audit
from handrail.kernel.prompts.answer_rules import check_response
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.agents import PREFIX
from handrail.ports.errors import Conflict, Declined
from handrail.ports.identity import persons_chat_identity
from handrail.ports.presence import ProofSource
from handrail.ports.prompt_queue import ApprovalSubject, Origin, QueuedPrompt, Receipt
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompt_store import PromptStore
from handrail.ports.prompts import FileChangePrompt
from handrail.ports.team import ApprovalRule, Member, TeamStores, Vote

CONSOLE = "console:"
_NODE_SECONDS = 3.0
"""How long the person who answers waits for the node's confirmation."""


class VotingQueue(LogPromptQueue):
    """Every vote is recorded in `audit`."""

    def __init__(self, store: PromptStore, team: TeamStores, audit: Audit) -> None:
        super().__init__(store)
        self._team = team
        self._audit = audit
        self.nodes = NodeQuestions(super().request, super().respond, team, audit)

    async def respond(
        self,
        request_id: str,
        response: PromptResponse | Mapping[str, Any],
        *,
        run_id: str | None = None,
        by: str | None = None,
        proof: ProofSource = None,
        shown: str | None = None,
    ) -> Receipt:
        prompt = await self.find(request_id)
        if prompt is None or not prompt.is_pending or not isinstance(prompt.prompt, FileChangePrompt):
            return await super().respond(request_id, response, run_id=run_id, by=by, proof=proof, shown=shown)
        valid = check_response(prompt.prompt, response)
        origin = (await self.origins([request_id])).get(request_id)
        if valid.status == "ok" and origin is not None and origin.is_own:
            return await self._vote(prompt, valid, origin, by, run_id=run_id, shown=shown)
        if origin is not None and origin.about is not None and origin.about.node:
            return await self._forward_to_node(prompt, valid, origin.about, [(by or "").removeprefix(CONSOLE)])
        return await super().respond(request_id, response, run_id=run_id, by=by, proof=proof, shown=shown)

    async def _vote(
        self,
        prompt: QueuedPrompt,
        response: PromptResponse,
        origin: Origin,
        by: str | None,
        *,
        run_id: str | None,
        shown: str | None,
    ) -> Receipt:
        request_id = prompt.request_id
        member = await self._team.members.current((by or "").removeprefix(CONSOLE)) if by else None
        subject = origin.about
        if member is None or subject is None or not (by or "").startswith(CONSOLE):
            raise Declined("Only a member of the team who has signed in can approve this.", reason="person")
        await self._check_may(member, subject, response)
        if shown not in (None, origin.shown):
            raise Conflict("This isn't what was asked.")
        answer = answer_digest(response, origin)
        await self._team.votes.cast(request_id, Vote(member.id, member.name, answer))
        needed = await self._needed_votes(subject)
        voters = await self._valid_votes(request_id, subject, answer)
        await self._audit.add(
            {"event": "vote", "requestId": request_id, "member": member.id, "answer": answer,
             "votes": len(voters), "needed": needed},
            durable=True,
        )  # fmt: skip
        if len(voters) < needed:
            missing = needed - len(voters)
            return Receipt((f"Your approval counts. {missing} more {'is' if missing == 1 else 'are'} needed.",))
        if subject.node:
            return await self._forward_to_node(prompt, response, subject, voters)
        names = ", ".join(CONSOLE + name for name in voters)
        try:
            return await super().respond(request_id, response, run_id=run_id, by=names, shown=origin.shown)
        except Conflict:
            return await self._accept_same_answer(request_id, answer, origin)

    async def _forward_to_node(
        self, prompt: QueuedPrompt, response: PromptResponse, subject: ApprovalSubject, by: Sequence[str]
    ) -> Receipt:
        """The node's own queue accepts it, unless somebody answered there first."""
        if not await self.nodes.forward_answer(prompt, subject, response, by):
            raise Conflict("Somebody else has answered this.")
        with suppress(TimeoutError):
            async with asyncio.timeout(_NODE_SECONDS), self._watching() as watch:
                while (current := await self.find(prompt.request_id)) is not None and current.answer is None:
                    await watch.change()
                if (
                    current is not None
                    and current.answer is not None
                    and current.answer.response.status != response.status
                ):
                    raise Conflict("It was answered at the machine itself first.")
                return Receipt()
        node = await self._team.members.with_id(subject.node)
        name = "The machine" if node is None else node.name
        return Receipt((f"{name} has not confirmed it yet. It gets your answer as soon as it is connected.",))

    async def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        node_ids = [each for each in request_ids if each.startswith(NODE)]
        others = set(await super().find_waiting([each for each in request_ids if not each.startswith(NODE)]))
        return others.union(await self.nodes.connected(node_ids)) if node_ids else others

    async def _accept_same_answer(self, request_id: str, answer: str, origin: Origin) -> Receipt:
        """If several servers see enough votes at once, one of them writes the answer."""
        prompt = await self.find(request_id)
        if prompt is None or prompt.answer is None or answer_digest(prompt.answer.response, origin) != answer:
            raise Conflict("Somebody else has answered this.")
        return Receipt()

    async def _check_may(self, member: Member, about: ApprovalSubject, response: PromptResponse) -> None:
        if (reason := await self._refusal_reason(member, about)) is not None:
            raise Declined(reason, reason="role")
        if response.scope == "rule" and about.node:
            raise Declined("What is always allowed on a machine is decided there. Approve it once.", reason="role")
        if response.scope == "rule" and not member.is_at_least("administrator"):
            raise Declined("Only an administrator can always allow this. Approve it once.", reason="role")

    async def may_answer(self, request_id: str, members: Collection[str]) -> Collection[str]:
        """Returns which of these members, by id, may answer it now."""
        about = origin.about if (origin := (await self.origins([request_id])).get(request_id)) is not None else None
        allowed = []
        for id in members:
            member = await self._team.members.with_id(id)
            if member is None:
                continue
            if member.is_at_least("operator") if about is None else await self._refusal_reason(member, about) is None:
                allowed.append(id)
        return allowed

    async def _refusal_reason(self, member: Member, about: ApprovalSubject) -> str | None:
        if about.node:
            node = await self._team.members.with_id(about.node)
            if node is None:
                return "The token of the machine that asks was revoked."
            if node.owner == member.name:
                is_ruled = bool(await self._matching_rules(about))
                return f"{node.name} is your machine: somebody else has to approve it." if is_ruled else None
        if not member.is_at_least("approver"):
            return f"A member with the role {member.role} can't approve."
        if not member.limits.cover(about):
            return f"You may approve {member.limits}, and this is something else."
        if about.identity in (CONSOLE + member.name, persons_chat_identity(member.name)):
            return "You asked for this yourself: somebody else has to approve it."
        if about.identity.startswith(PREFIX):
            agent = await self._team.members.with_id(about.identity.removeprefix(PREFIX))
            if agent is not None and agent.owner == member.name:
                return f"{agent.name} works for you: somebody else has to approve it."
        return None

    async def _needed_votes(self, about: ApprovalSubject) -> int:
        return max((rule.votes for rule in await self._matching_rules(about)), default=1)

    async def _matching_rules(self, about: ApprovalSubject) -> Sequence[ApprovalRule]:
        return [rule for rule in await self._team.approvals.current() if rule.limits.cover(about)]

    async def _valid_votes(self, request_id: str, subject: ApprovalSubject, answer: str) -> Sequence[str]:
        """Names of those whose vote for exactly this answer counts. Votes of revoked members don't."""
        names = []
        for vote in await self._team.votes.of(request_id):
            member = await self._team.members.current(vote.name)
            if vote.answer != answer or member is None or member.id != vote.member:
                continue
            if await self._refusal_reason(member, subject) is None:
                names.append(member.name)
        return names


def answer_digest(response: PromptResponse, origin: Origin) -> str:
    """Covers everything that an answer allows, and what was shown. A remark doesn't change it."""
    allowed = msgspec.structs.replace(response, remark=UNSET)
    return sha256(msgspec.json.encode([origin.shown, allowed])).hexdigest()
