"""Turns: one at a time for each key, in order of arrival, and nothing is left of a key that nobody uses."""

import asyncio

import pytest

from handrail.kernel.lanes import Lanes
from tests.kernel.gate_rig import others
from tests.waiting import PATIENCE


class Stage:
    """People who want a turn; each stays until told to leave."""

    def __init__(self) -> None:
        self.lanes = Lanes()
        self.log: list[str] = []
        self._exits: dict[str, asyncio.Event] = {}

    async def take_turn(self, name: str, key: str | None) -> None:
        self._exits[name] = asyncio.Event()
        async with self.lanes.turn(key):
            self.log.append(name)
            await self._exits[name].wait()

    def leave(self, *names: str) -> None:
        for name in names:
            self._exits[name].set()


async def test_turns_of_one_key_are_taken_in_order_of_arrival() -> None:
    stage = Stage()
    async with asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(stage.take_turn(str(number), "task"))
        for number in range(100):
            await others()
            assert stage.log == [str(earlier) for earlier in range(number + 1)]
            stage.leave(str(number))


async def test_other_keys_and_no_key_wait_for_nobody() -> None:
    stage = Stage()
    async with asyncio.TaskGroup() as group:
        for name, key in (("a1", "a"), ("a2", "a"), ("b1", "b"), ("free1", None), ("free2", None)):
            group.create_task(stage.take_turn(name, key))
        await others()
        assert stage.log == ["a1", "b1", "free1", "free2"]
        stage.leave("a1", "b1", "free1", "free2")
        await others()
        assert stage.log[-1] == "a2"
        stage.leave("a2")


async def test_a_cancelled_turn_does_not_change_the_order_of_the_others() -> None:
    stage = Stage()
    tasks = {name: asyncio.create_task(stage.take_turn(name, "task")) for name in "abcd"}
    await others()
    tasks["b"].cancel()
    await others()
    stage.leave("a")
    await others()
    assert stage.log == ["a", "c"]
    stage.leave("c", "d")
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert stage.log == ["a", "c", "d"]


async def test_one_who_is_stopped_or_fails_during_a_turn_passes_it_on() -> None:
    stage = Stage()
    first = asyncio.create_task(stage.take_turn("first", "task"))
    second = asyncio.create_task(stage.take_turn("second", "task"))
    await others()
    first.cancel()
    await others()
    assert stage.log == ["first", "second"]
    stage.leave("second")
    await second

    async def fail() -> None:
        async with stage.lanes.turn("task"):
            raise RuntimeError("a fault")

    with pytest.raises(RuntimeError):
        await fail()
    async with asyncio.timeout(PATIENCE), stage.lanes.turn("task"):
        pass


async def test_nothing_is_remembered_of_keys_that_nobody_uses() -> None:
    lanes = Lanes()
    empty = len(vars(lanes)["_lanes"])
    for number in range(1000):
        async with lanes.turn(f"task {number}"):
            pass
    assert len(vars(lanes)["_lanes"]) == empty == 0
