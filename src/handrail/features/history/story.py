"""A task's story, out of the audit and the evidence: every step, with the files that show it held against their hashes.

Knows no page and no language: how a story is told is a face's business.
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

MOST_BYTES = 16 * 1024 * 1024
"""Of one file; a larger one is named with its hash and left out."""
_SAFE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file of a step's evidence. `lack` says why there is no data: missing, changed or large."""

    name: str
    sha256: str
    data: bytes | None = None
    lack: str | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """What was said: by a person, by the agent, or by handrail itself. `timestamp` is in milliseconds."""

    role: Literal["user", "assistant", "system"]
    content: str
    timestamp: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call as the conversation has it: what the agent gave, as JSON, and what it was told. No seal holds it."""

    given: str
    told: str


@dataclass(slots=True)
class Step:
    """One call: its newest record, and every line of the audit about it."""

    execution_id: str
    record: dict[str, Any]
    started: str
    lines: list[bytes] = field(default_factory=list)
    files: list[ShownFile] = field(default_factory=list)
    exchange: Exchange | None = None

    @property
    def status(self) -> str:
        """What came of it, or interrupted."""
        return outcome_of_record(self.record) if self.record.get("event") == "end" else "interrupted"


@dataclass(frozen=True, slots=True)
class Story:
    """Of a task, or of every call in a project.

    `chain` is how many records of the whole audit were found unbroken; `damage` is what was found instead.
    """

    task: str | None
    title: str
    project: str
    steps: Sequence[Step]
    words: Sequence[Word]
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


def tasks(audit: Audit, project: str) -> list[TaskSummary]:
    """The tasks of a project that the audit knows, newest first."""
    found: dict[str, TaskSummary] = {}
    for record in audit.entries():
        task = record.get("task")
        if not isinstance(task, str) or record.get("project") != project:
            continue
        at = str(record.get("ts"))
        summary = found.setdefault(task, TaskSummary(task, project, at, at))
        summary.last = max(summary.last, at)
        summary.callers.add(str(record.get("caller")))
        summary.executions.add(str(record.get("executionId")))
    return sorted(found.values(), key=lambda summary: summary.last, reverse=True)


def tell(
    audit: Audit,
    evidence: Evidence,
    project: str,
    task: str | None,
    *,
    title: str = "",
    words: Sequence[Word] = (),
    exchanges: Mapping[str, Exchange] = MappingProxyType({}),
) -> Story:
    """NotFound where neither the audit nor anybody's word knows the task."""
    steps = list(_steps(audit.lines(), project, task))
    if task is not None and not steps and not words:
        raise NotFound(
            f"There is no task {task!r} in this project.", hint="`handrail report` without a task lists them."
        )
    for step in steps:
        step.files = list(_files(evidence, step.record))
        step.exchange = exchanges.get(step.execution_id)
    try:
        chain, damage = audit.verify(), None
    except BrokenChain as broken:
        chain, damage = 0, broken.message
    return Story(task, title, project, steps, words, chain, damage)


def _steps(lines: Iterable[tuple[bytes, dict[str, Any]]], project: str, task: str | None) -> Iterator[Step]:
    found: dict[str, Step] = {}
    for line, record in lines:
        if task not in (None, record.get("task")) or record.get("project") != project:
            continue
        if "executionId" not in record:  # it is about no call
            continue
        execution = str(record["executionId"])
        step = found.setdefault(execution, Step(execution, record, str(record.get("ts"))))
        step.record = record
        step.lines.append(line)
    yield from found.values()


def _files(evidence: Evidence, record: dict[str, Any]) -> Iterator[ShownFile]:
    match record.get("evidence"):
        case {"dir": str(folder), "sha256": {**hashes}}:
            for name, expected in hashes.items():
                if isinstance(expected, str) and _SAFE_NAME.fullmatch(str(name)):
                    yield _file(evidence, folder, str(name), expected)


def _file(evidence: Evidence, folder: str, name: str, expected: str) -> ShownFile:
    try:
        data = evidence.read(folder, name, MOST_BYTES)
    except TooLarge:
        return ShownFile(name, expected, lack="large")
    except Failure:
        return ShownFile(name, expected, lack="missing")
    if sha256(data).hexdigest() != expected:
        return ShownFile(name, expected, lack="changed")
    return ShownFile(name, expected, data)
