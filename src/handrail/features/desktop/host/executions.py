"""What is running: each execution by all the names that a caller may know it by, so that it can be stopped."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from handrail.features.desktop.host.params import Meta
from handrail.features.desktop.host.records import Record
from handrail.kernel.deadline import Deadline
from handrail.ports.files import Folder
from handrail.ports.peers import Peer


@dataclass(slots=True, eq=False)
class Execution:
    """One call that does something, from its first check to the last line of its evidence."""

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


async def abort(executions: Sequence[Execution]) -> None:
    """Returns when they have ended: nothing goes out after that."""
    for execution in executions:
        execution.is_aborted = True
        execution.task.cancel()
    await asyncio.wait({execution.task for execution in executions})
