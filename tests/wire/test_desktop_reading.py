"""Contract 1 §4.3 to §4.5, §5.3, §5.4 and the selectors of the rulings: methods that only read."""

from typing import Any

import pytest

from handrail.features.desktop.desktop_port import Rect
from tests.scripted_desktop import READY, SCREEN, Widget
from tests.wire.desktop_rig import Bridge, DesktopRig, files_in, read_file, read_json

PNG = b"\x89PNG\r\n\x1a\n"


def size_of(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


async def test_observe_leaves_a_picture_and_the_tree(bridge: Bridge) -> None:
    result = await bridge.call("desktop.observe")
    assert result["routeResolved"]["frontmostBundleId"] == "org.example.Notes"
    assert result["routeResolved"]["windowTitle"] == "notes.txt – Notes"
    evidence = result["evidence"]
    assert (evidence["screenshotPath"], evidence["axPath"]) == ("observe.png", "ax.json")
    picture = read_file(result, "observe.png")
    assert picture.startswith(PNG)
    assert size_of(picture) == (SCREEN.width, SCREEN.height)
    root = read_json(result, "ax.json")["root"]
    assert root["role"] == "AXWindow"
    assert [child["title"] for child in root["children"][0]["children"]][:3] == ["Save", "Name:", ""]


async def test_observe_without_picture_or_tree_leaves_neither(bridge: Bridge) -> None:
    result = await bridge.call("desktop.observe", options={"includeScreenshot": False, "includeAxTree": False})
    assert set(result["evidence"]) == {"dir"}
    assert not files_in(result) & {"observe.png", "ax.json"}


async def test_the_tree_is_limited_in_depth_and_nodes_and_marked(desk: DesktopRig, bridge: Bridge) -> None:
    deep = desk.desktop.picture
    for number in range(20):
        deep.children = [Widget(f"h:deep-{number}", "AXGroup", f"Group {number}")]
        deep = deep.children[0]
    whole = await bridge.call("desktop.observe", options={"axMaxDepth": 50})
    assert whole["truncated"] is False
    usual = await bridge.call("desktop.observe")
    assert usual["truncated"] is True
    assert usual["nodeCount"] < whole["nodeCount"]
    few = await bridge.call("desktop.observe", options={"axMaxNodes": 3})
    assert (few["nodeCount"], few["truncated"]) == (3, True)


@pytest.mark.parametrize("selector", [{}, {"limit": 2}])
async def test_a_selector_that_names_nothing_finds_everything(bridge: Bridge, selector: dict[str, Any]) -> None:
    everything = await bridge.call("desktop.observe", options={"axMaxDepth": 50})
    result = await bridge.call("desktop.find", selector=selector)
    assert result["matched"] == everything["nodeCount"]
    assert len(result["elementRefs"]) == min(result["matched"], selector.get("limit", 10))


async def test_an_app_that_hangs_is_reported_as_hanging_and_worth_another_try(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.silenced.add(42)
    desk.desktop.front = "w:notes"
    for route in ({"route": {"app": {"name": "Notes"}}}, {}):
        error = await bridge.refused("desktop.find", **route, selector={"byRole": "AXButton"})
        assert (error["code"], error["retryable"]) == ("DESKTOP_TIMEOUT", True)
        assert "not responding" in error["message"]
        assert error["details"]["hanging"] == [42]


async def test_ten_thousand_nodes_are_read_and_bounded(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.picture.children = [Widget(f"h:{n}", "AXRow", f"Row {n}") for n in range(10_000)]
    result = await bridge.call("desktop.observe", options={"outline": True})
    assert result["nodeCount"] == 2_000
    assert len(result["outline"]) < 3_000
    outcome = await bridge.call("desktop.find", selector={"titleContains": "Row 99", "limit": 3})
    assert outcome["matched"] == 111
    assert len(outcome["elementRefs"]) == 3


async def test_a_picture_may_be_of_the_window_or_of_an_element(desk: DesktopRig, bridge: Bridge) -> None:
    window = await bridge.call("desktop.observe", options={"area": "window", "includeAxTree": False})
    assert (window["area"]["width"], window["area"]["height"]) == (300, 190)
    element = await bridge.call(
        "desktop.observe", options={"area": "element"}, target={"selector": {"titleContains": "Ask"}}
    )
    assert element["area"] == {"x": 150, "y": 100, "width": 60, "height": 20}
    assert size_of(read_file(element, "observe.png")) == (60, 20)


async def test_the_target_is_outlined_in_the_picture_where_asked_for(bridge: Bridge) -> None:
    target = {"selector": {"titleContains": "Ask"}}
    plain = await bridge.call("desktop.observe", target=target)
    outlined = await bridge.call("desktop.observe", target=target, options={"outlined": True})
    pictures = [read_file(one, "observe.png") for one in (plain, outlined)]
    assert pictures[0] != pictures[1]


async def test_the_outline_names_elements_that_can_be_acted_on_by_it(desk: DesktopRig, bridge: Bridge) -> None:
    outline = (await bridge.call("desktop.observe", options={"outline": True, "includeScreenshot": False}))["outline"]
    line = next(line for line in outline.splitlines() if '"Ask"' in line)
    name, role, *_ = line.split()
    assert role == "button"
    await bridge.act("desktop.click", target={"elementRef": {"elementId": name}})
    assert desk.desktop.sent == ["press h:ask"]


async def test_without_any_window_the_screen_can_still_be_seen(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.remove("w:notes")
    desk.desktop.remove("w:other")
    result = await bridge.call("desktop.observe")
    assert result["routeResolved"] == {"frontmostBundleId": "", "windowTitle": ""}
    assert read_json(result, "ax.json")["root"] is None
    error = await bridge.refused("desktop.find", selector={"byRole": "AXButton"})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"


async def test_find_gives_references_as_the_contract_has_them(bridge: Bridge) -> None:
    result = await bridge.call("desktop.find", selector={"byRole": "AXButton", "titleContains": "Ask"})
    (ref,) = result["elementRefs"]
    assert ref["elementId"].startswith("e:")
    assert ref["fingerprint"] == "AXButton|Ask|x=150,y=100,w=60,h=20"
    assert (ref["role"], ref["title"], ref["value"]) == ("AXButton", "Ask", None)
    assert ref["frame"] == {"x": 150, "y": 100, "width": 60, "height": 20}
    assert result["matched"] == 1
    assert result["evidence"]["axPath"] == "ax.json"


async def test_the_ax_file_of_find_holds_the_matches_with_their_ancestors(bridge: Bridge) -> None:
    result = await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    (match,) = read_json(result, "ax.json")["matches"]
    assert match["title"] == "Ask"
    assert [one["role"] for one in match["ancestors"]] == ["AXWindow", "AXGroup"]


async def test_the_same_element_keeps_its_name(bridge: Bridge) -> None:
    (one,) = await bridge.find(titleContains="Ask")
    others = await bridge.find(byRole="AXButton")
    assert one["elementId"] in {other["elementId"] for other in others}


async def test_nothing_found_is_an_empty_list(bridge: Bridge) -> None:
    result = await bridge.call("desktop.find", selector={"titleContains": "No such thing"})
    assert (result["elementRefs"], result["matched"]) == ([], 0)


async def test_roles_are_matched_by_either_name_and_texts_by_substring(bridge: Bridge) -> None:
    assert len(await bridge.find(byRole="AXButton")) == len(await bridge.find(byRole="button")) == 4
    assert [ref["title"] for ref in await bridge.find(titleContains="icTU")] == ["Picture"]


async def test_a_value_is_matched_by_substring(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.change(desk.desktop.name, value="hello world")
    assert [ref["value"] for ref in await bridge.find(valueContains="lo wo")] == ["hello world"]


async def test_the_default_limit_is_ten_and_the_number_of_matches_is_returned(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.picture.children = [Widget(f"h:{n}", "AXRow", f"Row {n}") for n in range(30)]
    result = await bridge.call("desktop.find", selector={"byRole": "AXRow"})
    assert (len(result["elementRefs"]), result["matched"]) == (10, 30)
    assert len(await bridge.find(byRole="AXRow", limit=2)) == 2


async def test_matches_are_ordered_by_exact_title_then_visible_then_enabled(desk: DesktopRig, bridge: Bridge) -> None:
    off = Widget("h:off", "AXButton", "Save", None, Rect(1, 1, 5, 5), frozenset({"showing", "visible"}), ("Click",))
    desk.desktop.picture.children = [off]
    handles = [
        (ref["title"], ref["frame"]["x"], ref["frame"]["width"]) for ref in await bridge.find(titleContains="Save")
    ]
    assert handles == [("Save", 10, 60), ("Save", 1, 5), ("Save", 0, 0), ("Save as…", 80, 60)]


async def test_by_rect_means_the_innermost_element_whose_middle_is_there(bridge: Bridge) -> None:
    first, *_ = await bridge.find(byRect={"x": 60, "y": 40, "width": 100, "height": 20})
    assert first["role"] == "AXTextField"
    assert await bridge.find(byRect={"x": 9_000, "y": 9_000, "width": 5, "height": 5}) == []


async def test_by_path_follows_child_indexes_from_the_window(bridge: Bridge) -> None:
    (ref,) = await bridge.find(byPath=[0, 2])
    assert ref["role"] == "AXTextField"
    assert ref["path"] == [0, 2]
    error = await bridge.refused("desktop.find", selector={"byPath": [0, 99]})
    assert error["code"] == "DESKTOP_PATH_NOT_FOUND"
    assert await bridge.find(byPath=[0, 2], byRole="AXButton") == []


async def test_near_finds_elements_close_to_an_anchor(bridge: Bridge) -> None:
    anchor = {"titleContains": "Name"}
    (field,) = await bridge.find(byRole="AXTextField", near={"anchor": anchor, "direction": "right"})
    assert field["role"] == "AXTextField"
    assert await bridge.find(byRole="AXTextField", near={"anchor": anchor, "direction": "left"}) == []
    below = await bridge.find(byRole="AXButton", near={"anchor": anchor, "direction": "below"})
    assert below[0]["title"] == "Save"
    assert await bridge.find(byRole="AXButton", near={"anchor": anchor, "maxDistance": 10}) == []


async def test_near_without_other_conditions_excludes_the_anchor_and_its_ancestors(bridge: Bridge) -> None:
    result = await bridge.find(near={"anchor": {"titleContains": "Name"}, "maxDistance": 45})
    assert [ref["role"] for ref in result] == ["AXTextField", "AXButton"]


async def test_a_missing_anchor_has_its_own_code(bridge: Bridge) -> None:
    error = await bridge.refused("desktop.find", selector={"near": {"anchor": {"titleContains": "nothing"}}})
    assert error["code"] == "DESKTOP_ANCHOR_NOT_FOUND"


@pytest.mark.parametrize(
    "app",
    [
        {"bundleId": "org.example.Other"},
        {"bundleId": "ORG.example.other"},
        {"desktopId": "other"},
        {"wmClass": "Other"},
        {"pid": 77},
    ],
)
async def test_a_route_names_the_app_by_any_of_its_names(bridge: Bridge, app: dict[str, Any]) -> None:
    result = await bridge.call("desktop.find", route={"app": app}, selector={"byRole": "AXWindow"})
    assert result["routeResolved"]["frontmostBundleId"] == "org.example.Other"
    assert [ref["title"] for ref in result["elementRefs"]] == ["Other"]


async def test_a_route_names_the_window_by_a_pattern(desk: DesktopRig, bridge: Bridge) -> None:
    second = Widget("h:second", "AXWindow", "second.txt – Notes", None, Rect(0, 0, 10, 10))
    second.children = [Widget("h:there", "AXButton", "There", None, Rect(1, 1, 2, 2), READY, ("Click",))]
    desk.desktop.add("w:second", second)
    route: dict[str, Any] = {"app": {"bundleId": "notes"}, "window": {"titlePattern": "^second"}}
    result = await bridge.call("desktop.find", route=route, selector={"byRole": "AXButton"})
    assert [ref["title"] for ref in result["elementRefs"]] == ["There"]
    assert result["routeResolved"]["windowTitle"] == "second.txt – Notes"


async def test_without_a_route_the_app_in_front_is_searched_and_no_other(desk: DesktopRig, bridge: Bridge) -> None:
    assert await bridge.find(titleContains="Other") == []
    second = Widget("h:second", "AXWindow", "A second window", None, Rect(0, 0, 10, 10))
    desk.desktop.add("w:second", second)
    assert [ref["title"] for ref in await bridge.find(titleContains="second")] == ["A second window"]


async def test_a_window_is_named_by_its_id_alone(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.add("w:twin", Widget("h:twin", "AXWindow", "Other"), app="org.example.Other", pid=78)
    windows = (await bridge.call("desktop.observe", options={"outline": True}))["windows"]
    twin = next(one for one in windows if one["pid"] == 78)
    seen = await bridge.call("desktop.observe", route={"window": {"id": twin["windowId"]}})
    assert seen["routeResolved"]["pid"] == 78


async def test_a_search_covers_every_process_of_an_app(desk: DesktopRig, bridge: Bridge) -> None:
    button = Widget("h:far", "AXButton", "Far", None, Rect(1, 1, 9, 9))
    twin = Widget("h:twin", "AXWindow", "Other", children=[button])
    desk.desktop.add("w:twin", twin, app="org.example.Other", pid=78)
    found = await bridge.call("desktop.find", route={"app": {"name": "other"}}, selector={"titleContains": "Far"})
    assert found["matched"] == 1


async def test_a_route_without_a_match_is_not_found_and_lists_the_windows(bridge: Bridge) -> None:
    error = await bridge.refused("desktop.observe", route={"app": {"bundleId": "com.apple.Safari"}})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    listed = [(one["app"], one["title"]) for one in error["details"]["windows"]]
    assert ("org.example.Notes", "notes.txt – Notes") in listed


async def test_highlight_outlines_the_element_on_the_screen_and_needs_no_confirmation(
    desk: DesktopRig, bridge: Bridge
) -> None:
    target = {"selector": {"titleContains": "Ask"}}
    assert (await bridge.call("desktop.highlight", target=target))["highlighted"] is True
    await bridge.call("desktop.highlight", target=target, durationMs=5)
    assert desk.desktop.sent == ["highlight 150,100 1200", "highlight 150,100 5"]
