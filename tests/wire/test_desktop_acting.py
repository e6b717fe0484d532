"""Contract 1 §5.5 to §5.7 and the rulings on them: what actions send, to which target, and which effect they report."""

import asyncio
from typing import Any

import pytest

from handrail.features.desktop.desktop_port import Rect
from tests.scripted_desktop import READY, Widget
from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, error_of, files_in

ASK = {"selector": {"titleContains": "Ask"}}


async def test_a_click_by_reference_presses_this_element(desk: DesktopRig, bridge: Bridge) -> None:
    (ref,) = await bridge.find(titleContains="Save as")
    short = {"elementId": ref["elementId"], "fingerprint": ref["fingerprint"]}
    result = await bridge.call("desktop.click", confirm=PHRASE, target={"elementRef": short})
    assert result["clicked"] is True
    assert desk.desktop.sent == ["press h:save-as"]


async def test_a_click_takes_a_reference_as_find_gives_it(desk: DesktopRig, bridge: Bridge) -> None:
    (ref,) = await bridge.find(titleContains="Save as")
    await bridge.call("desktop.click", confirm=PHRASE, target={"elementRef": ref})
    assert desk.desktop.sent == ["press h:save-as"]


async def test_a_click_by_selector_presses_the_best_of_several(desk: DesktopRig, bridge: Bridge) -> None:
    result = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "save"}})
    assert desk.desktop.sent == ["press h:save"]
    assert result["element"]["title"] == "Save"


async def test_a_click_stores_a_screenshot_before_and_after(bridge: Bridge) -> None:
    result = await bridge.call("desktop.click", confirm=PHRASE, target=ASK)
    evidence = result["evidence"]
    assert (evidence["beforeScreenshot"], evidence["afterScreenshot"]) == ("before.png", "after.png")
    assert {"before.png", "after.png"} <= files_in(result)


async def test_a_click_that_hits_nothing_is_not_found(desk: DesktopRig, bridge: Bridge) -> None:
    error = await bridge.refused("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "nothing"}})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert "stale" not in error["details"]
    assert desk.desktop.sent == []


async def test_an_element_without_an_action_is_clicked_by_pointer_in_front(desk: DesktopRig, bridge: Bridge) -> None:
    route = {"app": {"bundleId": "other"}}
    desk.desktop._windows["w:other"][1].children = [Widget("h:dot", "AXImage", "Dot", None, Rect(1, 1, 9, 9))]
    result = await bridge.call(
        "desktop.click", confirm=PHRASE, route=route, target={"selector": {"titleContains": "Dot"}}
    )
    assert result["delivery"] == "pointer"
    assert desk.desktop.sent == ["front Other", "press h:dot"]


async def test_a_click_reports_delivery_and_its_effect(desk: DesktopRig, bridge: Bridge) -> None:
    result = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "save"}})
    assert result["effect"] == "seen"
    assert result["changed"] == [{"what": "title", "role": "AXButton", "title": "Saved", "from": "Save", "to": "Saved"}]
    nothing = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "save as"}})
    assert (nothing["clicked"], nothing["effect"], nothing["changed"]) == (True, "not_seen", [])


async def test_windows_opened_or_closed_by_a_click_are_reported(bridge: Bridge) -> None:
    result = await bridge.call("desktop.click", confirm=PHRASE, target=ASK)
    assert [(one["change"], one["title"], one["isModal"]) for one in result["changed"]] == [
        ("appeared", "Really?", True)
    ]
    second = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "OK"}})
    assert ("disappeared", "Really?") in [(one.get("change"), one.get("title")) for one in second["changed"]]


@pytest.mark.parametrize(
    ("params", "changed"),
    [
        ({"action": "move", "x": 7, "y": 8}, [("moved", {"x": 7, "y": 8, "width": 100, "height": 100})]),
        ({"action": "resize", "width": 9, "height": 8}, [("resized", {"x": 0, "y": 0, "width": 9, "height": 8})]),
        ({"action": "minimize"}, [("minimized", {"x": 0, "y": 0, "width": 100, "height": 100})]),
    ],
)
async def test_a_window_behind_others_is_changed_and_the_change_is_reported(
    bridge: Bridge, params: dict[str, Any], changed: list[Any]
) -> None:
    result = await bridge.call("desktop.window", confirm=PHRASE, route={"window": {"titlePattern": "Other"}}, **params)
    assert result["effect"] == "seen"
    assert [(one["change"], one["frame"]) for one in result["changed"] if one["title"] == "Other"] == changed


