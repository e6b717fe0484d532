"""Connects a server to its team if this machine is a node; otherwise it imports nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.kernel.project import Project
from handrail.ports.waiting import run_in_thread

TOKEN = "team:token"
"""The token's name in the secret store."""

logger = logging.getLogger(__name__)


@asynccontextmanager
async def serving(project: Project) -> AsyncIterator[None]:
    node = project.stores.node
    membership = None if node is None else await run_in_thread(node.read)
    if node is None or membership is None or membership.is_revoked:
        yield
        return
    token = await project.stores.secrets.get(TOKEN)
    if token is None:
        logger.warning("the token for %s is missing: join the team again", membership.url)
        yield
        return
    from handrail.features.node.team_link import connect_to_team

    async with connect_to_team(project, node, membership, token):
        yield
