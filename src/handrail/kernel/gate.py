"""The gate, which every call passes: validate → policy → approval → token → run → evidence → audit.

Knows no wire and no operating system. Every face hands it a Call and gets a Reply or a Failure.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from traceback import format_tb
from typing import Any

import msgspec

from handrail.kernel.approval import Approver, Question
from handrail.kernel.asking_again import MOST_TIMES, asked_again
from handrail.kernel.call import Approved, Call
from handrail.kernel.deadline import Deadline
from handrail.kernel.digest import digest
from handrail.kernel.lanes import Lanes
from handrail.kernel.own_places import refuse_own
from handrail.kernel.passage import Passage
from handrail.kernel.policy import CLOSED, Policy, Verdict
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Registered, Registry, UnknownTool
from handrail.kernel.summoning import Summon, nobody_is_called, summoning
from handrail.kernel.target import NOWHERE, Target
from handrail.kernel.task_ownership import TaskOwnership
from handrail.kernel.tool import Preview, Reply, Settled
from handrail.ports.consents import Consents
from handrail.ports.effect import Effect
from handrail.ports.errors import Aborted, Declined, Failure, InputOutput, Internal, ShownChanged
from handrail.ports.identity import PERSONS_FACES, Caller
from handrail.ports.paths import closed_secret
from handrail.ports.policy import Decision
from handrail.ports.tokens import Scope, TokenStore
from handrail.ports.waiting import finished

logger = logging.getLogger(__name__)

_TOKEN_TTL = 60.0


def everybody(identity: str) -> bool:
    """Where nobody has a token that could be revoked."""
    return True


EndTask = Callable[[Call], Awaitable[None]]
"""A call has ended its task: what was allowed for the task is over."""


async def nothing_ends(call: Call) -> None:
    """For a gate without grants."""


class Gate:
    def __init__(
        self,
        registry: Registry,
        policy: Callable[[], Awaitable[Policy]],
        approver: Approver,
        tokens: TokenStore,
        recorder: Recorder,
        *,
        executor_tokens: TokenStore | None = None,
        consents: Consents | None = None,
        summon: Summon = nobody_is_called,
        end_task: EndTask = nothing_ends,
        ownership: TaskOwnership | None = None,
        knows: Callable[[str], bool] = everybody,
        limit: QuestionLimit | None = None,
    ) -> None:
        """`knows` tells whether an identity still counts: a person may have revoked its token meanwhile."""
        self.registry = registry
        self._policy = policy
        self._approver = approver
        self._tokens = tokens
        self._executor_tokens = executor_tokens or tokens
        self._recorder = recorder
        self._consents = consents
        self._summon = summon
        self._end_task = end_task
        self._ownership = ownership
        self._knows = knows
        self._limit = limit
        self._lanes = Lanes()

    def asking(self, approver: Approver) -> "Gate":
        """The same gate, where somebody else is asked."""
        other = copy(self)
        other._approver = approver
        return other

    async def run(self, call: Call) -> Reply:
        """The tool's reply; a Failure when it was refused, stopped or went wrong."""
        passage = Passage(call, self._entry(call))
        call.began_at = self._recorder.now()
        call.beside = summoning(call, self._summon)
        try:
            return await self._recorded(passage)
        finally:
            passage.leave()  # only now: a lane's records are in the order of its calls

    async def _recorded(self, passage: Passage) -> Reply:
        try:
            reply = await self._pass(passage)
        except asyncio.CancelledError:
            passage.call.is_aborted = True
            aborted = Aborted("The caller stopped the call.")
            await finished(asyncio.ensure_future(self._recorder.close(passage, error=aborted)))
            raise
        except Failure as failure:
            await self._recorder.close(passage, error=failure)
            raise
        except Exception as fault:  # noqa: BLE001 - logged, without its own words
            own = unforeseen(passage.call.tool, fault)
            await self._recorder.close(passage, error=own)
            raise own from None
        result = reply.result if reply.kept_result is None else reply.kept_result
        await self._recorder.close(passage, result=result)
        return reply

    def _entry(self, call: Call) -> Registered:
        """What is for people alone exists only where people call: on the command line and in the console."""
        entry = self.registry.find(call.tool)
        is_for_people = not entry.tool.is_for_agents and call.caller.face not in PERSONS_FACES
        if entry.role != call.role or is_for_people:
            raise UnknownTool(f"There is no tool named {call.tool!r}.", hint="tools/list shows those that there are.")
        return entry

    async def _pass(self, passage: Passage) -> Reply:
        call = passage.call
        entry = self.registry.find_enabled(call.tool)
        passage.params = entry.read_params(call.params)
        passage.effect = entry.tool.effect_of(passage.params)
        self._check_is_known(call.caller)
        if call.task is not None and self._ownership is not None:
            await self._ownership.check(call.task, call.caller)
        if passage.effect is Effect.ASK and self._limit is not None:
            await self._limit.take(call.caller)
        passage.leave = await self._lanes.enter(_lane(passage, passage.effect))
        tool = entry.tool
        target = tool.target(passage.params) if tool.locate is None else await self._located(passage)
        passage.target = target.path or target.where
        await refuse_own(target)
        verdict = (await self._policy()).decide(call.tool, passage.effect, target, call.caller.agent)
        passage.verdict, passage.decision = verdict, str(verdict)
        _refuse_if_denied(verdict, call.tool, target)
        passage.passed.add(target)
        call.check = partial(self._check, passage)
        call.keep = passage.keep
        call.adopt = passage.adopt
        if passage.effect.changes:
            return await self._change(passage, target, is_asked=verdict.decision is Decision.ASK)
        if verdict.decision is Decision.ASK:
            passage.params_digest = _digest(passage.params, {})
            shown = Preview(entry.tool.title, path=target.path, place=target.place, app=target.app)
            await self._approve(passage, shown, passage.params_digest, target)
        return await self._within_deadline(passage, None)

    async def _located(self, passage: Passage) -> Target:
        tool, port = passage.entry.tool, passage.entry.surface.port
        assert tool.locate is not None
        async with self._deadline(passage):
            return await tool.locate(port, passage.call, passage.params)

    async def _check(self, passage: Passage, target: Target) -> None:
        """`Call.check`: what was allowed for one place is not allowed for another that it leads to.

        A person who has said yes to the call is asked again only where a rule speaks of that place.
        """
        assert passage.effect is not None
        if target in passage.passed:
            return
        await refuse_own(target)
        verdict = (await self._policy()).decide_again(
            passage.call.tool, passage.effect, target, passage.call.caller.agent
        )
        passage.reached[str(target)] = str(verdict)
        _refuse_if_denied(verdict, f"{passage.call.tool} at {target}", target)
        if verdict.decision is Decision.ASK and not (verdict.is_default and passage.has_yes):
            words = f"{passage.entry.tool.title}: it has led to {target}"
            shown = Preview(words, path=target.path, place=target.place, app=target.app)
            assert passage.deadline is not None
            async with passage.deadline.paused():
                bound_to = _digest(passage.params, {"reached": str(target)})
                await self._approve(passage, shown, bound_to, target, verdict)
        passage.passed.add(target)

    async def _change(self, passage: Passage, target: Target, *, is_asked: bool) -> Reply:
        """Where what a person was shown is no longer there, they are shown what has changed and asked again."""
        for times in range(MOST_TIMES):
            try:
                return await self._change_once(passage, target, is_asked=is_asked, times=times)
            except ShownChanged:
                if not passage.call.is_shown:
                    raise
                target = await self._located_again(passage, target)
        return await self._change_once(passage, target, is_asked=is_asked, times=MOST_TIMES)

    async def _located_again(self, passage: Passage, target: Target) -> Target:
        if passage.entry.tool.locate is None:
            return target
        found = await self._located(passage)
        assert passage.effect is not None
        agent = passage.call.caller.agent
        verdict = (await self._policy()).decide(passage.call.tool, passage.effect, found, agent)
        _refuse_if_denied(verdict, passage.call.tool, found)
        passage.passed.add(found)
        return found

    async def _change_once(self, passage: Passage, target: Target, *, is_asked: bool, times: int) -> Reply:
        passage.call.is_shown = is_asked and await self._approver.shows(passage.call, target)
        preview = await self._preview(passage)
        if is_asked and not passage.call.is_shown and isinstance(preview, Preview):
            # It has moved on meanwhile, to where the answer is not known.
            passage.call.is_shown = await self._approver.shows(passage.call, _shown_target(target, preview))
            preview = await self._preview(passage) if passage.call.is_shown else preview
        if isinstance(preview, Settled):
            passage.decision = "settled"
            return Reply(preview.result)
        if passage.shown is not None:
            preview = asked_again(passage.shown, preview, times)
        passage.shown = preview
        passage.params_digest = _bound_to(passage.params, preview)
        passage.undoes = preview.undoes
        if is_asked and not await self._is_allowed_for_good(passage, preview):
            await self._approve(passage, preview, passage.params_digest, _shown_target(target, preview))
            passage.call.approved = self._approved(passage)
        scope = _scope(passage, preview)
        tokens = self._tokens if preview.executor is None else self._executor_tokens
        token = await tokens.issue(scope, _TOKEN_TTL)
        await self._recorder.begin(passage, preview, times)
        if preview.executor is None:
            await tokens.consume(token, scope)
        else:
            passage.call.token = token
        return await self._within_deadline(passage, preview)

    async def _preview(self, passage: Passage) -> Preview | Settled:
        tool = passage.entry.tool
        if tool.preview is None:
            return Preview(tool.title)
        async with self._deadline(passage):
            return await tool.preview(passage.entry.surface.port, passage.call, passage.params)

    async def _approve(
        self, passage: Passage, preview: Preview, bound_to: str, target: Target, verdict: Verdict | None = None
    ) -> None:
        """`verdict` is what the policy says of `target`, where that isn't the call's first one."""
        assert passage.effect is not None
        verdict = verdict or passage.verdict
        assert verdict is not None
        images = await self._recorder.show(passage, preview)
        question = Question(
            passage.call,
            passage.entry.tool.title,
            passage.effect,
            passage.params if preview.shown_params is None else preview.shown_params,
            preview,
            bound_to,
            images,
            not verdict.is_default,
            verdict.is_critical,
            target,
            passage.entry.tool.has_targets or target != NOWHERE,
            passage.stale,
        )
        await passage.call.progress("Waiting for a person's approval.")
        answer = await self._approver.ask(question)
        passage.answer = answer
        if answer.status == "ok":
            await self._policy()  # what a person has changed meanwhile counts for what runs now
            return
        details = {"remark": answer.remark} if answer.remark else {}
        if answer.status == "timeout":
            raise Declined("Nobody answered the request for approval in time.", reason="timeout", **details)
        raise Declined(f"{passage.call.tool} was denied by {answer.by}.", reason="denied", **details)

    async def _is_allowed_for_good(self, passage: Passage, preview: Preview) -> bool:
        """A person's yes to this caller, app and tool stands for the answer, where no rule wants them asked."""
        if self._consents is None or preview.consent is None or passage.is_ruled:
            return False
        given = await self._consents.allows(passage.call.caller, preview.consent)
        if given is None:
            passage.stale = await self._consents.stale(passage.call.caller, preview.consent)
        if given is not None:
            passage.has_consent, passage.decision = True, f"allow (consent {given.id}, by {given.by})"
        return given is not None

    def _approved(self, passage: Passage) -> Approved:
        assert passage.answer is not None
        return Approved(passage.answer.by, self._recorder.now(), passage.answer.prompt_id)

    async def _within_deadline(self, passage: Passage, preview: Preview | None) -> Reply:
        tool, port = passage.entry.tool, passage.entry.surface.port
        self._check_is_known(passage.call.caller)
        async with self._deadline(passage):
            outcome = await tool.run(port, passage.call, passage.params, preview)
        if tool.ends_task:
            await self._end_task(passage.call)
        reply = outcome if isinstance(outcome, Reply) else Reply(outcome)
        self._recorder.keep_reply(passage, reply)
        return reply

    def _check_is_known(self, caller: Caller) -> None:
        if not self._knows(caller.identity):
            raise Declined("A person has revoked this agent's token.", reason="revoked")

    def _deadline(self, passage: Passage) -> Deadline:
        tool = passage.entry.tool
        passage.deadline = Deadline(
            tool.name, passage.call.deadline_ms or (None if tool.has_own_clock else tool.deadline_ms)
        )
        return passage.deadline


