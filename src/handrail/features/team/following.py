"""Keeps a server's copy of who may do what up to date, for what is connected without asking again."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from handrail.kernel.project import Project
from handrail.ports.errors import Failure
from handrail.ports.team import TeamStores

_AGAIN_AFTER = 0.5

logger = logging.getLogger(__name__)


@asynccontextmanager
async def following_access(project: Project) -> AsyncIterator[None]:
    team = project.stores.team
    if team is None:
        yield
        return
    following = asyncio.create_task(_follow(team, project.stores.prompts))
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(team: TeamStores, prompts: Any) -> None:
    async with team.watch_access() as watch:
        while True:
            await watch.change()
            try:
                await team.members.refresh()
                await prompts.nodes.withdraw_left_behind()
            except Failure as failure:
                logger.warning("who may come in can't be read now: %s", failure.message)
                await asyncio.sleep(_AGAIN_AFTER)
