"""An index of the audit's projects, tasks and permissions, updated with what was added since the last query."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from handrail.features.history.outcome import Outcome, outcome_of
from handrail.kernel.call import is_execution_id
from handrail.kernel.policy import PROJECT_RULE, USER_RULE
from handrail.kernel.policy_source import policy_file_of
from handrail.ports.agents import PREFIX as AGENT
from handrail.ports.effect import Effect
from handrail.ports.errors import NotFound
from handrail.ports.journal import Journal
from handrail.ports.unreadable_json import UNREADABLE_JSON

if TYPE_CHECKING:
    from handrail.kernel.project import Project

_RULE_ID = re.compile(rf"{USER_RULE} ([0-9a-f]{{12}})")
_CONSENT_ID = re.compile(r"\(consent ([0-9a-f]{12}),")
_POLICY_MARK = f"({PROJECT_RULE})"
_GRANT_ID = re.compile(r"\(grant (\S+)\)")
_CHANGES = frozenset(effect.value for effect in (Effect.WRITE, Effect.UI_CONTROL, Effect.EXECUTE))


class _Answer(msgspec.Struct):
    by: str = ""
    status: str = ""


class _Error(msgspec.Struct):
    condition: str = ""


class _Record(msgspec.Struct, rename="camel"):
    """The members of a record that the index needs."""

    ts: str = ""
    event: str = ""
    project: str | None = None
    execution_id: str | None = None
    task: str | None = None
    caller: str = ""
    identity: str = ""
    effect: str = ""
    is_status: bool = False
    ok: bool | None = None
    decision: str = ""
    answer: _Answer | None = None
    error: _Error | None = None
    evidence: msgspec.Raw = msgspec.Raw()


_DECODER = msgspec.json.Decoder(_Record)


@dataclass(slots=True)
class ProjectUse:
    path: str
    last: str
    calls: int = 0


@dataclass(slots=True)
class TaskUse:
    """The calls of one task, or of one connection if it named no task."""

    project: str
    task: str | None
    caller: str
    first: str
    last: str
    calls: int = 0
    changes: int = 0
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    """How many calls had each outcome."""
    open: set[str] = field(default_factory=set)
    """Executions that have started and not ended."""

    def add(self, record: _Record) -> None:
        self.last = max(self.last, record.ts)
        execution = record.execution_id or ""
        if record.event != "end":
            self.open.add(execution)
            return
        self.open.discard(execution)
        self.calls += 1
        answer = None if record.answer is None else record.answer.status
        condition = None if record.error is None else record.error.condition
        outcome = outcome_of(record.ok, answer, condition, record.effect, has_evidence=bool(bytes(record.evidence)))
        self.outcomes[outcome] += 1
        self.changes += outcome == "done" and record.effect in _CHANGES


@dataclass(slots=True)
class PermissionUse:
    """How many calls a standing permission has allowed, and when the last one was."""

    count: int = 0
    last: str = ""


def open_index(project: Project) -> AuditIndex:
    return AuditIndex(project.stores.audit)


class AuditIndex:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._offset = 0
        self._projects: dict[str, ProjectUse] = {}
        self._tasks: dict[tuple[str, str], TaskUse] = {}
        self._permissions: dict[str, PermissionUse] = {}

    def projects(self) -> dict[str, ProjectUse]:
        """Returns the projects by folder. Blocks."""
        with self._lock:
            self._catch_up()
            return dict(self._projects)

    def tasks(self, project: str | None, before: str | None, limit: int) -> Sequence[TaskUse]:
        """Returns tasks whose last call was before a time, newest first. Blocks."""
        with self._lock:
            self._catch_up()
            tasks = [
                use
                for use in self._tasks.values()
                if project in (None, use.project) and (before is None or use.last < before)
            ]
        return sorted(tasks, key=lambda use: use.last, reverse=True)[:limit]

    def permissions(self) -> dict[str, PermissionUse]:
        """Returns uses by the id of a rule, grant or consent, a policy's path, or an agent's identity. Blocks."""
        with self._lock:
            self._catch_up()
            return dict(self._permissions)

    def project_of(self, execution_id: str) -> str | None:
        """Returns the project of an execution, or None for another kind of id. Raises NotFound. Blocks."""
        if not is_execution_id(execution_id):
            return None
        for line in self._journal.lines_backwards():
            record = _read(line) if execution_id.encode() in line else None
            if record is not None and record.execution_id == execution_id and record.project is not None:
                return record.project
        raise NotFound(f"No record names {execution_id}.", hint="`handrail history` lists the writes.")

    def check_project(self, project: str) -> str:
        """Raises NotFound if the audit doesn't name the folder: only known folders are opened. Blocks."""
        if project not in self.projects():
            raise NotFound(f"No call has used {project} with this state directory.")
        return project

    def _catch_up(self) -> None:
        size = self._journal.snapshot().size or 0
        if size < self._offset:  # the log was replaced
            self._offset, self._projects, self._tasks, self._permissions = 0, {}, {}, {}
        for line in self._journal.lines(self._offset, size):
            if not line.endswith(b"\n"):
                break
            self._offset += len(line)
            if (record := _read(line)) is not None and record.project is not None:
                self._add(record, record.project)

    def _add(self, record: _Record, project: str) -> None:
        use = self._projects.setdefault(project, ProjectUse(project, record.ts))
        use.last = max(use.last, record.ts)
        if record.execution_id is None:
            return
        use.calls += record.event == "end"
        for permission_key in _permission_keys(record, project) if record.event == "end" else ():
            permission = self._permissions.setdefault(permission_key, PermissionUse())
            permission.count, permission.last = permission.count + 1, record.ts
        if record.is_status:  # by a page of the console, so it isn't a step of anybody
            return
        key = (project, f"task {record.task}" if record.task is not None else f"caller {record.caller}")
        if key not in self._tasks:
            self._tasks[key] = TaskUse(project, record.task, record.caller, record.ts, record.ts)
        self._tasks[key].add(record)


def _permission_keys(record: _Record, project: str) -> Iterator[str]:
    """Yields the rule, grant, consent or policy that allowed the call, and the agent's identity."""
    answered_by = "" if record.answer is None else record.answer.by
    match = _RULE_ID.search(record.decision) or _CONSENT_ID.search(record.decision) or _GRANT_ID.search(answered_by)
    if match is not None:
        yield match[1]
    elif _POLICY_MARK in record.decision:
        yield policy_file_of(project)
    if record.identity.startswith(AGENT):
        yield record.identity


def _read(line: bytes) -> _Record | None:
    try:
        return _DECODER.decode(line)
    except UNREADABLE_JSON:
        return None
