"""Asks for approvals through the queue, with a prompt that shows everything and can be answered anywhere.

If a caller gives up, its prompt stays. If it is approved within ten minutes, the identical call passes once: the same
program, tool, parameters and content that were shown. A command that is stopped withdraws its prompt.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

import msgspec
from msgspec import UNSET

from handrail.kernel.approval import Answer, Question
from handrail.kernel.call import Call
from handrail.kernel.evidence import utc_now
from handrail.kernel.grants import NotOffered, choose_grant, grant_covers, has_expired, rule_from_grant
from handrail.kernel.offered_scopes import offers_for, target_of
from handrail.kernel.prompts.approval_prompt import prompt_of
from handrail.kernel.prompts.bundles import bundle_of
from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.kernel.prompts.shown_digest import shown_digest
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.target import Target
from handrail.kernel.visible import one_line
from handrail.ports.approval_card import Grant
from handrail.ports.errors import Declined
from handrail.ports.grants import TaskGrant, TaskGrants
from handrail.ports.prompt_entries import ResponseEntry
from handrail.ports.prompt_queue import (
    OWN_ORIGIN,
    AnswerChannel,
    ApprovalSubject,
    PromptQueue,
    QueuedPrompt,
    own_prompts,
)
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt
from handrail.ports.stores import Stores
from handrail.ports.tokens import OneTimeClaims

APPROVAL_PREFIX = "approval_"
RETRY_WINDOW = timedelta(minutes=10)
LATE_APPROVAL = (
    "If you stop waiting, make the same call again later: an approval given in the meantime counts once, "
    f"for {RETRY_WINDOW.total_seconds() / 60:.0f} minutes."
)
"""A client shows the last message that it got before it gave up waiting, so each one ends with this."""
_WAITING = f"Waiting for a person's approval (`handrail prompts show {{request_id}}`). {LATE_APPROVAL}"

logger = logging.getLogger(__name__)

QuestionChannels = Callable[[Question], Sequence[AnswerChannel]]
AllowAlways = Callable[[Question, PromptResponse, Grant | None, str], Awaitable[None]]
"""Gets the question, the answer, the chosen grant (None for a consent), and who answered."""


def queue_only(question: Question) -> Sequence[AnswerChannel]:
    return ()


@dataclass(frozen=True, slots=True)
class AskInQueue:
    """Ask for approvals in the queue, and on `channels`. `keeps_prompt`: a prompt outlives its caller."""

    channels: QuestionChannels = queue_only
    keeps_prompt: bool = True

    @property
    def has_terminal(self) -> bool:
        return self.channels is not queue_only


class QueueApprover:
    def __init__(
        self,
        queue: PromptQueue,
        once: OneTimeClaims,
        allow_always: AllowAlways,
        grants: TaskGrants,
        project: str,
        *,
        channels: QuestionChannels = queue_only,
        keeps_prompt: bool = True,
        limit: QuestionLimit | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._queue = queue
        self._once = once
        self._allow_always = allow_always
        self._grants = grants
        self._project = project
        self._channels = channels
        self._keeps_prompt = keeps_prompt
        self._limit = limit
        self._now = now

    async def will_ask(self, call: Call, target: Target) -> bool:
        return await self._granted(call, target) is None

    async def ask(self, question: Question) -> Answer:
        if not question.is_critical and not question.votes:
            granted = await self._granted(question.call, target_of(question))
            if granted is not None:
                return Answer("ok", by=f"allowed for this task by {granted.by} (grant {granted.id})")
        stem = APPROVAL_PREFIX + _identity(question, self._project)
        repeats = await own_prompts(self._queue, await self._queue.repeats(stem))
        if (earlier := await self._answered_before(repeats)) is not None:
            asked = await self._as_shown(earlier.request_id)
            presence = await self._queue.proof_of(earlier.request_id)
            await self._remember(question, asked, earlier.response)
            by = f"prompt {earlier.request_id}"
            chosen = earlier.response.chosen
            return Answer("ok", by=by, prompt_id=earlier.request_id, chosen=chosen, presence=presence)
        question = replace(question, offers=offers_for(question, self._project, self._now()))
        prompt = prompt_of(question, bundle_of(question, self._project), self._project)
        abandoned = await self._abandoned(repeats)
        request_id = abandoned or f"{stem}_{secrets.token_hex(4)}"
        try:
            if abandoned is None:
                if self._limit is not None:
                    await self._limit.take(question.call.caller)
                run_id = question.call.task
                origin = replace(OWN_ORIGIN, about=self._about(question))
                await self._queue.request(prompt, request_id=request_id, run_id=run_id, origin=origin)
            await question.call.progress(_WAITING.format(request_id=request_id))
            in_client = () if question.preview.is_closed else question.call.channels(prompt)
            channels = [*self._channels(question), *in_client]
            answer = await self._queue.wait(request_id, channels=channels, masked=question.preview.masked)
        except asyncio.CancelledError:
            if not self._keeps_prompt:  # it may or may not have reached the queue
                await asyncio.shield(try_withdraw(self._queue, request_id))
            raise
        return await self._read(question, request_id, answer.response)

    def _about(self, question: Question) -> ApprovalSubject:
        caller, target = question.call.caller, question.target
        place, server = question.preview.place or target.place or "", target.server or ""
        return ApprovalSubject(caller.agent, question.call.tool, question.effect.value, self._project, place, server)

    async def _read(self, question: Question, request_id: str, response: PromptResponse) -> Answer:
        by = f"{await self._who_answered(request_id)}, prompt {request_id}"
        remark = response.remark if response.remark is not UNSET else None
        if response.status != "ok":
            return Answer(response.status, by, remark)
        asked = await self._as_shown(request_id)
        if not await self._once.claim(request_id):
            raise Declined("This approval was used by a repetition of the call.", reason="used")
        presence = await self._queue.proof_of(request_id)
        if self._limit is not None:
            await self._limit.give_back(question.call.caller)
        await self._remember(question, asked, response)
        return Answer("ok", by, remark, request_id, response.chosen, presence)

    async def _as_shown(self, request_id: str) -> QueuedPrompt:
        """Checks that the log, which other programs can write, still has the prompt that was asked. Declined."""
        prompt = await self._queue.find(request_id)
        origin = (await self._queue.origins([request_id])).get(request_id)
        if prompt is None or origin is None or not origin.is_own:
            raise Declined("The question isn't one that was asked here.", reason="changed")
        if origin.shown not in (None, shown_digest(request_id, prompt.prompt)):
            raise Declined("The question was changed in the log after it was asked.", reason="changed")
        return prompt

    async def _remember(self, question: Question, asked: QueuedPrompt, response: PromptResponse) -> None:
        """Saves a grant, rule or consent if the answer's scope is wider than this call.

        What the prompt offered counts, not what this call would be offered: it may come from another session or task.
        """
        if response.scope is UNSET or response.scope == "once":
            return
        by, is_consent = await self._who_answered(asked.request_id), question.preview.consent is not None
        if response.scope == "rule" and is_consent:
            await self._allow_always(question, response, None, by)
            return
        offers = asked.prompt.offers if isinstance(asked.prompt, FileChangePrompt) else UNSET
        try:
            grant = choose_grant(offers or (), response.scope, response.grant)
        except NotOffered as refused:
            logger.warning("a yes to %s counts once: %s %s", asked.request_id, refused.field, refused.why)
            return
        if response.scope == "task":
            await self._grants.add(grant, caller=question.call.caller.name, by=by)
        else:
            await self._allow_always(question, response, grant, by)

    async def _granted(self, call: Call, target: Target) -> TaskGrant | None:
        """A grant for the call's task that covers it."""
        task, identity = call.task or call.own_task, call.caller.identity
        if task is None:
            return None
        for each in await self._grants.for_task(identity, task):
            if not has_expired(each.grant, self._now()) and grant_covers(
                each.grant, call.tool, target, project=self._project, identity=identity, task=task
            ):
                return each
        return None

    async def _who_answered(self, request_id: str) -> str:
        return (await self._queue.answered_by([request_id])).get(request_id, "a person")

    async def _answered_before(self, repeats: Sequence[QueuedPrompt]) -> ResponseEntry | None:
        """An unused approval of exactly this call that was given after its caller had gone."""
        oldest = (self._now() - RETRY_WINDOW).isoformat(timespec="milliseconds")
        for earlier in reversed(repeats):
            answer = earlier.answer
            if (
                answer is not None
                and answer.response.status == "ok"
                and answer.ts >= oldest
                and await self._once.claim(answer.request_id)
            ):
                return answer
        return None

    async def _abandoned(self, repeats: Sequence[QueuedPrompt]) -> str | None:
        """A pending prompt for the same call whose caller has gone; it is reused and not shown twice."""
        for earlier in repeats:
            if earlier.is_pending and not await self._queue.is_waiting(earlier.request_id):
                return earlier.request_id
        return None


def remember_in(stores: Stores) -> AllowAlways:
    """Saves what a person always allows: a consent for an app's tool, a rule for anything else."""

    async def allow_always(question: Question, response: PromptResponse, grant: Grant | None, by: str) -> None:
        consent = question.preview.consent
        if grant is not None:
            await stores.allow(f"allowed on {utc_now():%Y-%m-%d} by {one_line(by)}", rule_from_grant(grant))
        elif consent is not None:
            await stores.consents.add(question.call.caller, consent, is_for_app=response.covers == "app", by=by)

    return allow_always


def _identity(question: Question, project: str) -> str:
    """Identifies a call in its project and task, and how strictly it is asked about.

    Uses the agent and not its connection, because a retry may use a new one.
    """
    call, caller = question.call, question.call.caller
    needs = [question.is_critical, question.votes]
    parts = [caller.face, caller.agent, project, call.task, call.tool, question.digest, needs]
    return sha256(msgspec.json.encode(parts)).hexdigest()[:32]
