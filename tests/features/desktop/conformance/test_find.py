"""Finding elements in a window, and their paths."""

import pytest

from tests.desktop_apps import texts
from tests.features.desktop.conformance.workbench import Workbench, nodes
from tests.waiting import eventually


async def test_an_element_is_found_by_the_contracts_role_and_by_the_toolkits_own(bench: Workbench) -> None:
    button = await bench.one(texts.COUNT, "AXButton")
    assert button.role == "AXButton"
    assert await bench.one(texts.COUNT, button.native_role) == button
    assert texts.AGREE not in [one.element.title for one in await bench.find(role="AXButton")]


@pytest.mark.parametrize("spelling", ["open dialog", "OPEN DIALOG", "n dia"])
async def test_a_title_is_found_by_any_part_of_it_in_any_case(bench: Workbench, spelling: str) -> None:
    assert [one.element.title for one in await bench.find(spelling, "AXButton")] == [texts.OPEN_DIALOG]


@pytest.mark.parametrize("pattern", ["Count.*", "^Count", "C?unt", "Count|Agree", "%"])
async def test_a_title_is_matched_literally(bench: Workbench, pattern: str) -> None:
    assert not await bench.find(pattern)


async def test_an_element_is_found_by_its_value(bench: Workbench) -> None:
    await bench.empty(texts.NAME, texts.NOTES)
    field = await bench.one(texts.NAME)
    await bench.desktop.type_text(bench.window, field, "Straße 42", clear_before=True)
    await bench.wait_for_value(texts.NAME, "Straße 42")
    for spelling in ("straße 42", "STRAßE", "e 4"):
        assert field.handle in [one.element.handle for one in await bench.find(value=spelling)]


async def test_nothing_is_found_where_one_of_the_conditions_fails(bench: Workbench) -> None:
    assert not await bench.find(texts.COUNT, "AXSlider")
    assert not await bench.find("no such title")
    assert not await bench.find(texts.COUNT, "AXButton", "no such value")
    assert not await bench.find(role="AXNoSuchRole")


async def test_matches_come_in_the_order_of_the_tree_and_are_all_there(bench: Workbench) -> None:
    tree = await bench.desktop.tree(bench.window, max_depth=100, max_nodes=100_000)
    for role in ("AXButton", "AXStaticText", "AXTextField"):
        expected = [node.element.handle for node in nodes(tree) if node.element.role == role]
        assert [one.element.handle for one in await bench.find(role=role)] == expected
    rows = [one.element.title for one in await bench.find(texts.ROW.format(""))]
    assert rows == [texts.ROW.format(number) for number in range(5)]


async def test_a_match_knows_the_way_to_it_from_its_window(bench: Workbench) -> None:
    button = await bench.find_one(texts.COUNT, "AXButton")
    assert button.ancestors[0].handle == bench.window.handle
    assert len(button.ancestors) == len(button.path) > 0
    again = await bench.desktop.element_at_path(bench.window, button.path)
    assert again is not None
    assert again.element.handle == button.element.handle
    assert [one.handle for one in again.ancestors] == [one.handle for one in button.ancestors]


async def test_a_path_that_leads_nowhere_finds_nothing(bench: Workbench) -> None:
    for path in ([999], [0, 999], [-1], [2**31], [0] * 200):
        assert await bench.desktop.element_at_path(bench.window, path) is None
    window = await bench.desktop.element_at_path(bench.window, [])
    assert window is not None
    assert window.element.handle == bench.window.handle


async def test_new_elements_are_found_and_removed_ones_are_not(bench: Workbench) -> None:
    assert not await bench.find(texts.ADDED)
    await bench.press(texts.ADD_LATER)
    added = (await bench.wait_for(texts.ADDED)).element
    assert await bench.desktop.read_element(added.handle) is not None
    await bench.desktop.press(bench.window, added)

    async def is_gone() -> bool:
        return not await bench.find(texts.ADDED) and await bench.desktop.read_element(added.handle) is None

    await eventually(is_gone, "the added button to go")


async def test_a_look_shows_an_element_as_it_is_now(bench: Workbench) -> None:
    count = await bench.count()
    label = await bench.one(texts.COUNTED.format(count))
    await bench.press(texts.COUNT)

    async def has_counted() -> bool:
        now = await bench.desktop.read_element(label.handle)
        return now is not None and now.title == texts.COUNTED.format(count + 1)

    await eventually(has_counted, "the label to count")
