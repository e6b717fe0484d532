"""Previews by the server, for handrail's other processes: what they ask for, and what both must agree on.

The caller's gate has let the call pass; the server shows no more than what its own project and rules let it read.
"""

from typing import Protocol

import msgspec

from handrail.features.webgal.preview_ports import Showing
from handrail.ports.errors import Failure

PATH = "/api/webgal/showing"


class NotHosted(Failure):
    """The server that runs does not show this; its message says why."""


class Ground(msgspec.Struct, frozen=True, rename="camel"):
    """Where a process stands: two that differ would not show the same. `project` has no links in it."""

    version: str
    project: str
    terre: str
    terre_port: int


class WantedScene(msgspec.Struct, frozen=True, rename="camel"):
    """`path` is the scene's in the project; `content` is unsaved text that stands in for it."""

    ground: Ground
    path: str
    line: int
    content: str | None = None
    fetched_ahead: list[str] = []


class HostedPreviews(Protocol):
    async def show(self, wanted: WantedScene) -> Showing:
        """NotHosted: the caller stands elsewhere. Declined: a rule hides the scene. NotShown, Timeout."""
        ...