async def test_delayed_effects_of_a_click_are_reported(desk: DesktopRig, bridge: Bridge) -> None:
    def later() -> None:
        asyncio.get_running_loop().call_later(0.05, lambda: desk.desktop.change(desk.desktop.name, value="done"))

    desk.desktop.save_as.on_press = later
    result = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "Save as"}})
    assert [(one["what"], one["to"]) for one in result["changed"]] == [("value", "done")]


async def test_changed_states_and_added_or_removed_elements_are_reported(desk: DesktopRig, bridge: Bridge) -> None:
    box = desk.desktop.notes.children[0]

    def turn() -> None:
        box.children = [child for child in box.children if child is not desk.desktop.label]
        box.children.append(Widget("h:new", "AXStaticText", "Hello", None, Rect(1, 1, 5, 5)))
        desk.desktop.change(desk.desktop.ask, states=frozenset({"showing", "visible"}))

    desk.desktop.save_as.on_press = turn
    result = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "Save as"}})
    changes = {(one["what"], one.get("change"), one["title"]): one for one in result["changed"]}
    assert changes["state", None, "Ask"]["lost"] == ["enabled", "sensitive"]
    assert ("element", "appeared", "Hello") in changes
    assert ("element", "disappeared", "Name:") in changes


async def test_more_changes_than_anybody_reads_are_counted(desk: DesktopRig, bridge: Bridge) -> None:
    rows = [Widget(f"h:{n}", "AXRow", f"Row {n}") for n in range(100)]
    desk.desktop.save_as.on_press = lambda: desk.desktop.change(desk.desktop.picture, children=rows)
    result = await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "Save as"}})
    assert len(result["changed"]) == 31
    assert result["changed"][-1] == {"what": "more", "count": 70}


@pytest.mark.parametrize("change", [{"title": "Send all"}, {"role": "AXCheckBox"}])
async def test_an_element_that_became_another_is_stale_and_never_hit(
    desk: DesktopRig, bridge: Bridge, change: dict[str, str]
) -> None:
    (ref,) = await bridge.find(titleContains="Ask")
    desk.desktop.change(desk.desktop.ask, **change)
    error = await bridge.refused("desktop.click", confirm=PHRASE, target={"elementRef": ref})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert error["details"]["stale"] is True
    assert desk.desktop.sent == []


async def test_a_removed_element_is_stale_even_if_an_identical_one_replaces_it(
    desk: DesktopRig, bridge: Bridge
) -> None:
    (ref,) = await bridge.find(titleContains="Ask")
    box = desk.desktop.notes.children[0]
    twin = Widget("h:twin", "AXButton", "Ask", None, desk.desktop.ask.frame, READY, ("Click",))
    box.children = [twin if child is desk.desktop.ask else child for child in box.children]
    error = await bridge.refused("desktop.click", confirm=PHRASE, target={"elementRef": ref})
    assert error["details"]["stale"] is True
    assert desk.desktop.sent == []


async def test_an_element_that_only_moved_is_the_same(desk: DesktopRig, bridge: Bridge) -> None:
    (ref,) = await bridge.find(titleContains="Ask")
    desk.desktop.change(desk.desktop.ask, frame=Rect(5, 5, 60, 20))
    await bridge.call("desktop.click", confirm=PHRASE, target={"elementRef": ref})
    assert desk.desktop.sent == ["press h:ask"]


