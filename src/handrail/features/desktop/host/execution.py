"""Executions: the evidence that each writes into its workspace, and finding and aborting them.

Evidence is in `artifacts/desktop/YYYY-MM-DD/<executionId>/`, with a line in the index. `save` writes everything that
was added; nothing is sent to an app before it has returned.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec

from handrail.features.desktop.host.params import Meta
from handrail.kernel.deadline import Deadline
from handrail.kernel.evidence import CallEvidence, hide_from_git, utc_now
from handrail.ports.effect import Effect
from handrail.ports.errors import Conflict, Failure, InputOutput, NotFound, OutsideRoot
from handrail.ports.files import Folder
from handrail.ports.identity import Caller
from handrail.ports.peers import Peer
from handrail.ports.waiting import run_in_thread

ROOT = "artifacts/desktop"
INDEX = f"{ROOT}/index.ndjson"
RESULT = "result.json"
REFUSED = "refused.json"
"""Replaces the result if a person is asked again."""
_TRACE = "trace.jsonl"
_MAX_TRACE_BYTES = 64 * 1024 * 1024


class Record:
    """The evidence of one execution. `workspace_path` is the path that the caller used, for paths in the answer.

    `is_shared` means that the gate writes into the same folder. Its result, if it has written one, is not replaced.
    """

    def __init__(
        self, folder: Folder, workspace_path: str, execution_id: str, at: datetime, *, is_shared: bool
    ) -> None:
        self._folder = folder.private()
        self._is_shared = is_shared
        self._exhibit = CallEvidence(self._folder, f"{ROOT}/{at:%Y-%m-%d}/{execution_id}")
        self.dir = f"{workspace_path.rstrip('/')}/{self._exhibit.path}/"
        self._added: dict[str, Any] = {}
        self._trace: list[bytes] = []
        self._traced = sha256()
        self._has_trace = False
        self._index: dict[str, Any] | None = None

    @property
    def path(self) -> str:
        """The folder's path within the workspace."""
        return self._exhibit.path

    @property
    def hashes(self) -> Mapping[str, str]:
        """The SHA-256 of every file that was saved."""
        return {**self._exhibit.hashes, _TRACE: self._traced.hexdigest()}

    def has(self, name: str) -> bool:
        """Returns whether a file is on disk. False if that can't be read, in which case `save` will fail."""
        try:
            return self._folder.has(f"{self._exhibit.path}/{name}")
        except Failure:
            return False

    def add(self, name: str, content: Any) -> str:
        """Adds bytes, or a value that becomes JSON; returns the name."""
        self._added[name] = content
        return name

    def note(self, event: str, **more: Any) -> None:
        """Adds a line to `trace.jsonl`."""
        self._trace.append(_line({"ts": stamp(utc_now()), "event": event, **more}))

    def set_index_line(self, line: dict[str, Any]) -> None:
        """Sets the execution's line in the index."""
        self._index = line

    async def save(self) -> None:
        """Writes everything that was added. InputOutput if that fails; it is then kept for the next `save`."""
        await run_in_thread(self._save)

    def path_of(self, name: str) -> str:
        """Returns a path for people to read; it is never used to open a file."""
        return f"{self.dir}{name}"

    def _save(self) -> None:
        try:
            hide_from_git(self._folder, ROOT)
            for name in list(self._added):
                with suppress(Conflict):
                    replaces = not (self._is_shared and name == RESULT)
                    self._exhibit.add(name, self._added[name], replaces=replaces)
                del self._added[name]
            if self._trace:
                lines = b"".join(self._trace)
                self._continue_earlier_trace()
                self._folder.append(f"{self._exhibit.path}/{_TRACE}", lines)
                self._traced.update(lines)
                self._trace.clear()
            if self._index is not None:
                self._folder.append(INDEX, _line(self._index))
                self._index = None
        except (NotFound, OutsideRoot) as refused:  # a link or a file is in the place of a folder
            raise InputOutput(f"No evidence can be kept: {refused.message}", **refused.details) from None

    def _continue_earlier_trace(self) -> None:
        """Continues the trace of an earlier attempt, whose action was refused and asked about again."""
        path = f"{self._exhibit.path}/{_TRACE}"
        if self._is_shared and not self._has_trace and self._folder.has(path):
            self._traced.update(self._folder.read(path, _MAX_TRACE_BYTES))
        self._has_trace = True


def stamp(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _line(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


@dataclass(slots=True, eq=False)
class Execution:
    """One call, from its first check to the last line of its evidence."""

    id: str
    rpc_id: str
    method: str
    meta: Meta
    peer: Peer
    workspace: Folder
    record: Record
    deadline: Deadline
    params_digest: str
    task: "asyncio.Task[object]"
    confirm: Any = None
    """The call's `confirm`, not yet checked."""
    shown: str | None = None
    """A fingerprint of what a person was shown."""
    has_acted: bool = False
    """Input may have reached an app."""
    is_aborted: bool = False
    is_audited: bool = False
    """The audit contains its begin, so it must get its end as well. The gate records its own calls itself."""
    began: float = field(default_factory=time.perf_counter)

    @property
    def caller(self) -> Caller:
        return Caller("bridge", f"pid {self.peer.pid}", f"uid:{self.peer.uid}", f"bridge:{self.peer.digest}")

    def audit_record(self, event: str, **more: Any) -> dict[str, Any]:
        """Returns a record for the audit."""
        return {
            "event": event,
            "executionId": self.id,
            "tool": self.method,
            "effect": Effect.UI_CONTROL.value,
            "caller": str(self.caller),
            "project": self.workspace.location,
            "paramsDigest": self.params_digest,
            **more,
        }


class Executions:
    def __init__(self) -> None:
        self._running: dict[str, Execution] = {}

    def __contains__(self, execution_id: object) -> bool:
        return execution_id in self._running

    @contextmanager
    def running(self, execution: Execution) -> Iterator[None]:
        self._running[execution.id] = execution
        try:
            yield
        finally:
            del self._running[execution.id]

    def find(self, name: str, workspace: str) -> Sequence[Execution]:
        """Finds executions of this workspace by executionId, or else by requestId, or else by JSON-RPC id."""
        candidates = [execution for execution in self._running.values() if execution.workspace.location == workspace]
        matches_by_kind = (
            [execution for execution in candidates if execution.id == name],
            [execution for execution in candidates if execution.meta.request_id == name],
            [execution for execution in candidates if execution.rpc_id == name],
        )
        return next((matches for matches in matches_by_kind if matches), [])


async def abort_all(executions: Sequence[Execution]) -> None:
    """Aborts executions and returns once they have ended, so that nothing is sent after that."""
    for execution in executions:
        execution.is_aborted = True
        execution.task.cancel()
    await asyncio.wait({execution.task for execution in executions})
