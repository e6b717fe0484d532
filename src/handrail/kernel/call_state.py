"""What is known of a call on its way through the gate; the audit records it however the call ends."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from handrail.kernel.approval import Answer
from handrail.kernel.call import Call
from handrail.kernel.deadline import Deadline
from handrail.kernel.evidence import CallEvidence
from handrail.kernel.policy import Verdict
from handrail.kernel.registry import RegisteredTool
from handrail.kernel.target import Target
from handrail.kernel.tool import Preview
from handrail.ports.consents import StaleReason
from handrail.ports.effect import Effect

_MOST_PATHS = 100


def _nowhere() -> None:
    """It has not entered any lane."""


@dataclass(frozen=True, slots=True)
class EarlyApproval:
    """What a person said yes to before the call's turn came."""

    verdict: Verdict
    digest: str


@dataclass(slots=True)
class CallState:
    call: Call
    entry: RegisteredTool
    started: float = field(default_factory=time.perf_counter)
    params: Any = None
    effect: Effect | None = None
    verdict: Verdict | None = None
    decision: str | None = None
    answer: Answer | None = None
    has_consent: bool = False
    """What a person has allowed for good stands for the answer."""
    stale: StaleReason | None = None
    """Why an earlier consent doesn't count any more."""
    params_digest: str | None = None
    target: str | None = None
    paths: list[str] = field(default_factory=list)
    """Of a call about several files, all of them."""
    reached: dict[str, str] = field(default_factory=dict)
    """What the policy said about each target beyond the first."""
    allowed_targets: set[Target] = field(default_factory=set)
    undoes: str | None = None
    shown: Preview | None = None
    """What a person was asked about last."""
    early_approval: EarlyApproval | None = None
    evidence: CallEvidence | None = None
    extra_evidence: list[tuple[str, Any]] = field(default_factory=list)
    """Evidence that is written once the call has ended."""
    adopted: dict[str, str] = field(default_factory=dict)
    """Evidence that somebody else has put into the call's folder: names and hashes."""
    pictures: list[str] = field(default_factory=list)
    """Which files of the evidence are pictures of the reply."""
    has_evidence: bool = False
    leave_lane: Callable[[], None] = _nowhere
    """Gives its turn to the next call in the lane."""
    deadline: Deadline | None = None

    def set_target(self, target: Target) -> None:
        self.target = target.label
        if target.steps and target.command is None:
            self.paths = list(dict.fromkeys(step.target.path for step in target.steps if step.target.path))

    def add_evidence(self, name: str, content: Any) -> None:
        """`Call.add_evidence`: what a tool wants to be seen later."""
        self.extra_evidence.append((name, content))
        self.has_evidence = True

    def adopt_evidence(self, hashes: Mapping[str, str]) -> None:
        """`Call.adopt_evidence`: files that are in the call's folder already."""
        self.adopted.update(hashes)
        self.has_evidence = True

    @property
    def is_approved(self) -> bool:
        return self.answer is not None or self.has_consent

    @property
    def is_approved_early(self) -> bool:
        """The yes that came before the turn is for exactly this, and under the same rule."""
        return self.verdict is not None and self.early_approval == EarlyApproval(self.verdict, self.params_digest or "")

    @property
    def is_by_rule(self) -> bool:
        """A rule spoke, not the default."""
        return self.verdict is not None and not self.verdict.is_default

    @property
    def lane(self) -> str | None:
        """A task's calls keep their order. Without a task, a caller's changes do, and reads wait for nobody."""
        lane = self.entry.tool.lane
        if self.call.task is not None:
            return f"task:{self.call.task}"
        if self.effect is None or not self.effect.changes:
            return None
        own = f"caller:{self.call.caller.identity}"
        return own if lane is None else f"{own}:{self.call.tool}:{lane(self.params)}"

    @property
    def subject(self) -> str | None:
        """The file that the call is about. None: it may concern any later call; empty: it changes nothing."""
        if self.effect is not None and not self.effect.changes:
            return ""
        return self.entry.tool.target(self.params).path if self.entry.tool.asks_early else None

    def record(self, event: str, project: str, **outcome: Any) -> dict[str, Any]:
        """One line of the audit; what is not known yet is left out."""
        call, evidence, paths = self.call, self.evidence, self.paths
        record: dict[str, Any] = {
            "event": event,
            "executionId": call.execution_id,
            "tool": call.tool,
            "effect": self.effect.value if self.effect else None,
            "caller": str(call.caller),
            "identity": call.caller.identity,
            "task": call.task,
            "traceId": call.trace_id,
            "project": project,
            "target": self.target,
            "paths": paths[:_MOST_PATHS] if paths else None,
            "morePaths": len(paths) - _MOST_PATHS if len(paths) > _MOST_PATHS else None,
            "reached": self.reached or None,
            "undoes": self.undoes,
            "decision": self.decision,
            "paramsDigest": self.params_digest,
            **outcome,
        }
        if self.answer is not None:
            record["answer"] = {"status": self.answer.status, "by": self.answer.by}
            if self.answer.remark:
                record["answer"]["remark"] = self.answer.remark
            if self.answer.chosen is not None:
                record["answer"]["partial"] = True
            if self.answer.presence is not None:
                record["answer"]["presence"] = self.answer.presence
        if evidence is not None:
            # Before the end, what a power cut can't take: a file that is missing then was removed.
            hashes = evidence.hashes if event == "end" else evidence.durable
            record["evidence"] = {"dir": evidence.path, "sha256": hashes}
            if self.pictures:
                record["evidence"]["pictures"] = self.pictures
        if event == "end":
            record["durationMs"] = round((time.perf_counter() - self.started) * 1000, 3)
        return {name: value for name, value in record.items() if value is not None}
