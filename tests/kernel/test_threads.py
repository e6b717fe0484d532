"""Blocking work in a thread: its result, its failure, and what becomes of it when the call is stopped."""

import asyncio
import threading

import anyio
import pytest

from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.ports.errors import NotFound
from handrail.ports.identity import Caller
from tests.kernel.gate_rig import AGENT, others


@pytest.fixture
def call() -> Call:
    return Call("look", {}, AGENT)


async def test_a_result_and_a_failure_come_back_as_they_are(call: Call) -> None:
    assert await in_thread(call, lambda: 7) == 7

    def fail() -> None:
        raise NotFound("nothing here")

    with pytest.raises(NotFound, match="nothing here"):
        await in_thread(call, fail)
    assert not call.is_aborted


async def test_the_loop_goes_on_meanwhile(call: Call) -> None:
    may_end = threading.Event()
    working = asyncio.create_task(in_thread(call, lambda: may_end.wait(10)))
    await others()
    assert not working.done()
    may_end.set()
    assert await working is True


async def test_a_stopped_call_waits_for_its_thread_however_often_it_is_stopped(call: Call) -> None:
    may_end = threading.Event()

    def work() -> None:
        assert may_end.wait(10)
        call.checkpoint()

    working = asyncio.create_task(in_thread(call, work))
    for _ in range(5):
        await others()
        working.cancel()
    await others()
    assert call.is_aborted
    assert not working.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await working


async def test_what_only_prepares_is_for_nothing_when_the_call_is_stopped(call: Call) -> None:
    may_end = threading.Event()
    working = asyncio.create_task(in_thread(call, lambda: may_end.wait(10)))
    await others()
    working.cancel()
    await others()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await working


async def test_what_is_done_when_the_call_is_stopped_counts_as_done(call: Call) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def work() -> str:
        call.checkpoint()
        has_begun.set()
        assert may_end.wait(10)
        return "done"

    working = asyncio.create_task(in_thread(call, work, is_final=True))
    assert await asyncio.to_thread(has_begun.wait, 10)
    working.cancel()
    await others()
    may_end.set()
    assert await working == "done"


async def test_a_stopped_call_does_not_keep_the_machine_busy_while_it_waits(call: Call) -> None:
    """Cancel scopes cancel again and again for as long as a task goes on."""
    may_end = threading.Event()
    loop = asyncio.get_running_loop()
    with anyio.CancelScope() as scope:
        loop.call_soon(scope.cancel)
        loop.call_later(0.1, may_end.set)
        selections = Selections(loop)
        await in_thread(call, lambda: may_end.wait(10))
    assert call.is_aborted
    assert selections.count < 100


class Selections:
    """How often the event loop looked for something to do."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.count = 0
        select = loop._selector.select  # type: ignore[attr-defined]

        def counted(timeout: float | None) -> object:
            self.count += 1
            return select(timeout)

        loop._selector.select = counted  # type: ignore[attr-defined]


async def test_a_caller_whose_work_hangs_holds_up_nobody_else(call: Call) -> None:
    may_end = threading.Event()
    hanging = [asyncio.create_task(in_thread(call, lambda: may_end.wait(10))) for _ in range(100)]
    await others()
    stranger = Call("look", {}, Caller("mcp", "another", "uid:1000", "agent:another"))
    async with asyncio.timeout(10):
        assert await asyncio.gather(*(in_thread(stranger, lambda: 7) for _ in range(100))) == [7] * 100
    may_end.set()
    assert all(await asyncio.gather(*hanging))
