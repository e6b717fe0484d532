"""Consents: what a person always allows an agent to do with an app, per caller, app and tool."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from handrail.ports.identity import Caller


@dataclass(frozen=True, slots=True)
class ConsentRequest:
    """What a call would do, with digests of its declaration: when they change, earlier consents no longer count."""

    app: str
    app_name: str
    tool: str
    tool_digest: str
    app_digest: str
    program: str = ""
    """Identifies the app's program: the hash of its files, or the origin of a web app."""
    facts: Sequence[tuple[str, str]] = field(default=(), compare=False)
    """What a person should know in addition to the parameters: what it does, where it goes, in whose name."""

    @property
    def place(self) -> str:
        """Limits an approval for the rest of a task to the tool as it is declared now."""
        return f"{self.app}/{self.tool}@{self.tool_digest}:{self.program}"


@dataclass(frozen=True, slots=True)
class Consent:
    """A lasting permission for one `Caller.agent`. `tool` is None if it covers all tools of the app."""

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
"""What has changed since a person gave the consent."""


class Consents(Protocol):
    async def find(self, caller: Caller, to: ConsentRequest) -> Consent | None:
        """The consent that covers this call, if there is one, to the tool or the app as they are declared now."""
        ...

    async def stale_reason(self, caller: Caller, to: ConsentRequest) -> StaleReason | None:
        """Why an earlier consent no longer counts; None if there was none."""
        ...

    async def add(self, caller: Caller, to: ConsentRequest, *, is_for_app: bool, by: str) -> Consent: ...

    async def all(self) -> Sequence[Consent]:
        """All consents, the newest first."""
        ...

    async def revoke(self, id: str) -> bool:
        """Returns whether there was one. Takes effect with the next call, in every process."""
        ...

    async def restore(self, given: Consent) -> None:
        """Restores exactly what was revoked."""
        ...
