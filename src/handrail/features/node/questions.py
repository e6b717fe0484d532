"""The approvals that this node waits for, at its team: asked there too, and answered in the node's own queue."""

from __future__ import annotations

import asyncio
import logging

from msgspec import UNSET
from msgspec.structs import replace

from handrail.features.node.client import TeamClient
from handrail.kernel.prompts.shown_digest import shown_digest
from handrail.kernel.queue_approver import APPROVAL_PREFIX
from handrail.ports.errors import Conflict, Failure
from handrail.ports.node import NodeAnswer, NodeOutcome, NodeQuestion, NodeUpdate
from handrail.ports.presence import TeamProof
from handrail.ports.prompt_queue import PromptQueue, QueuedPrompt
from handrail.ports.prompts import FileChangePrompt, PromptResponse

BY_TEAM = "team:"
_WITHDRAWN = PromptResponse(status="canceled")

logger = logging.getLogger(__name__)


class Questions:
    def __init__(self, queue: PromptQueue, client: TeamClient, tenant: str) -> None:
        self._queue = queue
        self._client = client
        self._tenant = tenant
        self._open: set[str] | None = None
        """What the team shows; None before it has said so."""
        self._turn = asyncio.Lock()

    async def take(self, news: NodeUpdate) -> None:
        """Gives the team's answers to our own queue, and tells it what is not as it knows it."""
        async with self._turn:
            self._open = set(news.open)
            refused = [each for answer in news.answers if (each := await self._answered(answer)) is not None]
            if refused:
                await self._client.settle(refused)
            await self._level()

    async def follow(self) -> None:
        """Without end: whatever changes in our own queue is told."""
        start = (await self._queue.entries(limit=1)).position
        async for _ in self._queue.follow(start):
            async with self._turn:
                await self._level()

    async def _level(self) -> None:
        """The team shows what waits here, and nothing else."""
        if self._open is None:
            return
        waiting = {each.request_id: each for each in await self._own_pending()}
        if new := [each for id, each in waiting.items() if id not in self._open]:
            await self._client.ask([_question(each) for each in new])
            self._open.update(each.request_id for each in new)
        if gone := sorted(self._open - waiting.keys()):
            await self._client.settle(await self._outcomes(gone))
            self._open.difference_update(gone)

    async def _own_pending(self) -> list[QueuedPrompt]:
        named = [each for each in await self._queue.pending() if each.request_id.startswith(APPROVAL_PREFIX)]
        origins = await self._queue.origins([each.request_id for each in named]) if named else {}
        return [
            each
            for each in named
            if isinstance(each.prompt, FileChangePrompt)
            and each.prompt.card is not UNSET
            and (origin := origins.get(each.request_id)) is not None
            and origin.is_own
            and origin.shown in (None, shown_digest(each.request_id, each.prompt))
        ]

    async def _outcomes(self, request_ids: list[str]) -> list[NodeOutcome]:
        found, by = await self._queue.find_all(request_ids), await self._queue.answered_by(request_ids)
        outcomes = []
        for id in request_ids:
            answer = found[id].answer if id in found else None
            if answer is None:  # the queue has lost it, or shows it otherwise than it was asked
                outcomes.append(NodeOutcome(request_id=id, response=_WITHDRAWN, by="handrail"))
            else:
                outcomes.append(NodeOutcome(request_id=id, response=answer.response, by=by.get(id, "")))
        return outcomes

    async def _answered(self, answer: NodeAnswer) -> NodeOutcome | None:
        """Why our queue did not take it; None where it did, or has another."""
        found = await self._queue.find(answer.request_id)
        if found is None or not found.is_pending:
            return None
        try:
            if shown_digest(answer.request_id, _mirrored(found)) != answer.shown:
                raise Conflict("The team was shown something else.")
            await self._queue.respond(
                answer.request_id,
                answer.response,
                by=", ".join(BY_TEAM + name for name in answer.by),
                proof=TeamProof(self._tenant, answer.by),
            )
        except Failure as refused:
            found = await self._queue.find(answer.request_id)
            if found is not None and found.is_pending:
                logger.warning("an answer of the team was not taken: %s", refused.message)
                return NodeOutcome(request_id=answer.request_id, refused=refused.message)
        return None


def _question(waiting: QueuedPrompt) -> NodeQuestion:
    return NodeQuestion(request_id=waiting.request_id, prompt=_mirrored(waiting))


def _mirrored(waiting: QueuedPrompt) -> FileChangePrompt:
    """As the team sees it: pictures stay here."""
    assert isinstance(waiting.prompt, FileChangePrompt)
    return replace(waiting.prompt, images=UNSET)