def _shown_target(target: Target, preview: Preview) -> Target:
    """What rules can say of what was shown: a page or window may have changed since it was located."""
    place = target.place if preview.place is None else preview.place
    return replace(target, place=place, app=preview.app or target.app)


def _refuse_if_denied(verdict: Verdict, what: str, target: Target) -> None:
    if verdict.because == CLOSED and target.path is not None:
        raise closed_secret(target.path)
    if verdict.decision is Decision.DENY:
        raise Declined(
            f"The policy denies {what}: {verdict.because}.",
            hint="A person can change the rule in the policy file.",
            reason="policy",
        )


def _digest(params: Any, binding: Mapping[str, str]) -> str:
    return digest({"params": msgspec.to_builtins(params), "binding": dict(binding)})


def _bound_to(params: Any, preview: Preview) -> str:
    """The digest that is approved, recorded and checked: that of the program which carries it out, where one does."""
    if preview.executor is not None and preview.warrant is not None:
        return preview.warrant.params_digest
    return _digest(params, preview.binding)


def _scope(passage: Passage, preview: Preview) -> Scope:
    assert passage.params_digest is not None
    if preview.executor is not None and preview.warrant is not None:
        return Scope(preview.executor, preview.warrant.method, passage.params_digest)
    return Scope(passage.call.caller.identity, passage.entry.tool.name, passage.params_digest)


def _lane(passage: Passage, effect: Effect) -> str | None:
    """A task's calls keep their order. Without a task, a caller's changes do, and reads wait for nobody."""
    call, lane = passage.call, passage.entry.tool.lane
    if call.task is not None:
        return f"task:{call.task}"
    if not effect.changes:
        return None
    own = f"caller:{call.caller.identity}"
    return own if lane is None else f"{own}:{call.tool}:{lane(passage.params)}"


def unforeseen(tool: str, fault: Exception) -> Failure:
    """Logs where it happened, and gives the Failure for the caller. Neither quotes the fault: it may contain a key."""
    logger.error("%s failed: %s\n%s", tool, type(fault).__name__, "".join(format_tb(fault.__traceback__)))
    if isinstance(fault, OSError):
        return InputOutput(f"The operating system refused: {fault.strerror or type(fault).__name__}.")
    return Internal(f"handrail failed: {type(fault).__name__}.", hint="Please report this, with what its log says.")
