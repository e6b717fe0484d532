"""Keeps a server's copy of members and sessions up to date, so that open connections notice revocations."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handrail.kernel.project import Project
from handrail.ports.errors import Failure
from handrail.ports.team import TeamStores

_RETRY_SECONDS = 0.5

logger = logging.getLogger(__name__)


@asynccontextmanager
async def watch_access_changes(project: Project) -> AsyncIterator[None]:
    team = project.stores.team
    if team is None:
        yield
        return
    task = asyncio.create_task(_follow(team, project.stores.prompts))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _follow(team: TeamStores, prompts: Any) -> None:
    async with team.watch_access() as watch:
        while True:
            await watch.change()
            try:
                await team.members.refresh()
                await prompts.nodes.cancel_orphaned()
            except Failure as failure:
                logger.warning("the team's members can't be read now: %s", failure.message)
                await asyncio.sleep(_RETRY_SECONDS)
