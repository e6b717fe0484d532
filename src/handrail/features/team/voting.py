"""The queue of a team: a yes counts once enough people have given it who may, and who did not ask themselves."""

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
from handrail.ports.prompt_store import PromptStore
from handrail.ports.prompts import FileChangePrompt, PromptResponse
from handrail.ports.team import ApprovalRule, Member, TeamStores, Vote

CONSOLE = "console:"
_NODE_SECONDS = 3.0
"""As long as somebody who answers waits for the word of the node."""


class VotedPrompts(LogPromptQueue):
    """`audit` gets every vote."""

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
        found = await self.find(request_id)
        if found is None or not found.is_pending or not isinstance(found.prompt, FileChangePrompt):
            return await super().respond(request_id, response, run_id=run_id, by=by, proof=proof, shown=shown)
        checked = check_response(found.prompt, response)
        origin = (await self.origins([request_id])).get(request_id)
        if checked.status == "ok" and origin is not None and origin.is_own:
            return await self._vote(found, checked, origin, by, run_id=run_id, shown=shown)
        if origin is not None and origin.about is not None and origin.about.node:
            return await self._passed_on(found, checked, origin.about, [(by or "").removeprefix(CONSOLE)])
        return await super().respond(request_id, response, run_id=run_id, by=by, proof=proof, shown=shown)

    async def _vote(
        self,
        found: QueuedPrompt,
        response: PromptResponse,
        origin: Origin,
        by: str | None,
        *,
        run_id: str | None,
        shown: str | None,
    ) -> Receipt:
        request_id = found.request_id
        member = await self._team.members.current((by or "").removeprefix(CONSOLE)) if by else None
        about = origin.about
        if member is None or about is None or not (by or "").startswith(CONSOLE):
            raise Declined("Only a member of the team who has signed in can approve this.", reason="person")
        await self._check_may(member, about, response)
        if shown not in (None, origin.shown):
            raise Conflict("This isn't what was asked.")
        answer = answer_digest(response, origin)
        await self._team.votes.cast(request_id, Vote(member.id, member.name, answer))
        needed = await self._needed(about)
        given = await self._standing(request_id, about, answer)
        await self._audit.add(
            {"event": "vote", "requestId": request_id, "member": member.id, "answer": answer,
             "votes": len(given), "needed": needed},
            durable=True,
        )  # fmt: skip
        if len(given) < needed:
            left = needed - len(given)
            return Receipt((f"Your approval counts. {left} more {'is' if left == 1 else 'are'} needed.",))
        if about.node:
            return await self._passed_on(found, response, about, given)
        names = ", ".join(CONSOLE + name for name in given)
        try:
            return await super().respond(request_id, response, run_id=run_id, by=names, shown=origin.shown)
        except Conflict:
            return await self._answered_meanwhile(request_id, answer, origin)

    async def _passed_on(
        self, found: QueuedPrompt, response: PromptResponse, about: ApprovalSubject, by: Sequence[str]
    ) -> Receipt:
        """The node's own queue takes it, unless somebody was first there."""
        if not await self.nodes.pass_on(found, about, response, by):
            raise Conflict("Somebody else has answered this.")
        with suppress(TimeoutError):
            async with asyncio.timeout(_NODE_SECONDS), self._watching() as watch:
                while (now := await self.find(found.request_id)) is not None and now.answer is None:
                    await watch.change()
                if now is not None and now.answer is not None and now.answer.response.status != response.status:
                    raise Conflict("It was answered at the machine itself first.")
                return Receipt()
        node = await self._team.members.with_id(about.node)
        name = "The machine" if node is None else node.name
        return Receipt((f"{name} has not confirmed it yet. It gets your answer as soon as it is connected.",))

    async def find_waiting(self, request_ids: Collection[str]) -> Collection[str]:
        of_nodes = [each for each in request_ids if each.startswith(NODE)]
        others = set(await super().find_waiting([each for each in request_ids if not each.startswith(NODE)]))
        return others.union(await self.nodes.connected(of_nodes)) if of_nodes else others

    async def _answered_meanwhile(self, request_id: str, answer: str, origin: Origin) -> Receipt:
        """Of several servers that find that enough have voted, one writes the answer."""
        found = await self.find(request_id)
        if found is None or found.answer is None or answer_digest(found.answer.response, origin) != answer:
            raise Conflict("Somebody else has answered this.")
        return Receipt()

    async def _check_may(self, member: Member, about: ApprovalSubject, response: PromptResponse) -> None:
        if (why := await self._why_not(member, about)) is not None:
            raise Declined(why, reason="role")
        if response.scope == "rule" and about.node:
            raise Declined("What is always allowed on a machine is decided there. Approve it once.", reason="role")
        if response.scope == "rule" and not member.is_at_least("administrator"):
            raise Declined("Only an administrator can always allow this. Approve it once.", reason="role")

    async def may_answer(self, request_id: str, members: Collection[str]) -> Collection[str]:
        """Which of these members, by their ids, may answer it now."""
        about = origin.about if (origin := (await self.origins([request_id])).get(request_id)) is not None else None
        found = []
        for id in members:
            member = await self._team.members.with_id(id)
            if member is None:
                continue
            if member.is_at_least("operator") if about is None else await self._why_not(member, about) is None:
                found.append(id)
        return found

    async def _why_not(self, member: Member, about: ApprovalSubject) -> str | None:
        if about.node:
            node = await self._team.members.with_id(about.node)
            if node is None:
                return "The token of the machine that asks was revoked."
            if node.owner == member.name:
                is_ruled = bool(await self._covering(about))
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

    async def _needed(self, about: ApprovalSubject) -> int:
        return max((rule.votes for rule in await self._covering(about)), default=1)

    async def _covering(self, about: ApprovalSubject) -> Sequence[ApprovalRule]:
        return [rule for rule in await self._team.approvals.current() if rule.limits.cover(about)]

    async def _standing(self, request_id: str, about: ApprovalSubject, answer: str) -> Sequence[str]:
        """Names of those whose yes to exactly this counts now: who was revoked since has no vote any more."""
        names = []
        for vote in await self._team.votes.of(request_id):
            member = await self._team.members.current(vote.name)
            if vote.answer != answer or member is None or member.id != vote.member:
                continue
            if await self._why_not(member, about) is None:
                names.append(member.name)
        return names


def answer_digest(response: PromptResponse, origin: Origin) -> str:
    """Of everything that an answer allows, and what it was shown with; a remark changes nothing."""
    allowed = msgspec.structs.replace(response, remark=UNSET)
    return sha256(msgspec.json.encode([origin.shown, allowed])).hexdigest()
