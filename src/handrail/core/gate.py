"""The one way through the house: validate → policy → approval → token → run → evidence → audit.

Knows no wire and no operating system. Every face hands it a Call and gets a Reply or a Failure.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from handrail.contract.approval import Answer, Approver, Question
from handrail.contract.call import Call
from handrail.contract.effect import Effect
from handrail.contract.errors import Aborted, Declined, Failure, InputOutput, Internal, InvalidParams, Timeout
from handrail.contract.policy import Decision
from handrail.contract.tokens import Scope, TokenStore
from handrail.contract.tool import Preview, Reply, Settled
from handrail.core.audit import Audit
from handrail.core.digest import digest
from handrail.core.evidence import Evidence, Exhibit, utc_now
from handrail.core.lanes import Lanes
from handrail.core.policy import Policy
from handrail.core.registry import Registered, Registry, UnknownTool
from handrail.core.summoning import Summon, nobody_is_called, summoning

logger = logging.getLogger(__name__)

_TOKEN_TTL = 60.0
_PERSONS_FACES = frozenset({"cli", "console"})


@dataclass(slots=True)
class _Passage:
    """What is known of a call so far; the audit records it however the call ends."""

    call: Call
    entry: Registered
    started: float = field(default_factory=time.perf_counter)
    params: Any = None
    effect: Effect | None = None
    decision: str | None = None
    answer: Answer | None = None
    params_digest: str | None = None
    target: str | None = None
    undoes: str | None = None
    exhibit: Exhibit | None = None


class Gate:
    def __init__(
        self,
        registry: Registry,
        policy: Callable[[], Policy],
        approver: Approver,
        tokens: TokenStore,
        evidence: Evidence,
        audit: Audit,
        project: str,
        *,
        summon: Summon = nobody_is_called,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.registry = registry
        self._policy = policy
        self._approver = approver
        self._tokens = tokens
        self._evidence = evidence
        self._audit = audit
        self._project = project
        self._summon = summon
        self._now = now
        self._lanes = Lanes()

    def asking(self, approver: Approver) -> "Gate":
        """The same gate, where somebody else is asked."""
        other = copy(self)
        other._approver = approver
        return other

    async def run(self, call: Call) -> Reply:
        """The tool's reply; a Failure when it was refused, stopped or went wrong."""
        passage = _Passage(call, self._entry(call))
        call.beside = summoning(call, self._summon)
        try:
            reply = await self._pass(passage)
        except asyncio.CancelledError:
            call.is_aborted = True
            self._close(passage, error=Aborted("The caller stopped the call."))
            raise
        except Failure as failure:
            self._close(passage, error=failure)
            raise
        except Exception as fault:
            logger.exception("%s failed", call.tool)
            unforeseen = _as_failure(fault)
            self._close(passage, error=unforeseen)
            raise unforeseen from fault
        self._close(passage, result=reply.result)
        return reply

    def _entry(self, call: Call) -> Registered:
        """What is for people alone exists only where people call: on the command line and in the console."""
        entry = self.registry.find(call.tool)
        if not entry.tool.is_for_agents and call.caller.face not in _PERSONS_FACES:
            raise UnknownTool(f"There is no tool named {call.tool!r}.", hint="tools/list shows those that there are.")
        return entry

    async def _pass(self, passage: _Passage) -> Reply:
        call = passage.call
        entry = self.registry.find_enabled(call.tool)
        passage.params = entry.read_params(call.params)
        passage.effect = entry.tool.effect_of(passage.params)
        async with self._lanes.turn(_lane(call, passage.effect)):
            target = entry.tool.target(passage.params)
            passage.target = target.path or target.host
            verdict = self._policy().decide(call.tool, passage.effect, target)
            passage.decision = f"{verdict.decision.name.lower()} ({verdict.because})"
            if verdict.decision is Decision.DENY:
                raise Declined(
                    f"The policy denies {call.tool}: {verdict.because}.",
                    hint="A person can change the rule in the policy file.",
                    reason="policy",
                )
            if not passage.effect.changes:
                if verdict.decision is Decision.ASK:
                    passage.params_digest = _digest(passage.params, {})
                    await self._approve(passage, Preview(entry.tool.title, path=target.path))
                return await self._within_deadline(passage, None)
            return await self._change(passage, must_ask=verdict.decision is Decision.ASK)

    async def _change(self, passage: _Passage, *, must_ask: bool) -> Reply:
        tool, port = passage.entry.tool, passage.entry.surface.port
        preview: Preview | Settled = Preview(tool.title)
        if tool.preview is not None:
            async with self._deadline(passage):
                preview = await tool.preview(port, passage.call, passage.params)
        if isinstance(preview, Settled):
            passage.decision = "settled"
            return Reply(preview.result)
        passage.params_digest = _digest(passage.params, preview.binding)
        passage.undoes = preview.undoes
        if must_ask:
            await self._approve(passage, preview)
        scope = Scope(caller=str(passage.call.caller), method=tool.name, params_digest=passage.params_digest)
        token = self._tokens.issue(scope, _TOKEN_TTL)
        passage.exhibit = self._exhibit(passage, preview)
        self._record(passage, "begin", durable=True)
        self._tokens.consume(token, scope)
        return await self._within_deadline(passage, preview)

    async def _approve(self, passage: _Passage, preview: Preview) -> None:
        assert passage.effect is not None
        assert passage.params_digest is not None
        question = Question(
            passage.call, passage.entry.tool.title, passage.effect, passage.params, preview, passage.params_digest
        )
        await passage.call.progress("Waiting for a person's approval.")
        answer = await self._approver.ask(question)
        passage.answer = answer
        if answer.status == "ok":
            return
        details = {"remark": answer.remark} if answer.remark else {}
        if answer.status == "timeout":
            raise Declined("Nobody answered the request for approval in time.", reason="timeout", **details)
        raise Declined(f"{passage.call.tool} was denied by {answer.by}.", reason="denied", **details)

    async def _within_deadline(self, passage: _Passage, preview: Preview | None) -> Reply:
        tool, port = passage.entry.tool, passage.entry.surface.port
        async with self._deadline(passage):
            outcome = await tool.run(port, passage.call, passage.params, preview)
        return outcome if isinstance(outcome, Reply) else Reply(outcome)

    def _deadline(self, passage: _Passage) -> "_Deadline":
        return _Deadline(passage.call, passage.call.deadline_ms or passage.entry.tool.deadline_ms)

    def _exhibit(self, passage: _Passage, preview: Preview) -> Exhibit:
        exhibit = self._evidence.open(passage.entry.surface.name, passage.call.execution_id, self._now())
        exhibit.add(
            "request.json",
            {
                "executionId": passage.call.execution_id,
                "tool": passage.call.tool,
                "caller": str(passage.call.caller),
                "task": passage.call.task,
                "params": passage.params,
                "binding": dict(preview.binding),
                "summary": preview.summary,
            },
        )
        if preview.diff is not None:
            exhibit.add("diff.patch", preview.diff)
        return exhibit

    def _close(self, passage: _Passage, *, result: Any = None, error: Failure | None = None) -> None:
        """The last line of every call: its result in the evidence, its end in the audit."""
        outcome: dict[str, Any] = {"ok": error is None}
        if error is not None:
            outcome["error"] = {"condition": type(error).__name__, "message": error.message[:500]}
        if passage.exhibit is not None:
            try:
                passage.exhibit.add("result.json", {**outcome, "result": result})
            except Failure as lost:
                logger.error("evidence of %s is incomplete: %s", passage.call.execution_id, lost.message)
        if isinstance(error, InvalidParams):
            del outcome["error"]["message"]  # it quotes parameters, of which the audit holds but a digest
        try:
            self._record(passage, "end", durable=passage.exhibit is not None, **outcome)
        except Failure as lost:
            if passage.exhibit is None:
                raise
            # Its beginning is on record, and what was done is done: the answer must not say otherwise.
            logger.error("the end of %s is not on record: %s", passage.call.execution_id, lost.message)

    def _record(self, passage: _Passage, event: str, *, durable: bool, **outcome: Any) -> None:
        call, exhibit = passage.call, passage.exhibit
        record: dict[str, Any] = {
            "event": event,
            "executionId": call.execution_id,
            "tool": call.tool,
            "effect": passage.effect.value if passage.effect else None,
            "caller": str(call.caller),
            "task": call.task,
            "traceId": call.trace_id,
            "project": self._project,
            "target": passage.target,
            "undoes": passage.undoes,
            "decision": passage.decision,
            "paramsDigest": passage.params_digest,
            **outcome,
        }
        if passage.answer is not None:
            record["answer"] = {"status": passage.answer.status, "by": passage.answer.by}
        if exhibit is not None:
            record["evidence"] = {"dir": exhibit.path, "sha256": exhibit.hashes}
        if event == "end":
            record["durationMs"] = round((time.perf_counter() - passage.started) * 1000, 3)
        self._audit.append({key: value for key, value in record.items() if value is not None}, durable=durable)


class _Deadline:
    """A call's own time. What a person needs to answer is not part of it."""

    def __init__(self, call: Call, limit_ms: int) -> None:
        self._call = call
        self._limit_ms = limit_ms
        self._timeout = asyncio.timeout(limit_ms / 1000)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, *exc: Any) -> None:
        try:
            await self._timeout.__aexit__(*exc)
        except TimeoutError:
            raise Timeout(
                f"{self._call.tool} did not finish within {self._limit_ms} ms.", timeoutMs=self._limit_ms
            ) from None


def _digest(params: Any, binding: Mapping[str, str]) -> str:
    return digest({"params": msgspec.to_builtins(params), "binding": dict(binding)})


def _lane(call: Call, effect: Effect) -> str | None:
    """A task's calls keep their order. Without a task, a caller's changes do, and reads wait for nobody."""
    if call.task is not None:
        return f"task:{call.task}"
    return f"caller:{call.caller}" if effect.changes else None


def _as_failure(fault: Exception) -> Failure:
    if isinstance(fault, OSError):
        return InputOutput(f"The operating system refused: {fault.strerror or fault}.")
    return Internal(f"handrail failed: {type(fault).__name__}: {fault}", hint="Please report this.")
