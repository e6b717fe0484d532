"""The connection of a running node to its team. While the team is away, everything here goes on as it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from msgspec import UNSET
from msgspec.structs import replace

from handrail.features.node.audit_copy import AuditCopy
from handrail.features.node.client import Revoked, TeamClient
from handrail.features.node.questions import Questions
from handrail.kernel.project import Project
from handrail.ports.errors import BadAnswer, Conflict, Failure, Offline
from handrail.ports.node import Membership, Memberships, NodeUpdate
from handrail.ports.secrets import Secret
from handrail.ports.waiting import run_in_thread

_AGAIN_AFTER = 1.0
_AGAIN_AT_MOST = 20.0

logger = logging.getLogger(__name__)


@asynccontextmanager
async def connected(project: Project, node: Memberships, membership: Membership, token: Secret) -> AsyncIterator[None]:
    client = TeamClient(membership.url, token)
    following = asyncio.create_task(Link(project, node, membership, client).follow())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await client.close()


class Link:
    def __init__(self, project: Project, node: Memberships, membership: Membership, client: TeamClient) -> None:
        self._node = node
        self._membership = membership
        self._client = client
        self._questions = Questions(project.stores.prompts, client, membership.tenant)
        self._audit = AuditCopy(project.stores, project.audit, client, membership.node)
        self._is_away = False

    async def follow(self) -> None:
        """Until the team lets this node in no more."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._again(self._hear))
                group.create_task(self._again(self._questions.follow))
                group.create_task(self._again(self._audit.follow))
        except* Revoked as refused:
            logger.warning("%s Its last policy still applies here.", refused.exceptions[0])
            await run_in_thread(lambda: self._node.write(replace(self._membership, is_revoked=True)))

    async def _hear(self) -> None:
        news = await self._client.news(self._membership.policy.version)
        while True:
            await self._take(news)
            self._back()
            news = await self._client.news(self._membership.policy.version, waits=True)

    async def _take(self, news: NodeUpdate) -> None:
        """The policy first: it counts for what the answers are about."""
        if news.policy is not UNSET:
            self._membership = replace(self._membership, policy=news.policy)
            await run_in_thread(lambda: self._node.write(self._membership))
            logger.info("the policy of the team %s has changed", news.tenant)
        self._audit.team_has(news.audit_size)
        await self._questions.take(news)

    async def _again(self, work: Callable[[], Awaitable[None]]) -> None:
        """What the team can't be told now, it is told later."""
        wait = _AGAIN_AFTER
        while True:
            began = asyncio.get_running_loop().time()
            try:
                await work()
            except (Offline, BadAnswer, Conflict) as away:
                self._lost(away)
            if asyncio.get_running_loop().time() - began > _AGAIN_AT_MOST:
                wait = _AGAIN_AFTER
            await asyncio.sleep(wait)
            wait = min(2 * wait, _AGAIN_AT_MOST)

    def _lost(self, why: Failure) -> None:
        if not self._is_away:
            logger.warning("%s The team's last policy still applies.", why.message)
        self._is_away = True

    def _back(self) -> None:
        if self._is_away:
            logger.warning("connected to %s again", self._membership.url)
        self._is_away = False
