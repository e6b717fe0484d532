"""Reading a window's tree, and its limits."""

import pytest

from handrail.features.desktop.desktop_port import DesktopPort
from tests.desktop_apps import texts
from tests.features.desktop.conformance.grounds import Ground
from tests.features.desktop.conformance.workbench import Workbench, depth, nodes, window_of

EVERYTHING = {"max_depth": 100, "max_nodes": 100_000}
ROWS = 5_000


async def test_a_tree_has_every_widget_under_the_contracts_name_for_its_role(bench: Workbench) -> None:
    tree = await bench.desktop.tree(bench.window, **EVERYTHING)
    pairs = {(node.element.role, node.element.title) for node in nodes(tree)}
    assert tree.root.element.role == "AXWindow"
    assert tree.root.element.title == texts.TITLE
    assert {
        ("AXButton", texts.COUNT),
        ("AXCheckBox", texts.AGREE),
        ("AXTextField", texts.NAME),
        ("AXTextArea", texts.NOTES),
        ("AXButton", texts.FORBIDDEN),
        ("AXStaticText", texts.COUNTED.format(await bench.count())),
    } <= pairs
    assert "AXComboBox" in {role for role, _ in pairs}


async def test_a_whole_tree_is_counted_and_not_cut(bench: Workbench) -> None:
    tree = await bench.desktop.tree(bench.window, **EVERYTHING)
    everyone = nodes(tree)
    assert tree.count == len(everyone)
    assert not tree.is_cut
    assert not any(node.is_cut for node in everyone)
    assert len({node.element.handle for node in everyone}) == len(everyone)


async def test_a_tree_is_limited_in_depth_and_marks_where_it_was_cut(bench: Workbench) -> None:
    whole = await bench.desktop.tree(bench.window, **EVERYTHING)
    for limit in range(depth(whole.root)):
        tree = await bench.desktop.tree(bench.window, max_depth=limit, max_nodes=100_000)
        assert depth(tree.root) == limit
        assert tree.is_cut
        assert tree.count == len(nodes(tree))
        assert all(not node.children for node in nodes(tree) if node.is_cut)
        assert any(node.is_cut for node in nodes(tree))


@pytest.mark.parametrize("limit", [1, 2, 10])
async def test_a_tree_is_limited_in_nodes_and_marks_where_it_was_cut(bench: Workbench, limit: int) -> None:
    tree = await bench.desktop.tree(bench.window, max_depth=100, max_nodes=limit)
    assert tree.count == len(nodes(tree)) == limit
    assert tree.is_cut
    assert any(node.is_cut for node in nodes(tree))


async def test_elements_lie_on_the_screen_where_their_window_is(bench: Workbench) -> None:
    window = bench.ground.frame(bench.app)
    for title in (texts.COUNT, texts.AGREE, texts.NAME, texts.NOTES, texts.AREA):
        frame = (await bench.one(title)).frame
        assert frame is not None
        assert window.intersection(frame) == frame, title


async def test_a_disabled_element_can_be_told_from_the_others(bench: Workbench) -> None:
    assert "enabled" in (await bench.one(texts.COUNT, "AXButton")).states
    assert "enabled" not in (await bench.one(texts.FORBIDDEN, "AXButton")).states


async def test_visible_elements_are_marked_as_showing(bench: Workbench) -> None:
    for title in (texts.COUNT, texts.AGREE, texts.NAME, texts.NOTES, texts.AREA):
        assert "showing" in (await bench.one(title)).states, title


@pytest.mark.alone
async def test_a_window_of_ten_thousand_nodes_is_read_whole_or_in_part(ground: Ground, desktop: DesktopPort) -> None:
    app = ground.start("gtk3", "--rows", str(ROWS))
    window = await window_of(desktop, app)
    part = await desktop.tree(window, max_depth=100, max_nodes=2_000)
    assert part.count == 2_000
    assert part.is_cut
    whole = await desktop.tree(window, **EVERYTHING)
    assert whole.count > 2 * ROWS
    assert not whole.is_cut
    titles = {node.element.title for node in nodes(whole)}
    assert {texts.ROW.format(number) for number in range(ROWS)} <= titles
    ground.end(app)
