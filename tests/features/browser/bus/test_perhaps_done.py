"""An action that was sent and may have been done is never reported as retryable."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from handrail.ports.errors import Failure
from tests.features.browser.bus.bench_bus import CLICK, LOOK, TASK, Stage
from tests.features.browser.bus.conftest import Play
from tests.features.browser.bus.test_dispatcher import begun

LATE = {"code": "PLUGIN_TIMEOUT_EXEC", "message": "execution timeout", "retryable": True}


async def unanswered(stage: Stage, acting: asyncio.Task[Any]) -> None:
    """Nothing comes back within its time."""


async def disconnected(stage: Stage, acting: asyncio.Task[Any]) -> None:
    plugin = stage.bus.plugins.get_or_add("p1")
    assert plugin.connection is not None
    stage.bus.plugins.disconnect("p1", plugin.connection)


async def stopped(stage: Stage, acting: asyncio.Task[Any]) -> None:
    task = await stage.bus.tasks.find(TASK)
    stage.bus.dispatcher.stop(task, "The task was stopped.")


async def late(stage: Stage, acting: asyncio.Task[Any]) -> None:
    plugin = stage.bus.plugins.get_or_add("p1")
    stage.answer({"id": next(iter(plugin.exchanges))}, status="error", error=LATE)


@pytest.mark.parametrize("end", [unanswered, disconnected, stopped, late])
@pytest.mark.parametrize("is_taken", [True, False])
def test_a_click_that_was_sent_is_not_retryable(end: Callable[..., Any], is_taken: bool, play: Play) -> None:
    async def scene(stage: Stage) -> Failure:
        line = stage.connect()
        acting = begun(stage, CLICK)
        await line.next()
        if is_taken:
            line.acknowledge()
        await end(stage, acting)
        with pytest.raises(Failure) as failed:
            await acting
        return failed.value

    failure = play(scene)
    assert failure.retryable is False
    assert failure.details["mayHaveBeenDone"] is True
    assert "may have been done" in failure.message
    assert failure.hint == "Look at the page with browser_page before doing it again."


def test_an_action_that_was_never_sent_may_be_retried(play: Play) -> None:
    async def scene(stage: Stage) -> Failure:
        stage.connect()
        first, second = begun(stage, CLICK), begun(stage, CLICK)
        await asyncio.sleep(0.5)
        await disconnected(stage, first)
        failures = await asyncio.gather(first, second, return_exceptions=True)
        assert isinstance(failures[1], Failure)
        return failures[1]

    failure = play(scene)
    assert failure.retryable is True
    assert "mayHaveBeenDone" not in failure.details


def test_a_read_may_be_tried_again(play: Play) -> None:
    async def scene(stage: Stage) -> Failure:
        line = stage.connect()
        acting = begun(stage, LOOK)
        await line.next()
        await disconnected(stage, acting)
        with pytest.raises(Failure) as failed:
            await acting
        return failed.value

    assert play(scene).retryable is True


def test_after_a_kill_the_click_is_not_retryable_either(play: Play) -> None:
    async def scene(stage: Stage) -> Failure | None:
        line = stage.connect()
        acting = begun(stage, CLICK)
        action_id = (await line.next())["id"]
        await stage.bus.start()  # as the next server does
        record = await stage.bus.actions.find(action_id)
        acting.cancel()
        await asyncio.gather(acting, return_exceptions=True)
        assert record is not None
        return record.failure

    failure = play(scene)
    assert failure is not None
    assert (failure.retryable, failure.details) == (False, {"mayHaveBeenDone": True})
