"""What a person allows an agent to do with an app for good: per caller, app and tool. Knows no store and no prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from handrail.ports.identity import Caller


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """What a call would do, and the digests of all that was declared about it: when it changes, no old yes counts."""

    app: str
    app_name: str
    tool: str
    tool_digest: str
    app_digest: str
    program: str = ""
    """What answers for the app: the hash of its program's files, or the origin of a web app."""
    facts: Sequence[tuple[str, str]] = field(default=(), compare=False)
    """What a person should know of it beside the parameters: what it does, where it goes, in whose name."""

    @property
    def place(self) -> str:
        """Where a yes for the rest of a task holds: for the tool as it is declared now."""
        return f"{self.app}/{self.tool}@{self.tool_digest}:{self.program}"


@dataclass(frozen=True, slots=True)
class Consent:
    """A yes for good to one `Caller.agent`. `tool` is None where it is one to every tool of the app."""

    id: str
    caller: str
    app: str
    app_name: str
    tool: str | None
    digest: str
    at: str
    by: str
    program: str = ""


StaleReason = Literal["program", "descriptor"]
"""What has changed since a person said yes."""


class Consents(Protocol):
    async def find(self, caller: Caller, to: ConsentRequest) -> Consent | None:
        """The yes that covers this call, if there is one: to the tool or to the app, as they are declared now."""
        ...

    async def stale_reason(self, caller: Caller, to: ConsentRequest) -> StaleReason | None:
        """Whether there was a yes that doesn't count any more, and why."""
        ...

    async def add(self, caller: Caller, to: ConsentRequest, *, is_for_app: bool, by: str) -> Consent: ...

    async def all(self) -> Sequence[Consent]:
        """All of them, the newest first."""
        ...

    async def revoke(self, id: str) -> bool:
        """Whether there was one. It counts for the next call, in every process."""
        ...

    async def restore(self, given: Consent) -> None:
        """Exactly what was revoked comes back."""
        ...
