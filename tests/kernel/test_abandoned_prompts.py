"""Approvals whose callers went, over the real queue and a clock of the test's own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from handrail.kernel.abandoned_prompts import AbandonedPrompts
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.kernel.queue_approver import APPROVAL_PREFIX, RETRY_WINDOW
from handrail.ports.prompt_queue import OWN_ORIGIN, AnswerChannel
from handrail.ports.prompts import FileChangePrompt
from handrail.stores.local.prompt_store import prompt_store

TEN_MINUTES = RETRY_WINDOW.total_seconds()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def prompts(state: Path) -> AsyncIterator[LogPromptQueue]:
    queue = LogPromptQueue(prompt_store(state))
    try:
        yield queue
    finally:
        await queue.close()


async def pending(queue: LogPromptQueue) -> list[str]:
    return [entry.request_id for entry in await queue.pending()]


async def test_an_approval_that_nobody_waits_for_stands_for_ten_minutes(tmp_path: Path) -> None:
    clock = Clock()
    async with prompts(tmp_path) as queue:
        left = AbandonedPrompts(queue, clock)
        await queue.request(FileChangePrompt(path="a"), request_id=APPROVAL_PREFIX + "1", origin=OWN_ORIGIN)
        await queue.request(FileChangePrompt(path="a"), request_id="a-program's-own")
        await left.look()
        clock.now = TEN_MINUTES - 1
        await left.look()
        assert len(await pending(queue)) == 2
        clock.now = TEN_MINUTES
        await left.look()
        assert await pending(queue) == ["a-program's-own"]
        assert (await queue.wait(APPROVAL_PREFIX + "1")).response.status == "timeout"


async def test_the_time_begins_anew_when_a_caller_has_come_back(tmp_path: Path) -> None:
    clock = Clock()
    async with prompts(tmp_path) as queue:
        left = AbandonedPrompts(queue, clock)
        request_id = await queue.request(
            FileChangePrompt(path="a"), request_id=APPROVAL_PREFIX + "1", origin=OWN_ORIGIN
        )
        await left.look()
        is_waiting = asyncio.Event()

        async def note() -> None:
            is_waiting.set()

        waiting = asyncio.ensure_future(queue.wait(request_id, channels=[AnswerChannel("test", note)]))
        await is_waiting.wait()
        clock.now = TEN_MINUTES
        await left.look()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await left.look()
        assert await pending(queue) == [request_id]
        clock.now = 2 * TEN_MINUTES
        await left.look()
        assert await pending(queue) == []
