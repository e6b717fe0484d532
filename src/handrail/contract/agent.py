"""A run of the agent: what is remembered of it, and the port to where it is remembered.

The turns alone say how far a run has come. What a tool did is in the audit, under an execution id that follows from
the task and the tool use: after a crash both together tell what is left to do.
"""

from asyncio import Future
from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from handrail.contract.model import Turn, Usage

Mode = Literal["plan", "act"]
RunStatus = Literal["running", "paused", "waiting", "ended"]
"""waiting: for the person's next words. ended: stopped, or failed beyond what the agent can mend."""


class Run(msgspec.Struct, frozen=True, kw_only=True):
    task_id: str
    status: RunStatus
    mode: Mode
    model: str
    usage: Usage = Usage()
    trouble: str = ""
    """Why it does not go on, for people."""


class RunStore(Protocol):
    def save(self, run: Run) -> Future[None]: ...

    async def find(self, task_id: str) -> Run | None: ...

    async def unfinished(self) -> Sequence[Run]:
        """Those that ran when the process ended."""
        ...

    def add(self, task_id: str, *turns: Turn) -> Future[None]: ...

    async def turns(self, task_id: str) -> Sequence[Turn]:
        """In order. A compaction replaces what it stands for."""
        ...

    def compact(self, task_id: str, keep_from: int, note: str) -> Future[None]:
        """The turns before the one of this index give way to a note; the record of what was said stays."""
        ...
