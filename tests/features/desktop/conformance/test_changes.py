"""Notifications about changes."""

import pytest

from tests.desktop_apps import texts
from tests.features.desktop.conformance.workbench import Workbench
from tests.waiting import PATIENCE

QUIET = 0.25
MANY = 100


async def test_a_change_is_heard_and_can_be_seen_then(bench: Workbench) -> None:
    changed = texts.CHANGED.format(await bench.changes() + 1)
    async with bench.desktop.changes(bench.window) as changes:
        await bench.press(texts.CHANGE_LATER)
        while not await bench.find(changed):
            assert await changes.next(PATIENCE), "nothing was heard"


async def test_new_elements_are_reported_and_removed_ones_are_noticed_at_the_next_look(bench: Workbench) -> None:
    async with bench.desktop.changes(bench.window) as changes:
        await bench.press(texts.ADD_LATER)
        while not await bench.find(texts.ADDED):
            assert await changes.next(PATIENCE), "nothing was heard of what came"
        await bench.press(texts.ADDED)
        looks = 0
        while await bench.find(texts.ADDED):
            await changes.next(QUIET)  # Qt says nothing of what it takes away
            looks += 1
            assert looks < MANY


@pytest.mark.parametrize("within", [0, QUIET])
async def test_a_window_where_nothing_happens_falls_silent(bench: Workbench, within: float) -> None:
    async with bench.desktop.changes(bench.window) as changes:
        events = [await changes.next(within) for _ in range(MANY) if within == 0] or [await changes.next(within)]
        for _ in range(MANY):
            if not events[-1]:
                break
            events.append(await changes.next(within))
    assert events[-1] is False


async def test_two_listeners_are_independent(bench: Workbench) -> None:
    changed = texts.CHANGED.format(await bench.changes() + 1)
    async with bench.desktop.changes(bench.window) as changes:
        async with bench.desktop.changes(bench.window):
            pass
        await bench.press(texts.CHANGE_LATER)
        while not await bench.find(changed):
            assert await changes.next(PATIENCE), "nothing was heard"
