"""A deadline ends the work it was made for, and nothing else; time that a person takes is not counted."""

import asyncio

import pytest

from handrail.kernel.deadline import Deadline
from handrail.ports.errors import Timeout

pytestmark = pytest.mark.anyio

FOREVER = 3600


async def test_work_that_takes_too_long_is_ended_and_the_rest_goes_on() -> None:
    async def work(limit_ms: int) -> str:
        async with Deadline(f"tool {limit_ms}", limit_ms):
            await asyncio.sleep(FOREVER)
        return "never"

    async def in_time() -> str:
        async with Deadline("quick", FOREVER * 1000):
            await asyncio.gather(*slow, return_exceptions=True)
        return "done"

    slow = [asyncio.create_task(work(limit)) for limit in (30, 10, 20)]
    assert await in_time() == "done"
    failures = [task.exception() for task in slow]
    assert [str(failure) for failure in failures if isinstance(failure, Timeout)] == [
        f"tool {limit} did not finish within {limit} ms." for limit in (30, 10, 20)
    ]


async def test_cancellation_by_others_is_not_reported_as_a_timeout() -> None:
    async def work() -> None:
        async with Deadline("tool", FOREVER * 1000):
            await asyncio.sleep(FOREVER)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_task_that_was_late_can_wait_again() -> None:
    with pytest.raises(Timeout):
        async with Deadline("tool", 1):
            await asyncio.sleep(FOREVER)
    async with Deadline("tool", FOREVER * 1000):
        await asyncio.sleep(0)
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0


async def test_an_inner_deadline_leaves_the_outer_one_alone() -> None:
    async with Deadline("outer", FOREVER * 1000):
        with pytest.raises(Timeout, match="inner"):
            async with Deadline("inner", 1):
                await asyncio.sleep(FOREVER)


async def test_no_time_passes_while_it_is_paused() -> None:
    async with Deadline("other", 5) as other, Deadline("tool", 5) as deadline, other.paused(), deadline.paused():
        with pytest.raises(Timeout):
            async with Deadline("longer than both", 20):
                await asyncio.sleep(FOREVER)
    with pytest.raises(Timeout, match="tool"):
        async with Deadline("tool", 5) as deadline:
            async with deadline.paused():
                await asyncio.sleep(0)
            await asyncio.sleep(FOREVER)


async def test_a_deadline_without_a_limit_never_passes() -> None:
    async with Deadline("tool", None) as deadline, deadline.paused():
        await asyncio.sleep(0)


def test_every_loop_has_its_own() -> None:
    async def late() -> None:
        async with Deadline("tool", 1):
            await asyncio.sleep(FOREVER)

    for _ in range(3):
        with pytest.raises(Timeout):
            asyncio.run(late())