@pytest.mark.parametrize(
    "ref",
    [
        {"elementId": "e:999999"},
        {"elementId": "e:1", "fingerprint": "AXButton|Other|x=1,y=1,w=1,h=1"},
        {"elementId": "h:ask"},
    ],
)
async def test_an_unknown_reference_is_stale(desk: DesktopRig, bridge: Bridge, ref: dict[str, Any]) -> None:
    await bridge.find(titleContains="Ask")
    error = await bridge.refused("desktop.click", confirm=PHRASE, target={"elementRef": ref})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert error["details"]["stale"] is True
    assert desk.desktop.sent == []


async def test_an_element_whose_window_is_gone_is_stale(desk: DesktopRig, bridge: Bridge) -> None:
    (ref,) = await bridge.find(titleContains="Ask")
    desk.desktop.remove("w:notes")
    error = await bridge.refused("desktop.click", confirm=PHRASE, target={"elementRef": ref})
    assert error["details"]["stale"] is True


async def test_a_modal_window_blocks_clicks_behind_it(desk: DesktopRig, bridge: Bridge) -> None:
    (ref,) = await bridge.find(titleContains="Save as")
    desk.desktop.open_dialog()
    for target in ({"elementRef": ref}, {"selector": {"titleContains": "Save as"}}):
        error = await bridge.refused("desktop.click", confirm=PHRASE, target=target)
        assert error["code"] == "DESKTOP_MODAL_BLOCKING"
        assert error["details"]["modal"]["title"] == "Really?"
    route = {"window": {"titlePattern": "Notes$"}}
    error = await bridge.refused("desktop.hotkey", confirm=PHRASE, route=route, keys=["enter"])
    assert error["code"] == "DESKTOP_MODAL_BLOCKING"
    assert desk.desktop.sent == []
    await bridge.call("desktop.click", confirm=PHRASE, target={"selector": {"titleContains": "Cancel"}})
    assert desk.desktop.sent == ["press h:cancel"]


async def test_modals_are_listed_with_their_buttons(desk: DesktopRig, bridge: Bridge) -> None:
    assert (await bridge.call("desktop.listModals"))["modals"] == []
    desk.desktop.open_dialog()
    result = await bridge.call("desktop.listModals")
    (modal,) = result["modals"]
    assert (modal["title"], modal["app"]) == ("Really?", "org.example.Notes")
    assert [button["title"] for button in modal["buttons"]] == ["OK", "Cancel"]


@pytest.mark.parametrize(
    ("strategy", "step"),
    [
        ({"type": "defaultButton"}, "press h:ok"),
        ({"type": "byTitle", "titleContains": "cancel"}, "press h:cancel"),
        ({"type": "esc"}, "keys escape"),
    ],
)
async def test_a_modal_is_dismissed_as_its_strategy_says(
    desk: DesktopRig, bridge: Bridge, strategy: dict[str, str], step: str
) -> None:
    desk.desktop.open_dialog()
    error = await bridge.refused("desktop.dismissModal", strategy=strategy)
    assert (error["code"], error["details"]["reason"]) == ("DESKTOP_CONFIRM_REQUIRED", "missing")
    result = await bridge.act("desktop.dismissModal", strategy=strategy)
    assert result["dismissed"] is True
    assert result["effect"] == "seen"
    assert desk.desktop.sent == [step]


