"""Shows this node's pending approvals to its team, and passes the team's answers to the node's own queue."""

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
from handrail.ports.prompt_response import PromptResponse
from handrail.ports.prompts import FileChangePrompt

BY_TEAM = "team:"
_WITHDRAWN = PromptResponse(status="canceled")

logger = logging.getLogger(__name__)


class QuestionMirror:
    def __init__(self, queue: PromptQueue, client: TeamClient, tenant: str) -> None:
        self._queue = queue
        self._client = client
        self._tenant = tenant
        self._open: set[str] | None = None
        """The ids of the questions that the team shows; None before its first update."""
        self._lock = asyncio.Lock()

    async def apply_update(self, update: NodeUpdate) -> None:
        """Passes the team's answers to our queue, and reports those that it refuses."""
        async with self._lock:
            self._open = set(update.open)
            outcomes = [each for answer in update.answers if (each := await self._apply_answer(answer)) is not None]
            if outcomes:
                await self._client.settle(outcomes)
            await self._synchronize()

    async def follow(self) -> None:
        """Runs forever: reports every change of our queue."""
        start = (await self._queue.entries(limit=1)).position
        async for _ in self._queue.follow(start):
            async with self._lock:
                await self._synchronize()

    async def _synchronize(self) -> None:
        """Makes the team show exactly the approvals that are pending here."""
        if self._open is None:
            return
        waiting = {each.request_id: each for each in await self._own_pending()}
        if new := [each for id, each in waiting.items() if id not in self._open]:
            await self._client.ask([_to_node_question(each) for each in new])
            self._open.update(each.request_id for each in new)
        if closed := sorted(self._open - waiting.keys()):
            await self._client.settle(await self._outcomes(closed))
            self._open.difference_update(closed)

    async def _own_pending(self) -> list[QueuedPrompt]:
        approvals = [each for each in await self._queue.pending() if each.request_id.startswith(APPROVAL_PREFIX)]
        origins = await self._queue.origins([each.request_id for each in approvals]) if approvals else {}
        return [
            each
            for each in approvals
            if isinstance(each.prompt, FileChangePrompt)
            and each.prompt.card is not UNSET
            and (origin := origins.get(each.request_id)) is not None
            and origin.is_own
            and origin.shown in (None, shown_digest(each.request_id, each.prompt))
        ]

    async def _outcomes(self, request_ids: list[str]) -> list[NodeOutcome]:
        prompts, by = await self._queue.find_all(request_ids), await self._queue.answered_by(request_ids)
        outcomes = []
        for id in request_ids:
            answer = prompts[id].answer if id in prompts else None
            if answer is None:  # the queue lost it, or now shows it differently
                outcomes.append(NodeOutcome(request_id=id, response=_WITHDRAWN, by="handrail"))
            else:
                outcomes.append(NodeOutcome(request_id=id, response=answer.response, by=by.get(id, "")))
        return outcomes

    async def _apply_answer(self, answer: NodeAnswer) -> NodeOutcome | None:
        """Returns why our queue refused it; None if it took it, or was already answered."""
        prompt = await self._queue.find(answer.request_id)
        if prompt is None or not prompt.is_pending:
            return None
        try:
            if shown_digest(answer.request_id, _without_images(prompt)) != answer.shown:
                raise Conflict("The team was shown something else.")
            await self._queue.respond(
                answer.request_id,
                answer.response,
                by=", ".join(BY_TEAM + name for name in answer.by),
                proof=TeamProof(self._tenant, answer.by),
            )
        except Failure as failure:
            prompt = await self._queue.find(answer.request_id)
            if prompt is not None and prompt.is_pending:
                logger.warning("an answer of the team was not taken: %s", failure.message)
                return NodeOutcome(request_id=answer.request_id, refused=failure.message)
        return None


def _to_node_question(prompt: QueuedPrompt) -> NodeQuestion:
    return NodeQuestion(request_id=prompt.request_id, prompt=_without_images(prompt))


def _without_images(queued: QueuedPrompt) -> FileChangePrompt:
    """The team doesn't get pictures."""
    assert isinstance(queued.prompt, FileChangePrompt)
    return replace(queued.prompt, images=UNSET)
