"""Connects a server to its team where this machine is a node; loads nothing for it elsewhere."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.kernel.project import Project
from handrail.ports.waiting import run_in_thread

TOKEN = "team:token"
"""Its name among the secrets that are kept."""

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
        logger.warning("the token for %s is gone: join the team again", membership.url)
        yield
        return
    from handrail.features.node.link import connected

    async with connected(project, node, membership, token):
        yield
