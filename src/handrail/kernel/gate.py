"""The gate that every call passes: validate → policy → approval → token → run → evidence → audit.

It knows neither wires nor the operating system. Every face hands it a Call and gets a Reply or a Failure.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from copy import copy
from functools import partial

from handrail.kernel import tool_steps
from handrail.kernel.approval import Approver
from handrail.kernel.binding import approval_digest, digest_of, shown_target, target_binding, token_scope
from handrail.kernel.call import Call
from handrail.kernel.call_state import CallState, EarlyApproval
from handrail.kernel.lanes import Lanes, Turn
from handrail.kernel.notify_person import NotifyPerson, channels_with_notice, notify_nobody
from handrail.kernel.policy import Policy
from handrail.kernel.policy_check import PolicyCheck
from handrail.kernel.question_limit import QuestionLimit
from handrail.kernel.questioner import Questioner
from handrail.kernel.recorder import Recorder
from handrail.kernel.registry import Listing, Registry
from handrail.kernel.repeat_question import MAX_REPEATS, repeat_question
from handrail.kernel.target import Target
from handrail.kernel.task_ownership import TaskOwnership
from handrail.kernel.tool import NoChange, Preview, Reply
from handrail.kernel.tool_resolution import resolve_tool
from handrail.kernel.unexpected_error import unexpected_error
from handrail.ports.consents import Consents
from handrail.ports.effect import Effect
from handrail.ports.errors import Aborted, Declined, Failure, ShownChanged
from handrail.ports.identity import Caller
from handrail.ports.policy import Decision
from handrail.ports.tokens import TokenStore
from handrail.ports.waiting import finish

_TOKEN_TTL = 60.0


async def always_valid(identity: str) -> bool:
    """Used where no tokens exist, so none can be revoked."""
    return True


EndTask = Callable[[Call], Awaitable[None]]
"""Called when a call has ended its task: removes what was allowed for that task."""


async def keep_grants(call: Call) -> None:
    """Used by a gate without grants."""


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
        notify_person: NotifyPerson = notify_nobody,
        end_task: EndTask = keep_grants,
        ownership: TaskOwnership | None = None,
        is_identity_valid: Callable[[str], Awaitable[bool]] = always_valid,
        limit: QuestionLimit | None = None,
    ) -> None:
        """`is_identity_valid` returns whether a caller's token still counts; it may be revoked while a call runs."""
        self.registry = registry
        self._policy = policy
        self._questioner = Questioner(approver, recorder, policy, consents)
        self._policy_check = PolicyCheck(policy, self._questioner)
        self._tokens = tokens
        self._executor_tokens = executor_tokens or tokens
        self._recorder = recorder
        self._notify_person = notify_person
        self._end_task = end_task
        self._ownership = ownership
        self._is_identity_valid = is_identity_valid
        self._limit = limit
        self._lanes = Lanes()

    def with_approver(self, approver: Approver) -> "Gate":
        """The same gate with another approver."""
        other = copy(self)
        other._questioner = self._questioner.with_approver(approver)
        other._policy_check = PolicyCheck(self._policy, other._questioner)
        return other

    def with_surfaces(self, surfaces: Collection[str] | None, listing: Listing) -> "Gate":
        """The same gate, but only with the tools of these surfaces, and with another way to list them."""
        other = copy(self)
        other.registry = self.registry.restricted_to(surfaces, listing)
        return other

    async def run(self, call: Call) -> Reply:
        """The tool's reply. Raises a Failure if the call was refused or stopped, or if it failed."""
        state = CallState(call, resolve_tool(self.registry, call))
        call.began_at = self._recorder.now()
        channels, call.channels = call.channels, channels_with_notice(call, self._notify_person)
        try:
            return await self._run_and_record(state)
        finally:
            state.leave_lane()  # after recording, so that a lane's records are in the order of its calls
            call.channels = channels
            call.detach()

    async def _run_and_record(self, state: CallState) -> Reply:
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
        except Exception as fault:  # noqa: BLE001 - logged without the exception's message
            error = unexpected_error(state.call.tool, fault)
            await self._recorder.close(state, error=error)
            raise error from None
        result = reply.result if reply.kept_result is None else reply.kept_result
        await self._recorder.close(state, result=result)
        return reply

    async def _pass(self, state: CallState) -> Reply:
        call, tool = state.call, state.entry.tool
        self._validate(state)
        assert state.effect is not None
        await self._check_identity(call.caller)
        if call.task is not None and self._ownership is not None:
            await self._ownership.check(call.task, call.caller)
        if state.effect is Effect.ASK and self._limit is not None:
            await self._limit.take(call.caller)
        await self._wait_for_turn(state)
        target = tool.target(state.params) if tool.locate is None else await tool_steps.locate(state)
        verdict = await self._policy_check.check_target(state, target)
        call.check = partial(self._policy_check.check_reached, state)
        call.add_evidence = state.add_evidence
        call.adopt_evidence = state.adopt_evidence
        if state.effect.changes:
            return await self._change(state, target, needs_approval=verdict.decision is Decision.ASK)
        if verdict.decision is Decision.ASK:
            state.params_digest = digest_of(state.params, target_binding(tool, target))
            preview = Preview(tool.title, path=target.path, place=target.place, app=target.app)
            await self._questioner.ask(state, preview, state.params_digest, target)
        return await self._run_tool(state, None)

    def _validate(self, state: CallState) -> None:
        entry = state.entry
        self.registry.check_enabled(entry)
        state.params = entry.read_params(state.call.params)
        state.effect = entry.tool.effect_of(state.params)

    async def _wait_for_turn(self, state: CallState) -> None:
        turn = self._lanes.take(state.lane)
        state.leave_lane = turn.leave
        turn.subject = state.subject
        if not turn.is_first:
            earlier = list(turn.earlier_subjects)
            if turn.subject and turn.subject not in earlier and None not in earlier:
                await self._ask_early(state, turn)
            await turn.wait()

    async def _ask_early(self, state: CallState, turn: Turn) -> None:
        """Asks while earlier calls still wait for a person, so that similar questions appear together.

        The approval counts only if the policy and everything that was shown are the same when the turn comes.
        """
        target = state.entry.tool.target(state.params)
        state.target = target.path
        try:
            verdict = await self._policy_check.verdict(state, target)
            if verdict.decision is not Decision.ASK or not await self._questioner.will_ask(state.call, target):
                return
            preview = await tool_steps.preview(state)
        except Failure:
            return  # it is reported when the turn comes
        if isinstance(preview, NoChange):
            return
        state.verdict, state.decision = verdict, str(verdict)
        state.params_digest = approval_digest(state.params, preview)
        try:
            await self._questioner.ask(state, preview, state.params_digest, target)
        except Failure:
            await turn.wait()  # so that a lane's records are in the order of its calls
            raise
        state.shown, state.early_approval = preview, EarlyApproval(verdict, state.params_digest)

    async def _change(self, state: CallState, target: Target, *, needs_approval: bool) -> Reply:
        """If what a person approved has changed, shows them the difference and asks again."""
        for times in range(MAX_REPEATS):
            try:
                return await self._change_once(state, target, needs_approval=needs_approval, times=times)
            except ShownChanged:
                if not state.call.is_shown:
                    raise
                if state.entry.tool.locate is not None:
                    target = await tool_steps.locate(state)
                    await self._policy_check.check_target(state, target)  # a rule may require more at the new place
        return await self._change_once(state, target, needs_approval=needs_approval, times=MAX_REPEATS)

    async def _change_once(self, state: CallState, target: Target, *, needs_approval: bool, times: int) -> Reply:
        call, questioner = state.call, self._questioner
        call.is_shown = needs_approval and await questioner.will_ask(call, target)
        preview = await tool_steps.preview(state)
        if needs_approval and not call.is_shown and isinstance(preview, Preview):
            # The page or window may have changed since, to one whose answer isn't known in advance.
            call.is_shown = await questioner.will_ask(call, shown_target(target, preview))
            preview = await tool_steps.preview(state) if call.is_shown else preview
        if isinstance(preview, NoChange):
            state.decision = "settled"
            return Reply(preview.result)
        state.params_digest = approval_digest(state.params, preview)
        is_approved_early = state.is_approved_early
        if state.shown is not None and not is_approved_early:
            preview = repeat_question(state.shown, preview, times)
        state.shown, state.early_approval = preview, None
        state.undoes = preview.undoes
        if needs_approval and not await questioner.has_consent(state, preview):
            if not is_approved_early:
                await questioner.ask(state, preview, state.params_digest, shown_target(target, preview))
            call.approved = questioner.approval(state)
            preview = await self._narrow(state, preview)
        scope = token_scope(state, preview)
        tokens = self._tokens if preview.executor is None else self._executor_tokens
        token = await tokens.issue(scope, _TOKEN_TTL)
        await call.before_change()
        await self._recorder.begin(state, preview, times)
        if preview.executor is None:
            await tokens.consume(token, scope, is_durable=False)  # it never left this process
        else:
            call.token = token
        return await self._run_tool(state, preview)

    async def _narrow(self, state: CallState, preview: Preview) -> Preview:
        """If the person approved only parts of the change: a preview of those, to which digest and token are bound."""
        chosen = None if state.answer is None else state.answer.chosen
        if chosen is None:
            return preview
        if state.entry.tool.narrow is None or not preview.parts:
            raise Declined("Only a part was approved, but this can only be done as a whole.", reason="changed")
        preview = await tool_steps.narrow(state, preview, chosen)
        state.params_digest = approval_digest(state.params, preview)
        return preview

    async def _run_tool(self, state: CallState, preview: Preview | None) -> Reply:
        await self._check_identity(state.call.caller)
        reply = await tool_steps.run(state, preview)
        if state.entry.tool.ends_task:
            await self._end_task(state.call)
        self._recorder.keep_reply(state, reply)
        return reply

    async def _check_identity(self, caller: Caller) -> None:
        if not await self._is_identity_valid(caller.identity):
            raise Declined("A person has revoked this agent's token.", reason="revoked")
