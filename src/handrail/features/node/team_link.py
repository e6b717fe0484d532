"""The connection of a running node to its team. While the team can't be reached, the last known policy applies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from msgspec import UNSET
from msgspec.structs import replace

from handrail.features.node.audit_upload import AuditUploader
from handrail.features.node.client import Revoked, TeamClient
from handrail.features.node.question_mirror import QuestionMirror
from handrail.kernel.project import Project
from handrail.ports.errors import BadAnswer, Conflict, Failure, Offline
from handrail.ports.node import Membership, Memberships, NodeUpdate
from handrail.ports.secrets import Secret
from handrail.ports.waiting import run_in_thread

_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 20.0

logger = logging.getLogger(__name__)


@asynccontextmanager
async def connect_to_team(
    project: Project, node: Memberships, membership: Membership, token: Secret
) -> AsyncIterator[None]:
    client = TeamClient(membership.url, token)
    following = asyncio.create_task(TeamLink(project, node, membership, client).follow())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await client.close()


class TeamLink:
    def __init__(self, project: Project, node: Memberships, membership: Membership, client: TeamClient) -> None:
        self._node = node
        self._membership = membership
        self._client = client
        self._questions = QuestionMirror(project.stores.prompts, client, membership.tenant)
        self._audit = AuditUploader(project.stores, project.audit, client, membership.node)
        self._is_offline = False

    async def follow(self) -> None:
        """Runs until the team no longer accepts this node."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._retry_forever(self._follow_updates))
                group.create_task(self._retry_forever(self._questions.follow))
                group.create_task(self._retry_forever(self._audit.follow))
        except* Revoked as errors:
            logger.warning("%s Its last policy still applies here.", errors.exceptions[0])
            await run_in_thread(lambda: self._node.write(replace(self._membership, is_revoked=True)))

    async def _follow_updates(self) -> None:
        update = await self._client.fetch_update(self._membership.policy.version)
        while True:
            await self._apply_update(update)
            self._log_reconnected()
            update = await self._client.fetch_update(self._membership.policy.version, waits=True)

    async def _apply_update(self, update: NodeUpdate) -> None:
        """Applies the policy first, because the answers depend on it."""
        if update.policy is not UNSET:
            self._membership = replace(self._membership, policy=update.policy)
            await run_in_thread(lambda: self._node.write(self._membership))
            logger.info("the policy of the team %s has changed", update.tenant)
        self._audit.set_start(update.audit_size)
        await self._questions.apply_update(update)

    async def _retry_forever(self, work: Callable[[], Awaitable[None]]) -> None:
        """Repeats work that failed because the team couldn't be reached."""
        wait = _FIRST_RETRY_SECONDS
        while True:
            started = asyncio.get_running_loop().time()
            try:
                await work()
            except (Offline, BadAnswer, Conflict) as error:
                self._log_lost(error)
            if asyncio.get_running_loop().time() - started > _LONGEST_RETRY_SECONDS:
                wait = _FIRST_RETRY_SECONDS
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_RETRY_SECONDS)

    def _log_lost(self, why: Failure) -> None:
        if not self._is_offline:
            logger.warning("%s The team's last policy still applies.", why.message)
        self._is_offline = True

    def _log_reconnected(self) -> None:
        if self._is_offline:
            logger.warning("connected to %s again", self._membership.url)
        self._is_offline = False
