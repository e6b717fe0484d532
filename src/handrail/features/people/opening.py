"""What the tools that ask people share, the queue of questions; and what looks after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.features.people.summons import Summons, Whereabouts
from handrail.kernel.queue_approver import LeftPrompts

if TYPE_CHECKING:
    from handrail.kernel.project import Project
    from handrail.ports.prompts import PromptQueue


def open_queue(project: Project) -> PromptQueue:
    return project.stores.prompts


@asynccontextmanager
async def withdrawing(project: Project) -> AsyncIterator[None]:
    """While a server runs, approvals whose callers went are withdrawn in their time."""
    watching = asyncio.create_task(LeftPrompts(project.stores.prompts).watch())
    try:
        yield
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


def summons_of(project: Project) -> Summons:
    """Calls a person to the console where nobody watches."""
    stores = project.stores

    def running() -> str | None:
        server = stores.running_server()
        return server.url if server is not None and server.is_running else None

    opens_console = project.settings.open_console and project.machine.has_display()
    return Summons(Whereabouts(stores.path, Path(project.location), running, stores.is_watched, opens_console))
