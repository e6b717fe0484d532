"""Collects a task's calls from the audit, with evidence files checked against their hashes.

It has no texts and no layout: `report/` renders it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal

from handrail.features.history.outcome import outcome_of_record
from handrail.kernel.audit import Audit
from handrail.kernel.chain_check import BrokenChain
from handrail.kernel.evidence import Evidence
from handrail.ports.errors import Failure, NotFound, TooLarge

MAX_FILE_BYTES = 16 * 1024 * 1024
"""A larger file is listed with its hash, without its content."""
_SAFE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of a call's evidence. `lack` is why there is no data: missing, changed or large."""

    name: str
    sha256: str
    data: bytes | None = None
    lack: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message by a person, the agent or handrail itself. `timestamp` is in milliseconds."""

    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class CallContent:
    """A call's arguments (as JSON) and result, from the conversation. The audit doesn't seal them."""

    arguments: str
    result: str


@dataclass(slots=True)
class Step:
    """One call: its newest record, and all its lines in the audit."""

    execution_id: str
    record: dict[str, Any]
    started: str
    lines: list[bytes] = field(default_factory=list)
    files: list[ShownFile] = field(default_factory=list)
    content: CallContent | None = None

    @property
    def status(self) -> str:
        """The call's outcome, or `interrupted`."""
        return outcome_of_record(self.record) if self.record.get("event") == "end" else "interrupted"


@dataclass(frozen=True, slots=True)
class Story:
    """A task's calls, or every call in a project.

    `chain` is how many records of the whole audit were verified; `damage` is the error if they were changed.
    """

    task: str | None
    title: str
    project: str
    steps: Sequence[Step]
    messages: Sequence[Message]
    chain: int
    damage: str | None


@dataclass(slots=True)
class TaskSummary:
    task: str
    project: str
    first: str
    last: str
    callers: set[str] = field(default_factory=set)
    executions: set[str] = field(default_factory=set)


def list_tasks(audit: Audit, project: str) -> list[TaskSummary]:
    """Returns the project's tasks in the audit, newest first."""
    summaries: dict[str, TaskSummary] = {}
    for record in audit.entries():
        task = record.get("task")
        if not isinstance(task, str) or record.get("project") != project:
            continue
        at = str(record.get("ts"))
        summary = summaries.setdefault(task, TaskSummary(task, project, at, at))
        summary.last = max(summary.last, at)
        summary.callers.add(str(record.get("caller")))
        summary.executions.add(str(record.get("executionId")))
    return sorted(summaries.values(), key=lambda summary: summary.last, reverse=True)


def build_story(
    audit: Audit,
    evidence: Evidence,
    project: str,
    task: str | None,
    *,
    title: str = "",
    messages: Sequence[Message] = (),
    contents: Mapping[str, CallContent] = MappingProxyType({}),
) -> Story:
    """Raises NotFound if the task has neither records nor messages."""
    steps = list(_steps(audit.lines(), project, task))
    if task is not None and not steps and not messages:
        raise NotFound(
            f"There is no task {task!r} in this project.", hint="`handrail report` without a task lists them."
        )
    for step in steps:
        step.files = list(_files(evidence, step.record))
        step.content = contents.get(step.execution_id)
    try:
        chain, damage = audit.verify(), None
    except BrokenChain as broken:
        chain, damage = 0, broken.message
    return Story(task, title, project, steps, messages, chain, damage)


def _steps(lines: Iterable[tuple[bytes, dict[str, Any]]], project: str, task: str | None) -> Iterator[Step]:
    steps: dict[str, Step] = {}
    for line, record in lines:
        if task not in (None, record.get("task")) or record.get("project") != project:
            continue
        if "executionId" not in record:  # it doesn't belong to a call
            continue
        execution = str(record["executionId"])
        step = steps.setdefault(execution, Step(execution, record, str(record.get("ts"))))
        step.record = record
        step.lines.append(line)
    yield from steps.values()


def _files(evidence: Evidence, record: dict[str, Any]) -> Iterator[ShownFile]:
    match record.get("evidence"):
        case {"dir": str(folder), "sha256": {**hashes}}:
            for name, expected in hashes.items():
                if isinstance(expected, str) and _SAFE_NAME.fullmatch(str(name)):
                    yield _file(evidence, folder, str(name), expected)


def _file(evidence: Evidence, folder: str, name: str, expected: str) -> ShownFile:
    try:
        data = evidence.read(folder, name, MAX_FILE_BYTES)
    except TooLarge:
        return ShownFile(name, expected, lack="large")
    except Failure:
        return ShownFile(name, expected, lack="missing")
    if sha256(data).hexdigest() != expected:
        return ShownFile(name, expected, lack="changed")
    return ShownFile(name, expected, data)
