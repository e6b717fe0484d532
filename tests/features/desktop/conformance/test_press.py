"""Pressing elements, by their own action or with the pointer."""

from contextlib import suppress

import pytest

from handrail.features.desktop.desktop_port import Element
from handrail.ports.errors import Failure, PermissionMissing
from tests.desktop_apps import Toolkit, texts
from tests.features.desktop.conformance.workbench import Workbench, window_of
from tests.waiting import eventually


async def test_a_button_is_pressed_once_by_its_own_action(bench: Workbench) -> None:
    count = await bench.count()
    delivery = await bench.desktop.press(bench.window, await bench.one(texts.COUNT, "AXButton"))
    assert delivery.by.startswith("action:")
    await bench.wait_for(texts.COUNTED.format(count + 1))


async def test_a_box_is_checked_and_unchecked(bench: Workbench) -> None:
    box = await bench.one(texts.AGREE, "AXCheckBox")
    for _ in range(2):
        was = "checked" in (await bench.one(texts.AGREE, "AXCheckBox")).states
        await bench.desktop.press(bench.window, box)

        async def has_turned(before: bool = was) -> bool:
            now = await bench.desktop.read_element(box.handle)
            return now is not None and ("checked" in now.states) is not before

        await eventually(has_turned, "the box to turn")


async def test_elements_without_an_action_are_clicked_with_the_pointer(bench: Workbench) -> None:
    touches = await bench.touches()
    delivery = await bench.desktop.press(bench.window, await bench.one(texts.AREA))
    assert delivery.by == "pointer"
    await bench.wait_for(texts.TOUCHED.format(touches + 1))


async def test_two_clicks_in_a_row_are_two_clicks_and_no_double_click(bench: Workbench) -> None:
    touches, area = await bench.touches(), await bench.one(texts.AREA)
    await bench.desktop.press(bench.window, area)
    await bench.desktop.press(bench.window, area)
    await bench.wait_for(texts.TOUCHED.format(touches + 2))
    await bench.press(texts.COUNT)
    assert await bench.touches() == touches + 2


async def test_a_desktop_that_is_opened_right_after_a_click_makes_no_double_click_of_it(bench: Workbench) -> None:
    touches, area = await bench.touches(), await bench.one(texts.AREA)
    earlier = bench.ground.open()
    window = await window_of(earlier, bench.app)
    same = await Workbench(bench.ground, earlier, bench.app, window).one(texts.AREA)
    await earlier.press(window, same)
    app = bench.ground.open()
    await app.press(bench.window, area)
    await bench.press(texts.COUNT)
    await bench.wait_for(texts.TOUCHED.format(touches + 2))
    await earlier.close()
    await app.close()


async def test_a_click_reaches_its_window_even_if_another_one_covers_it(bench: Workbench, toolkit: Toolkit) -> None:
    touches = await bench.touches()
    frame = bench.ground.frame(bench.app)
    cover = bench.ground.app("gtk3" if toolkit != "gtk3" else "qt6")
    bench.ground.move(cover, frame.x, frame.y)
    above = await window_of(bench.desktop, cover)
    await eventually(lambda: bench.desktop.bring_to_front(above), "the other window to come to the front")
    await bench.desktop.press(bench.window, await bench.one(texts.AREA))

    async def is_touched() -> bool:
        """Presses twice if GTK 3 counts the previous test's click as the first of a double click."""
        return await bench.touches() > touches

    await eventually(is_touched, "the area to be touched")


async def test_partly_visible_elements_are_clicked_in_their_visible_part(bench: Workbench) -> None:
    touches = await bench.touches()
    before = bench.ground.frame(bench.app)
    bench.ground.move(bench.app, -before.width * 3 // 4, before.y)

    async def center() -> bool:
        area = await bench.one(texts.AREA)
        return area.frame is not None and area.frame.center[0] < 0

    await eventually(center, "most of the area to leave the screen")
    window = await window_of(bench.desktop, bench.app)
    await bench.desktop.press(window, await bench.one(texts.AREA))
    await bench.wait_for(texts.TOUCHED.format(touches + 1))
    bench.ground.move(bench.app, before.x, before.y)

    async def is_back() -> bool:
        return bench.ground.frame(bench.app).x >= 0

    await eventually(is_back, "the window to be back on the screen")


async def test_a_disabled_button_does_nothing(bench: Workbench) -> None:
    count = await bench.count()
    with suppress(Failure):
        delivery = await bench.desktop.press(bench.window, await bench.one(texts.FORBIDDEN, "AXButton"))
        assert not delivery.is_verified
    await bench.press(texts.COUNT)
    await bench.wait_for(texts.COUNTED.format(count + 1))


async def test_an_element_that_is_gone_is_not_pressed(bench: Workbench) -> None:
    await bench.press(texts.ADD_LATER)
    added = (await bench.wait_for(texts.ADDED)).element
    await bench.desktop.press(bench.window, added)

    async def is_gone() -> bool:
        return await bench.desktop.read_element(added.handle) is None

    await eventually(is_gone, "the added button to go")
    with pytest.raises(Failure):
        await bench.desktop.press(bench.window, added)


async def test_a_choice_is_made_in_a_list_that_drops_down(bench: Workbench, request: pytest.FixtureRequest) -> None:
    [box] = [one.element for one in await bench.find(role="AXComboBox")]
    chosen = (await bench.find(texts.CHOSEN.format("")))[0].element.title
    colour = next(one for one in texts.COLOURS if one not in chosen)
    await bench.desktop.press(bench.window, box)

    async def choices() -> list[Element]:
        matches = [one.element for one in await bench.find(colour)]
        return [one for one in matches if one.title == colour and one.frame is not None]

    [choice] = await eventually(choices, "the list to drop down")
    try:
        await bench.desktop.press(bench.window, choice)
    except PermissionMissing:  # on Wayland GTK 4 doesn't know where its list is: never the wrong choice, at least
        assert request.node.callspec.id == "sway-gtk4"
        await bench.desktop.press(bench.window, box)
        await bench.desktop.set_value(bench.window, box, colour)
    await bench.wait_for(texts.CHOSEN.format(colour))
