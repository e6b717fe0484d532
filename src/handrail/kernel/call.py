"""One call: its tool, parameters, caller, task and time limit, and what the gate adds on the way."""

import os
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from handrail.kernel.target import Target
from handrail.ports.errors import Aborted
from handrail.ports.identity import Caller
from handrail.ports.prompt_queue import FindChannels, no_channels

Role = Literal["tool", "prompt", "resource"]
Progress = Callable[[str], Awaitable[None]]
AddEvidence = Callable[[str, Any], None]
AdoptEvidence = Callable[[Mapping[str, str]], None]


class Check(Protocol):
    async def __call__(self, target: Target, *, acts: bool = False) -> None:
        """`acts`: the call is about to act there, and hasn't only been led there."""
        ...


async def ignore_progress(message: str) -> None:
    """For callers that don't show progress."""


async def no_check(target: Target, *, acts: bool = False) -> None:
    """For a call that has not entered the gate, so no policy applies."""


async def no_fence() -> None:
    """For a call that no other process could repeat."""


def no_evidence(name: str, content: Any) -> None:
    """For a call that has not entered the gate, so it has no evidence."""


def no_adopted_evidence(hashes: Mapping[str, str]) -> None:
    """For a call that has not entered the gate, so it has no evidence."""


_EXECUTION_ID = re.compile(r"exec_[0-9a-f]{24}")


_ready: list[str] = []
"""Unused ids: getting random bytes from the system for each id would take a tenth of a short call."""
os.register_at_fork(after_in_child=_ready.clear)


def new_execution_id() -> str:
    while True:
        try:
            return _ready.pop()  # atomic, so no two threads get the same id
        except IndexError:
            drawn = secrets.token_hex(12 * 256)
            _ready.extend(f"exec_{drawn[at : at + 24]}" for at in range(0, len(drawn), 24))


def is_execution_id(text: str) -> bool:
    return _EXECUTION_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class CallApproval:
    """Who approved the call, and when. `prompt_id` is None if no person answered a prompt."""

    by: str
    at: datetime
    prompt_id: str | None = None


@dataclass(slots=True)
class Call:
    tool: str
    params: Any
    caller: Caller
    task: str | None = None
    deadline_ms: int | None = None
    trace_id: str | None = None
    is_status: bool = False
    """The console reads a state for one of its pages. It is recorded, but isn't something that a person did."""
    progress: Progress = ignore_progress
    channels: FindChannels = no_channels
    """Where this caller's questions are asked in addition to the queue."""
    execution_id: str = field(default_factory=new_execution_id)
    own_task: str | None = None
    """The task that a tool uses if the call names none, such as the caller's task in the browser."""
    is_aborted: bool = False
    is_shown: bool = False
    """A person sees the preview before the call runs."""
    approved: CallApproval | None = None
    """Set once the call runs; None if a rule allowed it."""
    check: Check = no_check
    """Applies the policy to a target that the call reaches while it runs; may ask a person. Declined."""
    denied_pages: Callable[[], Sequence[str]] = tuple
    """Regular expressions for addresses that the policy denies, so that requests to them can be blocked."""
    located: Any = None
    """What `Tool.locate` leaves for the preview."""
    role: Role = "tool"
    """Whether a tool, a prompt or a resource is called: a prompt can't be called as a tool."""
    before_change: Callable[[], Awaitable[None]] = no_fence
    """Awaited right before the call changes something; a Failure prevents the change."""
    add_evidence: AddEvidence = no_evidence
    """Adds a file to the call's evidence, however the call ends."""
    adopt_evidence: AdoptEvidence = no_adopted_evidence
    """Adds files that another program wrote into the call's evidence folder, by name and SHA-256."""
    token: str | None = None
    """The gate's one-time token, if another program executes the call and uses it up."""
    began_at: datetime | None = None

    max_reply_chars: int | None = None
    """A longer result is saved as evidence, whatever the effect, because the caller reads only a part of it."""

    def detach(self) -> None:
        """Removes references to the gate, which refers back to the call, so that it is freed at once."""
        self.check, self.denied_pages, self.add_evidence, self.adopt_evidence = (
            no_check,
            tuple,
            no_evidence,
            no_adopted_evidence,
        )

    def checkpoint(self) -> None:
        """Called by work in threads wherever it can still stop cleanly. Aborted."""
        if self.is_aborted:
            raise Aborted("The call was stopped before it changed anything.")
