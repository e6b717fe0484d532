"""The gate, which every call passes: validate → policy → approval → token → run → evidence → audit.

Knows no wire and no operating system. Every face hands it a Call and gets a Reply or a Failure.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from copy import copy
from functools import partial

from msgspec.structs import replace

from handrail.kernel.approval import Approver
from handrail.kernel.binding import approval_digest, digest_of, shown_target, target_binding, token_scope
from handrail.kernel.call import Call
from handrail.kernel.call_state import CallState, EarlyApproval
from handrail.kernel.deadline import Deadline
from handrail.kernel.lanes import Lanes, Turn
from handrail.kernel.notify_person import NotifyPerson, channels_with_notice, notify_nobody
from handrail.kernel.own_pages import refuse_own_pages
from handrail.kernel.policy import CLOSED_REASON, Policy, Verdict
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.questioner import Questioner
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Listing, RegisteredTool, Registry, UnknownTool
from handrail.kernel.repeat_question import MAX_REPEATS, repeat_question
from handrail.kernel.target import Target
from handrail.kernel.task_ownership import TaskOwnership
from handrail.kernel.tool import NoChange, Preview, Reply
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.consents import Consents
from handrail.ports.effect import Effect
from handrail.ports.errors import Aborted, Declined, Failure, InvalidParams, ShownChanged
from handrail.ports.identity import CAGE_FACE, PERSONS_FACES, Caller
from handrail.ports.paths import closed_secret_error
from handrail.ports.policy import Decision
from handrail.ports.secret_files import is_secret_path
from handrail.ports.tokens import TokenStore
from handrail.ports.waiting import finish

_TOKEN_TTL = 60.0
_MOST_STANDING_FOR = 3


async def always_valid(identity: str) -> bool:
    """Where nobody has a token that could be revoked."""
    return True


EndTask = Callable[[Call], Awaitable[None]]
"""A call has ended its task: what was allowed for the task is over."""


async def keep_grants(call: Call) -> None:
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
        call_person: NotifyPerson = notify_nobody,
        end_task: EndTask = keep_grants,
        ownership: TaskOwnership | None = None,
        is_identity_valid: Callable[[str], Awaitable[bool]] = always_valid,
        limit: QuestionLimit | None = None,
    ) -> None:
        """`is_identity_valid` tells whether an identity still counts: a person may have revoked its token meanwhile."""
        self.registry = registry
        self._policy = policy
        self._asking = Questioner(approver, recorder, policy, consents)
        self._tokens = tokens
        self._executor_tokens = executor_tokens or tokens
        self._recorder = recorder
        self._call_person = call_person
        self._end_task = end_task
        self._ownership = ownership
        self._is_identity_valid = is_identity_valid
        self._limit = limit
        self._lanes = Lanes()

    def with_approver(self, approver: Approver) -> "Gate":
        """The same gate, where somebody else is asked."""
        other = copy(self)
        other._asking = self._asking.through(approver)
        return other

    def with_surfaces(self, surfaces: Collection[str] | None, listing: Listing) -> "Gate":
        """The same gate, with the tools of these surfaces alone, and another list of them."""
        other = copy(self)
        other.registry = self.registry.restricted_to(surfaces, listing)
        return other

    async def run(self, call: Call) -> Reply:
        """The tool's reply; a Failure when it was refused, stopped or went wrong."""
        state = CallState(call, self._entry(call))
        call.began_at = self._recorder.now()
        places, call.channels = call.channels, channels_with_notice(call, self._call_person)
        try:
            return await self._recorded(state)
        finally:
            state.leave_lane()  # only now: a lane's records are in the order of its calls
            call.channels = places
            call.detach()

    async def _recorded(self, state: CallState) -> Reply:
        try:
            reply = await self._pass(state)
        except asyncio.CancelledError:
            state.call.is_aborted = True
            aborted = Aborted("The caller stopped the call.")
            await finish(asyncio.ensure_future(self._recorder.close(state, error=aborted)))
            raise
        except Failure as failure:
            await self._recorder.close(state, error=failure)
            raise
        except Exception as fault:  # noqa: BLE001 - logged, without its own words
            own = unexpected_error(state.call.tool, fault)
            await self._recorder.close(state, error=own)
            raise own from None
        result = reply.result if reply.kept_result is None else reply.kept_result
        await self._recorder.close(state, result=result)
        return reply

    def _entry(self, call: Call) -> RegisteredTool:
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

    def _meant(self, call: Call) -> RegisteredTool:
        entry = self.registry.find(call.tool)
        for _ in range(_MOST_STANDING_FOR):
            if entry.tool.forwards_to is None or entry.role != call.role:
                call.tool = entry.tool.name
                return entry
            entry = self.registry.find_enabled(call.tool)
            assert entry.tool.forwards_to is not None
            call.tool, call.params = entry.tool.forwards_to(entry.surface.port, call.params)
            entry = self.registry.find(call.tool)
        raise InvalidParams(f"{call.tool} can't be called that way.", hint="Name the tool itself.")

    async def _pass(self, state: CallState) -> Reply:
        call, entry = state.call, state.entry
        self._validate(state)
        assert state.effect is not None
        await self._check_is_known(call.caller)
        if call.task is not None and self._ownership is not None:
            await self._ownership.check(call.task, call.caller)
        if state.effect is Effect.ASK and self._limit is not None:
            await self._limit.take(call.caller)
        tool = entry.tool
        turn = self._lanes.take(state.lane)
        state.leave_lane = turn.leave
        turn.subject = state.subject
        if not turn.is_first:
            if turn.subject and turn.subject not in (ahead := list(turn.earlier_subjects)) and None not in ahead:
                await self._ask_ahead(state, turn)
            await turn.wait()
        target = tool.target(state.params) if tool.locate is None else await self._located(state)
        verdict = await self._decide(state, target)
        call.check = partial(self._check, state)
        call.add_evidence = state.add_evidence
        call.adopt_evidence = state.adopt_evidence
        if state.effect.changes:
            return await self._change(state, target, is_asked=verdict.decision is Decision.ASK)
        if verdict.decision is Decision.ASK:
            state.params_digest = digest_of(state.params, target_binding(tool, target))
            shown = Preview(entry.tool.title, path=target.path, place=target.place, app=target.app)
            await self._asking.ask(state, shown, state.params_digest, target)
        return await self._within_deadline(state, None)

    async def _decide(self, state: CallState, target: Target) -> Verdict:
        """What the policy says of what the call is about. Declined: it denies that, or it is handrail's own."""
        call, effect = state.call, state.effect
        assert effect is not None
        state.set_target(target)
        await refuse_own_pages(target)
        policy = await self._policy()
        verdict = policy.decide(call.tool, effect, target, call.caller.agent)
        state.verdict, state.decision = verdict, str(verdict)
        _refuse_if_denied(verdict, call.tool, target, call.tool)
        state.allowed_targets |= {target, replace(target, path=None, steps=())} if target.place else {target}
        call.denied_pages = partial(policy.denied_pages, call.tool, effect, call.caller.agent)
        return verdict

    def _validate(self, state: CallState) -> None:
        entry = state.entry
        self.registry.check_enabled(entry)
        state.params = entry.read_params(state.call.params)
        state.effect = entry.tool.effect_of(state.params)

    async def _ask_ahead(self, state: CallState, turn: Turn) -> None:
        """Asks while earlier calls still wait for a person, so that similar questions are there together.

        The yes counts only if the policy and everything that was shown are still the same when the turn comes.
        """
        target = state.entry.tool.target(state.params)
        state.target = target.path
        assert state.effect is not None
        try:
            await refuse_own_pages(target)
            verdict = (await self._policy()).decide(state.call.tool, state.effect, target, state.call.caller.agent)
            if verdict.decision is not Decision.ASK or not await self._asking.will_ask(state.call, target):
                return
            preview = await self._preview(state)
        except Failure:
            return  # it is said when the turn comes
        if isinstance(preview, NoChange):
            return
        state.verdict, state.decision = verdict, str(verdict)
        state.params_digest = approval_digest(state.params, preview)
        try:
            await self._asking.ask(state, preview, state.params_digest, target)
        except Failure:
            await turn.wait()  # a lane's records are in the order of its calls
            raise
        state.shown, state.early_approval = preview, EarlyApproval(verdict, state.params_digest)

    async def _located(self, state: CallState) -> Target:
        tool, port = state.entry.tool, state.entry.surface.port
        assert tool.locate is not None
        async with self._deadline(state):
            return await tool.locate(port, state.call, state.params)

    async def _check(self, state: CallState, target: Target) -> None:
        """`Call.check`: what was allowed for one place is not allowed for another that it leads to.

        A person who has said yes to the call is asked again only where a rule speaks of that place.
        """
        assert state.effect is not None
        if target in state.allowed_targets:
            return
        await refuse_own_pages(target)
        verdict = (await self._policy()).decide_again(state.call.tool, state.effect, target, state.call.caller.agent)
        state.reached[str(target)] = str(verdict)
        _refuse_if_denied(verdict, f"{state.call.tool} at {target}", target, state.call.tool)
        if verdict.decision is Decision.ASK and not (verdict.is_default and state.is_approved):
            words = f"{state.entry.tool.title}: it has led to {target}"
            shown = Preview(words, path=target.path, place=target.place, app=target.app)
            assert state.deadline is not None
            async with state.deadline.paused():
                bound_to = digest_of(state.params, {"reached": str(target)})
                await self._asking.ask(state, shown, bound_to, target, verdict)
        state.allowed_targets.add(target)

    async def _change(self, state: CallState, target: Target, *, is_asked: bool) -> Reply:
        """Where what a person was shown is no longer there, they are shown what has changed and asked again."""
        for times in range(MAX_REPEATS):
            try:
                return await self._change_once(state, target, is_asked=is_asked, times=times)
            except ShownChanged:
                if not state.call.is_shown:
                    raise
                target = await self._located_again(state, target)
        return await self._change_once(state, target, is_asked=is_asked, times=MAX_REPEATS)

    async def _located_again(self, state: CallState, target: Target) -> Target:
        if state.entry.tool.locate is None:
            return target
        now = await self._located(state)
        await self._decide(state, now)  # a rule may ask for more there, such as proof of presence
        return now

    async def _change_once(self, state: CallState, target: Target, *, is_asked: bool, times: int) -> Reply:
        state.call.is_shown = is_asked and await self._asking.will_ask(state.call, target)
        preview = await self._preview(state)
        if is_asked and not state.call.is_shown and isinstance(preview, Preview):
            # It has moved on meanwhile, to where the answer is not known.
            state.call.is_shown = await self._asking.will_ask(state.call, shown_target(target, preview))
            preview = await self._preview(state) if state.call.is_shown else preview
        if isinstance(preview, NoChange):
            state.decision = "settled"
            return Reply(preview.result)
        state.params_digest = approval_digest(state.params, preview)
        is_answered = state.is_approved_early
        if state.shown is not None and not is_answered:
            preview = repeat_question(state.shown, preview, times)
        state.shown, state.early_approval = preview, None
        state.undoes = preview.undoes
        if is_asked and not await self._asking.is_allowed_for_good(state, preview):
            if not is_answered:
                await self._asking.ask(state, preview, state.params_digest, shown_target(target, preview))
            state.call.approved = self._asking.approved(state)
            preview = await self._narrowed(state, preview)
        scope = token_scope(state, preview)
        tokens = self._tokens if preview.executor is None else self._executor_tokens
        token = await tokens.issue(scope, _TOKEN_TTL)
        await state.call.before_change()
        await self._recorder.begin(state, preview, times)
        if preview.executor is None:
            await tokens.consume(token, scope, is_durable=False)  # it never left this process
        else:
            state.call.token = token
        return await self._within_deadline(state, preview)

    async def _narrowed(self, state: CallState, preview: Preview) -> Preview:
        """What the person took of it, where that isn't all: the digest and the token are for that alone."""
        tool = state.entry.tool
        chosen = None if state.answer is None else state.answer.chosen
        if chosen is None:
            return preview
        if tool.narrow is None or not preview.parts:
            raise Declined("A part was allowed of what can only be done as a whole.", reason="changed")
        async with self._deadline(state):
            preview = await tool.narrow(state.entry.surface.port, state.call, preview, chosen)
        state.params_digest = approval_digest(state.params, preview)
        return preview

    async def _preview(self, state: CallState) -> Preview | NoChange:
        tool = state.entry.tool
        if tool.preview is None:
            return Preview(tool.title)
        async with self._deadline(state):
            return await tool.preview(state.entry.surface.port, state.call, state.params)

    async def _within_deadline(self, state: CallState, preview: Preview | None) -> Reply:
        tool, port = state.entry.tool, state.entry.surface.port
        await self._check_is_known(state.call.caller)
        async with self._deadline(state):
            outcome = await tool.run(port, state.call, state.params, preview)
        if tool.ends_task:
            await self._end_task(state.call)
        reply = outcome if isinstance(outcome, Reply) else Reply(outcome)
        self._recorder.keep_reply(state, reply)
        return reply

    async def _check_is_known(self, caller: Caller) -> None:
        if not await self._is_identity_valid(caller.identity):
            raise Declined("A person has revoked this agent's token.", reason="revoked")

    def _deadline(self, state: CallState) -> Deadline:
        tool = state.entry.tool
        state.deadline = Deadline(
            tool.name, state.call.deadline_ms or (None if tool.has_own_timeouts else tool.deadline_ms)
        )
        return state.deadline


def _refuse_if_denied(verdict: Verdict, what: str, target: Target, tool: str) -> None:
    if verdict.because == CLOSED_REASON and (secret := _secret_of(target)) is not None:
        raise closed_secret_error(secret, tool)
    if verdict.decision is Decision.DENY:
        raise Declined(
            f"The policy denies {what}: {verdict.because}.",
            hint="A person can change the rule in the policy file.",
            reason="policy",
        )


def _secret_of(target: Target) -> str | None:
    paths = [target.path, *(step.target.path for step in target.steps)]
    return next((path for path in paths if path is not None and is_secret_path(path)), None)
