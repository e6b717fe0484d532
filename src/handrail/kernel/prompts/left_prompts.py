"""Approvals that nobody waits for any more: each stands for ten minutes after its caller went, then it is withdrawn.

When a caller went stands nowhere, so the time begins when its absence is first seen.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from handrail.kernel.queue_approver import KEPT, PREFIX, withdraw
from handrail.ports.errors import Failure
from handrail.ports.prompts import PromptQueue

_LOOK_EVERY_SECONDS = 20.0

logger = logging.getLogger(__name__)


class LeftPrompts:
    def __init__(self, queue: PromptQueue, clock: Callable[[], float] = time.monotonic) -> None:
        self._queue = queue
        self._clock = clock
        self._left_since: dict[str, float] = {}

    async def watch(self) -> None:
        """Without end."""
        while True:
            try:
                await self.look()
            except Failure as failure:
                logger.warning("prompts that nobody waits for can't be withdrawn: %s", failure.message)
            await asyncio.sleep(_LOOK_EVERY_SECONDS)

    async def look(self) -> None:
        now, left = self._clock(), dict[str, float]()
        approvals = [each.request_id for each in await self._queue.pending() if each.request_id.startswith(PREFIX)]
        waiting = await self._queue.still_waiting(approvals)
        for request_id in approvals:
            if request_id in waiting:
                continue
            left[request_id] = self._left_since.get(request_id, now)
            if now - left[request_id] >= KEPT.total_seconds():
                await withdraw(self._queue, request_id)
                del left[request_id]
        self._left_since = left
