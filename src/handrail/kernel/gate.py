"""The gate, which every call passes: validate → policy → approval → token → run → evidence → audit.

Knows no wire and no operating system. Every face hands it a Call and gets a Reply or a Failure.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from copy import copy
from functools import partial

from handrail.kernel.approval import Approver
from handrail.kernel.asking import Asking
from handrail.kernel.asking_again import MOST_TIMES, asked_again
from handrail.kernel.binding import bound_to, digest_of, shown_target, token_scope
from handrail.kernel.call import Call
from handrail.kernel.deadline import Deadline
from handrail.kernel.lanes import Lanes, Turn
from handrail.kernel.own_places import refuse_own
from handrail.kernel.passage import Ahead, Passage
from handrail.kernel.policy import CLOSED, Policy, Verdict
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Listing, Registered, Registry, UnknownTool
from handrail.kernel.summoning import Summon, nobody_is_called, summoning
from handrail.kernel.target import Target
from handrail.kernel.task_ownership import TaskOwnership
from handrail.kernel.tool import Preview, Reply, Settled
from handrail.kernel.unforeseen import unforeseen
from handrail.ports.consents import Consents
from handrail.ports.effect import Effect
from handrail.ports.errors import Aborted, Declined, Failure, InvalidParams, ShownChanged
from handrail.ports.identity import CAGE_FACE, PERSONS_FACES, Caller
from handrail.ports.paths import closed_secret
from handrail.ports.policy import Decision
from handrail.ports.secret_files import is_secret_path
from handrail.ports.tokens import TokenStore
from handrail.ports.waiting import finished

_TOKEN_TTL = 60.0
_MOST_STANDING_FOR = 3


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
        self._asking = Asking(approver, recorder, policy, consents)
        self._tokens = tokens
        self._executor_tokens = executor_tokens or tokens
        self._recorder = recorder
        self._summon = summon
        self._end_task = end_task
        self._ownership = ownership
        self._knows = knows
        self._limit = limit
        self._lanes = Lanes()

    def asking(self, approver: Approver) -> "Gate":
        """The same gate, where somebody else is asked."""
        other = copy(self)
        other._asking = self._asking.through(approver)
        return other

    def offering(self, surfaces: Collection[str] | None, listing: Listing) -> "Gate":
        """The same gate, with the tools of these surfaces alone, and another list of them."""
        other = copy(self)
        other.registry = self.registry.narrowed(surfaces, listing)
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
        """What is for people alone exists only where people call: on the command line and in the console.

        A call of a tool that stands for another becomes a call of that one.
        """
        entry = self._meant(call)
        tool, face = entry.tool, call.caller.face
        if tool.face is not None:
            is_for_others = face != tool.face
        else:
            is_for_others = not tool.is_for_agents and face not in {*PERSONS_FACES, CAGE_FACE}
        if entry.role != call.role or is_for_others:
            raise UnknownTool(f"There is no tool named {call.tool!r}.", hint="tools/list shows those that there are.")
        return entry

    def _meant(self, call: Call) -> Registered:
        entry = self.registry.find(call.tool)
        for _ in range(_MOST_STANDING_FOR):
            if entry.tool.stands_for is None or entry.role != call.role:
                call.tool = entry.tool.name
                return entry
            entry = self.registry.find_enabled(call.tool)
            assert entry.tool.stands_for is not None
            call.tool, call.params = entry.tool.stands_for(entry.surface.port, call.params)
            entry = self.registry.find(call.tool)
        raise InvalidParams(f"{call.tool} can't be called that way.", hint="Name the tool itself.")

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
        tool = entry.tool
        turn = self._lanes.take(passage.lane)
        passage.leave = turn.leave
        turn.subject = passage.subject
        if not turn.is_first:
            if turn.subject and turn.subject not in (ahead := list(turn.subjects_ahead)) and None not in ahead:
                await self._ask_ahead(passage, turn)
            await turn.begins()
        target = tool.target(passage.params) if tool.locate is None else await self._located(passage)
        passage.target = target.label
        await refuse_own(target)
        policy = await self._policy()
        verdict = policy.decide(call.tool, passage.effect, target, call.caller.agent)
        passage.verdict, passage.decision = verdict, str(verdict)
        _refuse_if_denied(verdict, call.tool, target, call.tool)
        passage.passed.add(target)
        call.denied_pages = policy.denied_pages(call.tool, passage.effect, call.caller.agent)
        call.check = partial(self._check, passage)
        call.keep = passage.keep
        call.adopt = passage.adopt
        if passage.effect.changes:
            return await self._change(passage, target, is_asked=verdict.decision is Decision.ASK)
        if verdict.decision is Decision.ASK:
            passage.params_digest = digest_of(passage.params, {})
            shown = Preview(entry.tool.title, path=target.path, place=target.place, app=target.app)
            await self._asking.ask(passage, shown, passage.params_digest, target)
        return await self._within_deadline(passage, None)

    async def _ask_ahead(self, passage: Passage, turn: Turn) -> None:
        """Asks while earlier calls still wait for a person, so that similar questions are there together.

        The yes counts only if the policy and everything that was shown are still the same when the turn comes.
        """
        target = passage.entry.tool.target(passage.params)
        passage.target = target.path
        assert passage.effect is not None
        try:
            await refuse_own(target)
            verdict = (await self._policy()).decide(
                passage.call.tool, passage.effect, target, passage.call.caller.agent
            )
            if verdict.decision is not Decision.ASK or not await self._asking.shows(passage.call, target):
                return
            preview = await self._preview(passage)
        except Failure:
            return  # it is said when the turn comes
        if isinstance(preview, Settled):
            return
        passage.verdict, passage.decision = verdict, str(verdict)
        passage.params_digest = bound_to(passage.params, preview)
        try:
            await self._asking.ask(passage, preview, passage.params_digest, target)
        except Failure:
            await turn.begins()  # a lane's records are in the order of its calls
            raise
        passage.shown, passage.ahead = preview, Ahead(verdict, passage.params_digest)

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
        _refuse_if_denied(verdict, f"{passage.call.tool} at {target}", target, passage.call.tool)
        if verdict.decision is Decision.ASK and not (verdict.is_default and passage.has_yes):
            words = f"{passage.entry.tool.title}: it has led to {target}"
            shown = Preview(words, path=target.path, place=target.place, app=target.app)
            assert passage.deadline is not None
            async with passage.deadline.paused():
                bound_to = digest_of(passage.params, {"reached": str(target)})
                await self._asking.ask(passage, shown, bound_to, target, verdict)
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
        _refuse_if_denied(verdict, passage.call.tool, found, passage.call.tool)
        passage.passed.add(found)
        return found

    async def _change_once(self, passage: Passage, target: Target, *, is_asked: bool, times: int) -> Reply:
        passage.call.is_shown = is_asked and await self._asking.shows(passage.call, target)
        preview = await self._preview(passage)
        if is_asked and not passage.call.is_shown and isinstance(preview, Preview):
            # It has moved on meanwhile, to where the answer is not known.
            passage.call.is_shown = await self._asking.shows(passage.call, shown_target(target, preview))
            preview = await self._preview(passage) if passage.call.is_shown else preview
        if isinstance(preview, Settled):
            passage.decision = "settled"
            return Reply(preview.result)
        passage.params_digest = bound_to(passage.params, preview)
        is_answered = passage.is_answered_ahead
        if passage.shown is not None and not is_answered:
            preview = asked_again(passage.shown, preview, times)
        passage.shown, passage.ahead = preview, None
        passage.undoes = preview.undoes
        if is_asked and not await self._asking.is_allowed_for_good(passage, preview):
            if not is_answered:
                await self._asking.ask(passage, preview, passage.params_digest, shown_target(target, preview))
            passage.call.approved = self._asking.approved(passage)
        scope = token_scope(passage, preview)
        tokens = self._tokens if preview.executor is None else self._executor_tokens
        token = await tokens.issue(scope, _TOKEN_TTL)
        await self._recorder.begin(passage, preview, times)
        if preview.executor is None:
            await tokens.consume(token, scope, is_durable=False)  # it never left this process
        else:
            passage.call.token = token
        return await self._within_deadline(passage, preview)

    async def _preview(self, passage: Passage) -> Preview | Settled:
        tool = passage.entry.tool
        if tool.preview is None:
            return Preview(tool.title)
        async with self._deadline(passage):
            return await tool.preview(passage.entry.surface.port, passage.call, passage.params)

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


def _refuse_if_denied(verdict: Verdict, what: str, target: Target, tool: str) -> None:
    if verdict.because == CLOSED and (secret := _secret_of(target)) is not None:
        raise closed_secret(secret, tool)
    if verdict.decision is Decision.DENY:
        raise Declined(
            f"The policy denies {what}: {verdict.because}.",
            hint="A person can change the rule in the policy file.",
            reason="policy",
        )


def _secret_of(target: Target) -> str | None:
    paths = [target.path, *(step.target.path for step in target.steps)]
    return next((path for path in paths if path is not None and is_secret_path(path)), None)
