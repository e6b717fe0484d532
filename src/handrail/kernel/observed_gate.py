"""The gate with metrics and traces; without an observer, `Gate` itself is used and nothing is measured."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any

from handrail.kernel.approval import Answer, Approver, Question
from handrail.kernel.call import Call
from handrail.kernel.call_state import CallState
from handrail.kernel.gate import Gate
from handrail.kernel.policy import Policy
from handrail.kernel.recorder import Recorder
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview, Reply
from handrail.ports.errors import Failure
from handrail.ports.observer import CallTrace, Observer, Step

_TRACE: ContextVar[CallTrace | None] = ContextVar("handrail_trace", default=None)


def step(name: Step) -> AbstractContextManager[None]:
    trace = _TRACE.get()
    return nullcontext() if trace is None else trace.step(name)


class ObservedGate(Gate):
    observer: Observer

    def with_approver(self, approver: Approver) -> Gate:
        return super().with_approver(ObservedApprover(approver))

    async def _run_and_record(self, state: CallState) -> Reply:
        call = state.call
        trace = self.observer.begin(call.tool, call.caller.face, call.execution_id)
        token = _TRACE.set(trace)
        outcome = "Aborted"
        try:
            reply = await super()._run_and_record(state)
            outcome = "ok"
            return reply
        except Failure as failure:
            outcome = type(failure).__name__
            raise
        finally:
            _TRACE.reset(token)
            effect = "" if state.effect is None else state.effect.value
            decision = "" if state.verdict is None else state.verdict.decision.name.lower()
            trace.end(effect=effect, decision=decision, outcome=outcome)

    def _validate(self, state: CallState) -> None:
        with step("validate"):
            super()._validate(state)

    async def _run_tool(self, state: CallState, preview: Preview | None) -> Reply:
        with step("run"):
            return await super()._run_tool(state, preview)


class ObservedApprover(Approver):
    def __init__(self, approver: Approver) -> None:
        self._approver = approver

    async def will_ask(self, call: Call, target: Target) -> bool:
        return await self._approver.will_ask(call, target)

    async def ask(self, question: Question) -> Answer:
        with step("approval"):
            return await self._approver.ask(question)


class ObservedRecorder(Recorder):
    """Counts everything that is written before a call runs as the step `evidence`: it is one disk access."""

    async def begin(self, state: CallState, preview: Preview, times: int = 0) -> None:
        with step("evidence"):
            await super().begin(state, preview, times)

    async def close(self, state: CallState, *, result: Any = None, error: Failure | None = None) -> None:
        with step("evidence" if state.has_evidence else "audit"):
            await super().close(state, result=result, error=error)

    async def _add(self, state: CallState, event: str, *, durable: bool, **outcome: Any) -> None:
        with step("audit"):
            await super()._add(state, event, durable=durable, **outcome)


def observed_policy(policy: Callable[[], Awaitable[Policy]]) -> Callable[[], Awaitable[Policy]]:
    async def fetch() -> Policy:
        with step("policy"):
            return await policy()

    return fetch
