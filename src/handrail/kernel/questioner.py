"""Asks a person to approve a call, unless they have given consent to calls like it."""

from collections.abc import Awaitable, Callable
from copy import copy

from handrail.kernel.approval import Approver, Question
from handrail.kernel.call import Call, CallApproval
from handrail.kernel.call_state import CallState
from handrail.kernel.policy import Policy, Verdict
from handrail.kernel.recorder import Recorder
from handrail.kernel.target import NOWHERE, Target
from handrail.kernel.tool import Preview
from handrail.ports.consents import Consents
from handrail.ports.errors import Declined

_PEOPLE = {"terminal": "a person at the terminal", "console": "a person in the console"}
"""Where a person answers, by the prefix of the answer's `by`."""


class Questioner:
    def __init__(
        self,
        approver: Approver,
        recorder: Recorder,
        policy: Callable[[], Awaitable[Policy]],
        consents: Consents | None,
    ) -> None:
        self._approver = approver
        self._recorder = recorder
        self._policy = policy
        self._consents = consents

    def with_approver(self, approver: Approver) -> "Questioner":
        """The same questioner with another approver."""
        other = copy(self)
        other._approver = approver
        return other

    async def will_ask(self, call: Call, target: Target) -> bool:
        """Whether a person would see the question; False if its answer is already known."""
        return await self._approver.will_ask(call, target)

    async def ask(
        self, state: CallState, preview: Preview, digest: str, target: Target, verdict: Verdict | None = None
    ) -> None:
        """Declined unless the answer is ok. `verdict`: the policy's about `target`, if not the call's own target."""
        assert state.effect is not None
        verdict = verdict or state.verdict
        assert verdict is not None
        images = await self._recorder.show(state, preview)
        question = Question(
            state.call,
            state.entry.tool.title,
            state.effect,
            state.params if preview.shown_params is None else preview.shown_params,
            preview,
            digest,
            images,
            not verdict.is_default,
            verdict.is_critical,
            target,
            state.entry.tool.has_targets or target != NOWHERE,
            state.stale,
            (await self._policy()).votes_for(state.call.tool, state.effect, target, preview.place),
        )
        if await self.will_ask(state.call, target):
            await state.call.progress("Waiting for a person's approval.")
        answer = await self._approver.ask(question)
        state.answer = answer
        if answer.status == "ok":
            await self._policy()  # reloads it: a person may have changed it while the question was open
            return
        details = {"remark": answer.remark} if answer.remark else {}
        if answer.status == "timeout":
            raise Declined("No one answered the approval in time.", reason="timeout", **details)
        raise Declined(_denial(state.call.tool, answer.by), reason="denied", **details)

    async def has_consent(self, state: CallState, preview: Preview) -> bool:
        """Whether a consent to this caller, app and tool replaces the question; not if a rule or the team asks."""
        if self._consents is None or preview.consent is None or state.is_by_rule or await self._votes(state, preview):
            return False
        consent = await self._consents.find(state.call.caller, preview.consent)
        if consent is None:
            state.stale = await self._consents.stale_reason(state.call.caller, preview.consent)
            return False
        state.has_consent, state.decision = True, f"allow (consent {consent.id}, by {consent.by})"
        return True

    async def _votes(self, state: CallState, preview: Preview) -> int:
        """How many people of the team have to approve it."""
        assert state.effect is not None
        target = state.entry.tool.target(state.params)
        return (await self._policy()).votes_for(state.call.tool, state.effect, target, preview.place)

    def approval(self, state: CallState) -> CallApproval:
        assert state.answer is not None
        return CallApproval(state.answer.by, self._recorder.now(), state.answer.prompt_id)


def _denial(tool: str, by: str) -> str:
    """Says who denied it, without ids: the record has them."""
    who = by.partition(", prompt ")[0]
    return f"{tool} was denied by {_PEOPLE.get(who.partition(':')[0], who)}."
