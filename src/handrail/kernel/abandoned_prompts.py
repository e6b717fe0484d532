"""Withdraws prompts whose callers have gone."""

import asyncio
import logging
import time
from collections.abc import Callable

from handrail.kernel.prompts.first_answer import try_withdraw
from handrail.kernel.queue_approver import APPROVAL_PREFIX, RETRY_WINDOW
from handrail.ports.errors import Failure
from handrail.ports.prompt_queue import PromptQueue

_LOOK_EVERY_SECONDS = 20.0

logger = logging.getLogger(__name__)


class AbandonedPrompts:
    """Withdraws prompts of approvals ten minutes after their caller has gone.

    Nothing records when a caller leaves, so the time starts when its absence is first noticed.
    """

    def __init__(self, queue: PromptQueue, clock: Callable[[], float] = time.monotonic) -> None:
        self._queue = queue
        self._clock = clock
        self._left_since: dict[str, float] = {}

    async def watch(self) -> None:
        """Runs until it is cancelled."""
        while True:
            try:
                await self.look()
            except Failure as failure:
                logger.warning("abandoned prompts can't be withdrawn: %s", failure.message)
            await asyncio.sleep(_LOOK_EVERY_SECONDS)

    async def look(self) -> None:
        now, left = self._clock(), dict[str, float]()
        approval_ids = [
            each.request_id for each in await self._queue.pending() if each.request_id.startswith(APPROVAL_PREFIX)
        ]
        origins = await self._queue.origins(approval_ids)
        approvals = [each for each in approval_ids if each in origins and origins[each].is_own]
        waiting = await self._queue.find_waiting(approvals)
        for request_id in approvals:
            if request_id in waiting:
                continue
            left[request_id] = self._left_since.get(request_id, now)
            if now - left[request_id] >= RETRY_WINDOW.total_seconds():
                await try_withdraw(self._queue, request_id)
                del left[request_id]
        self._left_since = left
