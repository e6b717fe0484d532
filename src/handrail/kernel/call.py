"""One call on its way through the gate: who asks, for which task, until when."""

import os
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from handrail.kernel.target import Target
from handrail.ports.errors import Aborted
from handrail.ports.identity import Caller
from handrail.ports.prompt_queue import FindChannels, no_channels

Role = Literal["tool", "prompt", "resource"]
Progress = Callable[[str], Awaitable[None]]
Check = Callable[[Target], Awaitable[None]]
Keep = Callable[[str, Any], None]
Adopt = Callable[[Mapping[str, str]], None]


async def ignore_progress(message: str) -> None:
    """A progress sink for callers that don't listen."""


async def no_check(target: Target) -> None:
    """For a call that has not entered the gate, and so has no policy to ask."""


async def no_fence() -> None:
    """For a call that no other process could make as well."""


def no_evidence(name: str, content: Any) -> None:
    """For a call that has not entered the gate, and so has no evidence."""


def no_adopted_evidence(hashes: Mapping[str, str]) -> None:
    """For a call that has not entered the gate, and so has no evidence."""


_EXECUTION_ID = re.compile(r"exec_[0-9a-f]{24}")


_ready: list[str] = []
"""Ids that nobody has yet: asking the system for each one takes a tenth of a short call."""
os.register_at_fork(after_in_child=_ready.clear)


def new_execution_id() -> str:
    while True:
        try:
            return _ready.pop()  # one step, so that no two threads get the same
        except IndexError:
            drawn = secrets.token_hex(12 * 256)
            _ready.extend(f"exec_{drawn[at : at + 24]}" for at in range(0, len(drawn), 24))


def is_execution_id(text: str) -> bool:
    return _EXECUTION_ID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class CallApproval:
    """Who said yes, and when; `prompt_id` is the prompt that a person answered, None where a preset answer did."""

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
    progress: Progress = ignore_progress
    channels: FindChannels = no_channels
    """Where else than in the queue this caller's questions to people are put."""
    execution_id: str = field(default_factory=new_execution_id)
    own_task: str | None = None
    """The task that a tool has found for a call that names none, such as the caller's task in the browser."""
    is_aborted: bool = False
    is_shown: bool = False
    """A person is asked before it runs, and sees the preview."""
    approved: CallApproval | None = None
    """Known once the call runs; None where a rule allowed it."""
    check: Check = no_check
    """Lets the policy decide about what the call turns out to reach, and asks a person where it says so. Declined."""
    denied_pages: Callable[[], Sequence[str]] = tuple
    """Regular expressions for addresses that the policy denies, for who can stop them before they are asked for."""
    located: Any = None
    """What `Tool.locate` has seen, for the preview."""
    role: Role = "tool"
    """As what it is called: the name of a prompt isn't a tool's."""
    before_change: Callable[[], Awaitable[None]] = no_fence
    """Awaited right before the call changes something; a Failure keeps it from that."""
    add_evidence: Keep = no_evidence
    """Puts a file into the call's evidence, however the call ends."""

    adopt_evidence: Adopt = no_adopted_evidence
    """Counts files that another program wrote into the call's evidence among it, by their SHA-256."""
    token: str | None = None
    """The gate's one-time token, where another program carries the call out and uses it up."""
    began_at: datetime | None = None

    max_reply_chars: int | None = None
    """A result of more characters is put among the evidence, whatever the effect: who asks reads but a part of it."""

    def detach(self) -> None:
        """Its ways into the gate lead back to it: without them it goes at once, and no garbage collector is needed."""
        self.check, self.denied_pages, self.add_evidence, self.adopt_evidence = (
            no_check,
            tuple,
            no_evidence,
            no_adopted_evidence,
        )

    def checkpoint(self) -> None:
        """Called by work in threads at every point where it can still stop cleanly."""
        if self.is_aborted:
            raise Aborted("The call was stopped before it changed anything.")
