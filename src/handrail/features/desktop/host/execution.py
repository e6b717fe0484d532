"""One execution: the evidence that it writes into its workspace, and how it is found and aborted.

Evidence is in `artifacts/desktop/YYYY-MM-DD/<executionId>/`, with a line in the index. `save` writes all that was
added; nothing is sent to an app before it has returned.
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
"""In place of the result where a person is asked again."""
_TRACE = "trace.jsonl"
_LARGEST_TRACE = 64 * 1024 * 1024


class Record:
    """`given` is the workspace as its caller spelled it, for the paths in the answer.

    `is_shared`: the gateway writes into the same folder. If it has written a result already, that one stays.
    """

    def __init__(self, folder: Folder, given: str, execution_id: str, at: datetime, *, is_shared: bool) -> None:
        self._folder = folder.private()
        self._is_shared = is_shared
        self._exhibit = CallEvidence(self._folder, f"{ROOT}/{at:%Y-%m-%d}/{execution_id}")
        self.dir = f"{given.rstrip('/')}/{self._exhibit.path}/"
        self._added: dict[str, Any] = {}
        self._trace: list[bytes] = []
        self._traced = sha256()
        self._has_trace = False
        self._index: dict[str, Any] | None = None

    @property
    def path(self) -> str:
        """Of the folder, within the workspace."""
        return self._exhibit.path

    @property
    def hashes(self) -> Mapping[str, str]:
        """SHA-256 of everything that was saved."""
        return {**self._exhibit.hashes, _TRACE: self._traced.hexdigest()}

    def has(self, name: str) -> bool:
        """Whether it is on disk. False if that can't be read; then `save` fails."""
        try:
            return self._folder.has(f"{self._exhibit.path}/{name}")
        except Failure:
            return False

    def add(self, name: str, content: Any) -> str:
        """Adds bytes, or a value that becomes JSON; returns the name."""
        self._added[name] = content
        return name

    def note(self, event: str, **more: Any) -> None:
        """A line of `trace.jsonl`."""
        self._trace.append(_line({"ts": stamp(utc_now()), "event": event, **more}))

    def enter(self, line: dict[str, Any]) -> None:
        """The execution's line in the index."""
        self._index = line

    async def save(self) -> None:
        """InputOutput if it can't be written; then what was added is kept for the next `save`."""
        await run_in_thread(self._save)

    def path_of(self, name: str) -> str:
        """For people to read; never used to open anything."""
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
                self._go_on_from_earlier_trace()
                self._folder.append(f"{self._exhibit.path}/{_TRACE}", lines)
                self._traced.update(lines)
                self._trace.clear()
            if self._index is not None:
                self._folder.append(INDEX, _line(self._index))
                self._index = None
        except (NotFound, OutsideRoot) as refused:  # a link or a file stands where a folder of ours should be
            raise InputOutput(f"No evidence can be kept: {refused.message}", **refused.details) from None

    def _go_on_from_earlier_trace(self) -> None:
        """The gateway's call may have been refused before and asked about again: its trace goes on."""
        path = f"{self._exhibit.path}/{_TRACE}"
        if self._is_shared and not self._has_trace and self._folder.has(path):
            self._traced.update(self._folder.read(path, _LARGEST_TRACE))
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
    has_acted: bool = False
    """Something may have reached an app."""
    is_aborted: bool = False
    is_audited: bool = False
    """Its begin is in the audit, so its end must be. Calls from the gateway are in the gateway's own records."""
    began: float = field(default_factory=time.perf_counter)

    @property
    def caller(self) -> Caller:
        return Caller("bridge", f"pid {self.peer.pid}", f"uid:{self.peer.uid}", f"bridge:{self.peer.digest}")

    def audited(self, event: str, **more: Any) -> dict[str, Any]:
        """A line of the audit."""
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

    def named(self, name: str, workspace: str) -> Sequence[Execution]:
        """By executionId, or else by requestId, or else by JSON-RPC id; only of this workspace."""
        inside = [one for one in self._running.values() if one.workspace.location == workspace]
        by_name = (
            [one for one in inside if one.id == name],
            [one for one in inside if one.meta.request_id == name],
            [one for one in inside if one.rpc_id == name],
        )
        return next((found for found in by_name if found), [])


async def abort_all(executions: Sequence[Execution]) -> None:
    """Returns when they have ended: nothing is sent after that."""
    for execution in executions:
        execution.is_aborted = True
        execution.task.cancel()
    await asyncio.wait({execution.task for execution in executions})
