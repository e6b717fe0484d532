"""Cancelled calls send nothing more, and leave no key pressed."""

import asyncio

import pytest

from handrail.features.desktop.desktop_port import KeyCombination
from tests.desktop_apps import texts
from tests.features.desktop.conformance.workbench import Workbench
from tests.waiting import eventually

MANY = 500


@pytest.mark.trial("toolkits", is_long=True)
async def test_cancelled_keys_end_where_they_are_and_none_stays_down(bench: Workbench) -> None:
    await bench.empty(texts.NAME)
    await bench.focus(texts.NAME)
    sending = asyncio.create_task(
        bench.desktop.send_keys(bench.window, [KeyCombination(("shift",), "a")] * MANY, delay_ms=20)
    )

    async def has_begun() -> bool:
        return len(await bench.value(texts.NAME)) > 2

    await eventually(has_begun, "the first keys")
    await _cancel(sending)
    assert not bench.ground.has_pressed_keys()

    await bench.desktop.send_keys(bench.window, [KeyCombination((), "z")], delay_ms=0)

    async def has_ended() -> bool:
        return (await bench.value(texts.NAME)).endswith("z")

    await eventually(has_ended, "the key after them")
    value = await bench.value(texts.NAME)
    assert value == "A" * (len(value) - 1) + "z"
    assert len(value) < MANY


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5, 8])
async def test_cancelled_typing_types_all_of_it_or_nothing_and_nothing_later(bench: Workbench, steps: int) -> None:
    await bench.empty(texts.NAME)
    field = await bench.one(texts.NAME)
    typing = asyncio.create_task(bench.desktop.type_text(bench.window, field, "wanted no more", clear_before=False))
    for _ in range(steps):
        await asyncio.sleep(0)
    await _cancel(typing)
    assert not bench.ground.has_pressed_keys()

    await bench.desktop.type_text(bench.window, field, "z", clear_before=False)

    async def has_ended() -> bool:
        return (await bench.value(texts.NAME)).endswith("z")

    await eventually(has_ended, "the text after it")
    assert await bench.value(texts.NAME) in ("z", "wanted no morez")


async def test_a_cancelled_press_leaves_the_pointer_free(bench: Workbench) -> None:
    area = await bench.one(texts.AREA)
    for steps in range(6):
        pressing = asyncio.create_task(bench.desktop.press(bench.window, area))
        for _ in range(steps):
            await asyncio.sleep(0)
        await _cancel(pressing)
        assert not bench.ground.has_pressed_keys()
    touches = await bench.touches()
    await bench.desktop.press(bench.window, area)
    await bench.wait_for(texts.TOUCHED.format(touches + 1))


async def _cancel(task: "asyncio.Task[object]") -> None:
    task.cancel()
    await asyncio.wait([task])
