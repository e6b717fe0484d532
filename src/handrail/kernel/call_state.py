"""What the gate knows of a call while it passes; the audit records it however the call ends."""

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
    """For a call that has not entered a lane."""


@dataclass(frozen=True, slots=True)
class EarlyApproval:
    """What a person approved before the call's turn came."""

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
    """An earlier consent replaces the answer."""
    stale: StaleReason | None = None
    """Why an earlier consent no longer counts."""
    params_digest: str | None = None
    target: str | None = None
    paths: list[str] = field(default_factory=list)
    """All files of a call about several files."""
    reached: dict[str, str] = field(default_factory=dict)
    """The policy's verdict about each target that the call reached later."""
    allowed_targets: set[Target] = field(default_factory=set)
    undoes: str | None = None
    shown: Preview | None = None
    """The preview of the last question."""
    early_approval: EarlyApproval | None = None
    evidence: CallEvidence | None = None
    extra_evidence: list[tuple[str, Any]] = field(default_factory=list)
    """Files of evidence that are written when the call ends."""
    adopted: dict[str, str] = field(default_factory=dict)
    """Files that another program wrote into the call's evidence folder: names and hashes."""
    pictures: list[str] = field(default_factory=list)
    """The files of evidence that are pictures of the reply."""
    has_evidence: bool = False
    leave_lane: Callable[[], None] = _nowhere
    """Gives its turn to the next call in the lane."""
    deadline: Deadline | None = None

    def set_target(self, target: Target) -> None:
        self.target = target.label
        if target.steps and target.command is None:
            self.paths = list(dict.fromkeys(step.target.path for step in target.steps if step.target.path))

    def add_evidence(self, name: str, content: Any) -> None:
        """See `Call.add_evidence`."""
        self.extra_evidence.append((name, content))
        self.has_evidence = True

    def adopt_evidence(self, hashes: Mapping[str, str]) -> None:
        """See `Call.adopt_evidence`."""
        self.adopted.update(hashes)
        self.has_evidence = True

    @property
    def is_approved(self) -> bool:
        return self.answer is not None or self.has_consent

    @property
    def is_approved_early(self) -> bool:
        """Whether the early approval is for exactly this preview, and under the same verdict."""
        return self.verdict is not None and self.early_approval == EarlyApproval(self.verdict, self.params_digest or "")

    @property
    def is_by_rule(self) -> bool:
        """Whether a rule decided, and not the default."""
        return self.verdict is not None and not self.verdict.is_default

    @property
    def lane(self) -> str | None:
        """Calls of a task keep their order. Without a task, a caller's changes do; reads don't wait."""
        lane = self.entry.tool.lane
        if self.call.task is not None:
            return f"task:{self.call.task}"
        if self.effect is None or not self.effect.changes:
            return None
        own = f"caller:{self.call.caller.identity}"
        return own if lane is None else f"{own}:{self.call.tool}:{lane(self.params)}"

    @property
    def subject(self) -> str | None:
        """The file that the call changes. None: unknown, so it may affect any later call; empty: it changes nothing."""
        if self.effect is not None and not self.effect.changes:
            return ""
        return self.entry.tool.target(self.params).path if self.entry.tool.asks_early else None

    def record(self, event: str, project: str, **outcome: Any) -> dict[str, Any]:
        """One line of the audit, without what is not known yet."""
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
            "isStatus": call.is_status or None,
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
            # Before the end, only files that a power cut can't lose: if one is missing later, it was removed.
            hashes = evidence.hashes if event == "end" else evidence.durable
            record["evidence"] = {"dir": evidence.path, "sha256": hashes}
            if self.pictures:
                record["evidence"]["pictures"] = self.pictures
        if event == "end":
            record["durationMs"] = round((time.perf_counter() - self.started) * 1000, 3)
        return {name: value for name, value in record.items() if value is not None}