async def test_a_modal_whose_buttons_tell_no_default_gets_the_enter_key(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.open_dialog()
    ok = desk.desktop._widget("h:ok")
    assert ok is not None
    desk.desktop.change(ok, states=READY)
    await bridge.act("desktop.dismissModal", strategy={"type": "defaultButton"})
    assert desk.desktop.sent == ["keys enter"]


BY_DEFAULT = {"type": "defaultButton"}


async def shown_buttons(bridge: Bridge) -> dict[str, Any]:
    (modal,) = (await bridge.call("desktop.listModals"))["modals"]
    return {button["title"]: {"elementRef": button} for button in modal["buttons"]}


async def test_a_modal_is_dismissed_by_the_button_that_was_shown(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.open_dialog()
    buttons = await shown_buttons(bridge)
    await bridge.act("desktop.dismissModal", strategy=BY_DEFAULT, target=buttons["OK"])
    assert desk.desktop.sent == ["press h:ok"]


async def test_a_modal_is_dismissed_only_by_the_button_that_was_shown(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.open_dialog()
    buttons = await shown_buttons(bridge)
    ok = desk.desktop._widget("h:ok")
    assert ok is not None
    buttons["unknown"] = {"elementRef": {"elementId": "e:404"}}
    changes: list[tuple[str, dict[str, Any]]] = [("Cancel", {}), ("unknown", {}), ("OK", {"title": "Pay"})]
    for name, change in [*changes, ("OK", {"title": "OK", "states": READY})]:
        desk.desktop.change(ok, **change)
        error = await bridge.refused("desktop.dismissModal", confirm=PHRASE, strategy=BY_DEFAULT, target=buttons[name])
        assert (error["code"], error["details"]["stale"]) == ("DESKTOP_ELEMENT_NOT_FOUND", True)
    assert desk.desktop.sent == []


async def test_dismissing_a_missing_modal_is_not_found(desk: DesktopRig, bridge: Bridge) -> None:
    error = await bridge.refused("desktop.dismissModal", confirm=PHRASE, strategy={"type": "esc"})
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    desk.desktop.open_dialog()
    strategy = {"type": "byTitle", "titleContains": "Maybe"}
    error = await bridge.refused("desktop.dismissModal", confirm=PHRASE, strategy=strategy)
    assert error["details"]["buttons"] == ["OK", "Cancel"]


async def test_text_is_typed_into_the_target(desk: DesktopRig, bridge: Bridge) -> None:
    target = {"selector": {"byRole": "AXTextField"}}
    result = await bridge.call("desktop.typeText", confirm=PHRASE, target=target, text="añ世")
    assert result["typed"] is True
    assert (result["delivery"], result["verified"]) == ("keys", True)
    assert desk.desktop.name.value == "añ世"
    await bridge.call("desktop.typeText", confirm=PHRASE, target=target, text="b", options={"clearBefore": True})
    assert desk.desktop.name.value == "b"


async def test_text_without_a_target_goes_to_the_window_in_front(desk: DesktopRig, bridge: Bridge) -> None:
    assert (await bridge.call("desktop.typeText", confirm=PHRASE, text="x"))["typed"] is True
    assert desk.desktop.sent == ["type x"]


async def test_text_uses_the_selector_if_the_reference_is_stale(desk: DesktopRig, bridge: Bridge) -> None:
    target = {"elementRef": {"elementId": "e:404"}, "selector": {"byRole": "AXTextField"}}
    await bridge.call("desktop.typeText", confirm=PHRASE, target=target, text="x")
    assert desk.desktop.name.value == "x"
    alone = {"elementRef": {"elementId": "e:404"}}
    error = await bridge.refused("desktop.typeText", confirm=PHRASE, target=alone, text="x")
    assert error["details"]["stale"] is True


async def test_text_for_an_element_without_text_input_is_not_found(desk: DesktopRig, bridge: Bridge) -> None:
    target = {"selector": {"titleContains": "Picture"}}
    error = await bridge.refused("desktop.typeText", confirm=PHRASE, target=target, text="x")
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert desk.desktop.sent == []


async def test_a_million_characters_are_taken(desk: DesktopRig, bridge: Bridge) -> None:
    text = "x" * 1_000_000
    target = {"selector": {"byRole": "AXTextField"}}
    await bridge.call("desktop.typeText", confirm=PHRASE, target=target, text=text)
    assert desk.desktop.name.value == text


@pytest.mark.parametrize(
    ("keys", "steps"),
    [
        (["cmd", "v"], ["keys cmd+v"]),
        (["enter"], ["keys enter"]),
        (["cmd", "enter"], ["keys cmd+enter"]),
        (["Shift", "CTRL", "F5"], ["keys shift+ctrl+F5"]),
        (["cmd+v"], ["keys cmd+v"]),
        (["cmd+a", "cmd+c", "enter"], ["keys cmd+a", "keys cmd+c", "keys enter"]),
        (["ctrl++"], ["keys ctrl++"]),
        (["+"], ["keys +"]),
        (["super"], ["keys super"]),
    ],
)
async def test_keys_are_one_combination_or_a_sequence_of_them(
    desk: DesktopRig, bridge: Bridge, keys: list[str], steps: list[str]
) -> None:
    result = await bridge.call("desktop.hotkey", confirm=PHRASE, keys=keys, options={"delayMs": 0})
    assert result["sent"] is True
    assert desk.desktop.sent == steps


async def test_keys_for_another_window_bring_it_to_the_front_first(desk: DesktopRig, bridge: Bridge) -> None:
    route = {"app": {"bundleId": "other"}}
    await bridge.call("desktop.hotkey", confirm=PHRASE, route=route, keys=["a"])
    assert desk.desktop.sent == ["front Other", "keys a"]


async def test_one_of_several_windows_is_never_guessed(desk: DesktopRig, bridge: Bridge) -> None:
    for number in (78, 79):
        dot = Widget(f"h:dot{number}", "AXButton", "Dot", None, Rect(1, 1, 9, 9), actions=("Click",))
        twin = Widget(f"h:twin{number}", "AXWindow", "Twin", children=[dot])
        desk.desktop.add(f"w:twin{number}", twin, app="org.example.Twin", pid=number)
    route = {"app": {"name": "twin"}}
    calls: dict[str, dict[str, Any]] = {
        "desktop.hotkey": {"keys": ["a"]},
        "desktop.typeText": {"text": "a"},
        "desktop.click": {"target": {"selector": {"titleContains": "Dot"}}},
        "desktop.window": {"action": "close"},
    }
    listed: list[dict[str, Any]] = []
    for method, params in calls.items():
        error = await bridge.refused(method, confirm=PHRASE, route=route, **params)
        assert (error["code"], error["details"]["acted"]) == ("DESKTOP_ELEMENT_NOT_FOUND", False)
        listed = error["details"]["windows"]
        assert [one["pid"] for one in listed] == [78, 79]
    assert desk.desktop.sent == []
    chosen = {**route, "window": {"id": listed[1]["windowId"]}}
    await bridge.call("desktop.click", confirm=PHRASE, route=chosen, **calls["desktop.click"])
    assert desk.desktop.sent == ["press h:dot79"]


async def test_of_several_windows_the_one_in_front_is_meant(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.add("w:twin", Widget("h:twin", "AXWindow", "notes.txt – Notes"), pid=78)
    result = await bridge.call("desktop.hotkey", confirm=PHRASE, route={"app": {"name": "notes"}}, keys=["a"])
    assert (result["routeResolved"]["pid"], desk.desktop.sent) == (42, ["keys a"])


async def test_without_a_route_only_the_front_app_is_used(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.silenced.add(42)
    calls: dict[str, dict[str, Any]] = {
        "desktop.hotkey": {"keys": ["a"]},
        "desktop.typeText": {"text": "a"},
        "desktop.click": {"target": {"selector": {"byRole": "AXWindow"}}},
    }
    for method, params in calls.items():
        error = await bridge.refused(method, confirm=PHRASE, **params)
        assert (error["code"], error["details"]["acted"]) == ("DESKTOP_TIMEOUT", False)
    error = await bridge.refused("desktop.find", selector={"byRole": "AXWindow"})
    assert error["code"] == "DESKTOP_TIMEOUT"
    assert desk.desktop.sent == []


async def test_an_unreadable_front_window_is_not_replaced_by_another(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.front = "a window that is on no accessibility bus"
    error = await bridge.refused("desktop.hotkey", confirm=PHRASE, keys=["a"])
    assert error["code"] == "DESKTOP_ELEMENT_NOT_FOUND"
    assert {one["title"] for one in error["details"]["windows"]} == {"notes.txt – Notes", "Other"}
    result = await bridge.call("desktop.observe", options={"outline": True})
    assert (result["outline"], len(result["windows"])) == ("", 2)
    assert desk.desktop.sent == []


async def test_keys_only_go_to_the_intended_window(desk: DesktopRig, bridge: Bridge) -> None:
    route = {"app": {"bundleId": "other"}, "focusPolicy": "never"}
    calls: dict[str, dict[str, Any]] = {"desktop.hotkey": {"keys": ["a"]}, "desktop.typeText": {"text": "a"}}
    for method, params in calls.items():
        error = await bridge.refused(method, confirm=PHRASE, route=route, **params)
        assert error["code"] == "DESKTOP_INTERNAL_ERROR"
    assert desk.desktop.sent == []


async def test_a_window_is_always_brought_to_the_front_where_asked_for(desk: DesktopRig, bridge: Bridge) -> None:
    dot = Widget("h:dot", "AXButton", "Dot", None, Rect(1, 1, 9, 9), actions=("Click",))
    desk.desktop._windows["w:other"][1].children = [dot]
    for policy, steps in {"focusIfNeeded": ["press h:dot"], "always": ["front Other", "press h:dot"]}.items():
        desk.desktop.sent.clear()
        route = {"app": {"bundleId": "other"}, "focusPolicy": policy}
        target = {"selector": {"titleContains": "Dot"}}
        await bridge.call("desktop.click", confirm=PHRASE, route=route, target=target)
        assert desk.desktop.sent == steps


async def test_calls_that_act_in_one_workspace_run_one_after_the_other(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.hold_typing()
    first = bridge.send("desktop.typeText", confirm=PHRASE, text="ab")
    second = bridge.send("desktop.hotkey", confirm=PHRASE, keys=["enter"])
    other = await desk.connect()
    for method, params in {
        "desktop.health": {},
        "desktop.doctor": {},
        "desktop.find": {"selector": {"byRole": "AXButton"}},
        "desktop.observe": {},
    }.items():
        assert await other.call(method, **params)
    assert desk.desktop.sent == []
    desk.desktop.let_type(10)
    assert (await first)["result"]["typed"] is True
    assert (await second)["result"]["sent"] is True
    assert desk.desktop.sent == ["type a", "type b", "keys enter"]


async def test_two_workspaces_never_use_the_keyboard_at_once(desk: DesktopRig) -> None:
    elsewhere = desk.root / "elsewhere"
    elsewhere.mkdir()
    one, two = await desk.connect(), await desk.connect(elsewhere)
    desk.desktop.hold_typing()
    first = one.send("desktop.typeText", confirm=PHRASE, text="ab")
    await desk.acting()
    second = two.send("desktop.hotkey", confirm=PHRASE, keys=["enter"])
    await two.call("desktop.find", selector={"byRole": "AXButton"})
    assert desk.desktop.sent == []
    desk.desktop.let_type(10)
    assert "result" in await first
    assert "result" in await second
    assert desk.desktop.sent == ["type a", "type b", "keys enter"]


async def test_a_call_that_waits_for_its_turn_too_long_is_timed_out_and_never_sent(
    desk: DesktopRig, bridge: Bridge
) -> None:
    desk.desktop.hold_typing()
    first = bridge.send("desktop.typeText", confirm=PHRASE, text="a")
    late = bridge.send("desktop.hotkey", meta=bridge.meta(timeoutMs=50), confirm=PHRASE, keys=["enter"])
    error = error_of(await late)
    assert (error["code"], error["retryable"]) == ("DESKTOP_TIMEOUT", True)
    assert error["details"]["timeoutMs"] == 50
    assert error["details"]["acted"] is False
    desk.desktop.let_type(10)
    await first
    assert desk.desktop.sent == ["type a"]


async def test_a_hanging_app_times_out_only_its_own_call(desk: DesktopRig, bridge: Bridge) -> None:
    let_go = desk.desktop.hang()
    hanging = bridge.send("desktop.find", meta=bridge.meta(timeoutMs=100), selector={"byRole": "AXButton"})
    assert await bridge.call("desktop.health")
    error = error_of(await hanging)
    assert error["code"] == "DESKTOP_TIMEOUT"
    acting = await bridge.refused("desktop.click", meta=bridge.meta(timeoutMs=100), confirm=PHRASE, target=ASK)
    assert acting["code"] == "DESKTOP_TIMEOUT"
    desk.desktop.hanging = None
    let_go.set()
    assert (await bridge.call("desktop.find", selector={"byRole": "AXButton"}))["matched"] == 4
    assert desk.desktop.sent == []
