"""Contract 1 §5.8, §5.9: waits that end with events, and executions that are aborted."""

import asyncio
from typing import Any

import pytest

from tests.scripted_desktop import Widget
from tests.waiting import eventually
from tests.wire.desktop_rig import PHRASE, Bridge, DesktopRig, error_of, read_json

LATER = {"selectorExists": {"byRole": "AXButton", "titleContains": "Later"}}
LONG = 60_000


async def test_a_condition_that_is_already_met_is_answered_at_once(bridge: Bridge) -> None:
    condition = {"selectorExists": {"titleContains": "Ask"}}
    result = await bridge.call("desktop.waitUntil", condition=condition, timeoutMs=LONG, pollMs=60_000)
    assert (result["ok"], result["matched"]) == (True, 1)
    assert result["elapsedMs"] >= 0
    assert result["elementRefs"][0]["title"] == "Ask"
    (match,) = read_json(result, "ax.json")["matches"]
    assert [one["role"] for one in match["ancestors"]] == ["AXWindow", "AXGroup"]


async def test_an_event_ends_a_wait_long_before_the_next_look(desk: DesktopRig, bridge: Bridge) -> None:
    waiting = bridge.send("desktop.waitUntil", condition=LATER, timeoutMs=LONG, pollMs=60_000)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert (await waiting)["result"]["ok"] is True


async def test_unreported_changes_are_noticed_at_the_next_look(desk: DesktopRig, bridge: Bridge) -> None:
    waiting = bridge.send("desktop.waitUntil", condition=LATER, timeoutMs=LONG, pollMs=10)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.ask.title = "Later"
    assert (await waiting)["result"]["ok"] is True


async def test_a_wait_for_absence_ends_when_the_element_is_gone(desk: DesktopRig, bridge: Bridge) -> None:
    condition = {"selectorGone": {"titleContains": "Ask"}}
    waiting = bridge.send("desktop.waitUntil", condition=condition, timeoutMs=LONG)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.change(desk.desktop.ask, title="Done")
    result = (await waiting)["result"]
    assert (result["ok"], result["matched"], result["elementRefs"]) == (True, 0, [])


async def test_elements_are_gone_with_their_window(desk: DesktopRig, bridge: Bridge) -> None:
    route = {"window": {"titlePattern": "Notes$"}}
    condition = {"selectorGone": {"titleContains": "Ask"}}
    waiting = bridge.send("desktop.waitUntil", route=route, condition=condition, timeoutMs=LONG)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.remove("w:notes")
    assert (await waiting)["result"]["ok"] is True


@pytest.mark.parametrize("route", [{"window": {"titlePattern": "e"}}, {"app": {"pid": 42}}, None])
async def test_elements_of_a_hanging_app_are_not_reported_as_gone(
    desk: DesktopRig, bridge: Bridge, route: dict[str, Any] | None
) -> None:
    params: dict[str, Any] = {"condition": {"selectorGone": {"titleContains": "Ask"}}, "pollMs": 10}
    waiting = asyncio.ensure_future(bridge.send("desktop.waitUntil", timeoutMs=LONG, route=route, **params))
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.silenced.add(42)
    desk.desktop.report()
    beginning = {"window": {"titlePattern": "Notes$"}}
    late = await bridge.refused("desktop.waitUntil", timeoutMs=60, route=beginning, **params)
    assert late["code"] == "DESKTOP_TIMEOUT"
    assert not waiting.done()
    desk.desktop.silenced.clear()
    desk.desktop.change(desk.desktop.ask, title="Done")
    assert (await waiting)["result"]["ok"] is True


async def test_elements_of_a_hanging_app_are_gone_once_it_is_killed(desk: DesktopRig, bridge: Bridge) -> None:
    params: dict[str, Any] = {
        "condition": {"selectorGone": {"titleContains": "Ask"}},
        "route": {"app": {"bundleId": "notes"}},
    }
    waiting = bridge.send("desktop.waitUntil", timeoutMs=LONG, pollMs=10, **params)
    desk.desktop.silenced.add(42)
    desk.desktop.remove("w:notes")
    await bridge.call("desktop.health")
    desk.desktop.silenced.clear()
    assert (await waiting)["result"]["ok"] is True


async def test_a_wait_ends_when_a_value_contains_a_text(desk: DesktopRig, bridge: Bridge) -> None:
    condition = {"valueContains": {"selector": {"byRole": "AXTextField"}, "value": "Ready"}}
    waiting = bridge.send("desktop.waitUntil", condition=condition, timeoutMs=LONG)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.change(desk.desktop.name, value="not yet")
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.change(desk.desktop.name, value="it is ready now")
    assert (await waiting)["result"]["matched"] == 1


async def test_a_wait_may_be_for_a_window_that_is_not_there_yet(desk: DesktopRig, bridge: Bridge) -> None:
    route = {"app": {"bundleId": "org.example.Late"}}
    condition = {"selectorExists": {"byRole": "AXWindow"}}
    waiting = bridge.send("desktop.waitUntil", route=route, condition=condition, timeoutMs=LONG, pollMs=10)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.add("w:late", Widget("h:late", "AXWindow", "Late"), app="org.example.Late", pid=9)
    assert (await waiting)["result"]["matched"] == 1


@pytest.mark.parametrize("selector", [{"byPath": [0, 7]}, {"near": {"anchor": {"titleContains": "Later"}}}])
async def test_a_wait_can_start_before_its_window_exists(
    desk: DesktopRig, bridge: Bridge, selector: dict[str, Any]
) -> None:
    waiting = bridge.send("desktop.waitUntil", condition={"selectorExists": selector}, timeoutMs=LONG)
    await bridge.call("desktop.find", selector={"titleContains": "Ask"})
    desk.desktop.notes.children[0].children.append(Widget("h:more", "AXButton", "More"))
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert (await waiting)["result"]["ok"] is True


async def test_a_wait_that_is_never_over_is_timed_out_with_its_code(bridge: Bridge) -> None:
    error = await bridge.refused("desktop.waitUntil", condition=LATER, timeoutMs=50, pollMs=10)
    assert (error["code"], error["retryable"]) == ("DESKTOP_TIMEOUT", True)
    assert error["details"]["timeoutMs"] == 50


async def test_the_deadline_of_the_request_ends_a_wait_too(bridge: Bridge) -> None:
    error = await bridge.refused("desktop.waitUntil", meta=bridge.meta(timeoutMs=40), condition=LATER, timeoutMs=LONG)
    assert error["details"]["timeoutMs"] == 40


@pytest.mark.parametrize("condition", [LATER, {"selectorGone": {"titleContains": "Ask"}}])
async def test_the_deadline_is_hard_also_when_the_app_hangs(
    desk: DesktopRig, bridge: Bridge, condition: dict[str, Any]
) -> None:
    desk.desktop.hang()
    error = await bridge.refused("desktop.waitUntil", condition=condition, timeoutMs=60, pollMs=10)
    assert error["code"] == "DESKTOP_TIMEOUT"


async def test_everything_answers_while_a_wait_is_running(desk: DesktopRig, bridge: Bridge) -> None:
    waiting = bridge.send("desktop.waitUntil", condition=LATER, timeoutMs=LONG)
    assert await bridge.call("desktop.health")
    assert await bridge.call("desktop.doctor")
    assert await bridge.call("desktop.observe")
    assert await bridge.call("desktop.find", selector={"byRole": "AXButton"})
    assert await bridge.act("desktop.hotkey", keys=["enter"])
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert (await waiting)["result"]["ok"] is True


@pytest.mark.parametrize("known_by", ["requestId", "jsonrpc"])
async def test_a_wait_is_aborted_by_any_name_its_caller_knows(desk: DesktopRig, bridge: Bridge, known_by: str) -> None:
    meta = bridge.meta(requestId="the-request")
    waiting = bridge.send("desktop.waitUntil", id="the-id", meta=meta, condition=LATER, timeoutMs=LONG)
    name = "the-request" if known_by == "requestId" else "the-id"
    result = await bridge.call("desktop.abort", executionId=name)
    assert result["aborted"] is True
    error = error_of(await waiting)
    assert error["code"] == "DESKTOP_ABORTED"
    assert error["details"]["executionId"] == result["executionId"]
    assert desk.index()[-1] | {"ts": 0, "evidenceDir": 0} == {
        "ts": 0,
        "executionId": result["executionId"],
        "requestId": "the-request",
        "method": "desktop.waitUntil",
        "ok": False,
        "evidenceDir": 0,
        "errorCode": "DESKTOP_ABORTED",
    }


async def test_an_execution_is_aborted_by_its_execution_id_from_another_connection(desk: DesktopRig) -> None:
    one, two = await desk.connect(), await desk.connect()
    waiting = one.send("desktop.waitUntil", condition=LATER, timeoutMs=LONG)
    desk.desktop.hold_typing()
    typing = one.send("desktop.typeText", confirm=PHRASE, text="abc")
    running = await desk.acting()
    assert await two.call("desktop.abort", executionId=running) == {"aborted": True, "executionId": running}
    assert error_of(await typing)["code"] == "DESKTOP_ABORTED"
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert (await waiting)["result"]["ok"] is True


async def test_nothing_is_sent_once_abort_has_answered(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.hold_typing()
    desk.desktop.let_type(2)
    typing = bridge.send("desktop.typeText", id="typing", confirm=PHRASE, text="abcdef")
    await eventually(lambda: len(desk.desktop.sent) == 2)
    await bridge.call("desktop.abort", executionId="typing")
    desk.desktop.let_type(10)
    error = error_of(await typing)
    assert error["code"] == "DESKTOP_ABORTED"
    assert error["details"]["acted"] is True
    await bridge.call("desktop.health")
    assert desk.desktop.sent == ["type a", "type b"]


async def test_an_action_that_waits_for_its_turn_is_aborted_before_it_began(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.hold_typing()
    first = bridge.send("desktop.typeText", confirm=PHRASE, text="a")
    token = await bridge.token("desktop.hotkey", keys=["enter"])
    second = bridge.send("desktop.hotkey", id="second", confirm={"token": token}, keys=["enter"])
    await bridge.call("desktop.abort", executionId="second")
    error = error_of(await second)
    assert (error["code"], error["details"]["acted"]) == ("DESKTOP_ABORTED", False)
    desk.desktop.let_type(10)
    await first
    assert desk.desktop.sent == ["type a"]
    await bridge.call("desktop.hotkey", confirm={"token": token}, keys=["enter"])


@pytest.mark.parametrize("name", ["no-such", "e:1"])
async def test_aborting_an_unknown_execution_is_an_invalid_request(bridge: Bridge, name: str) -> None:
    error = await bridge.refused("desktop.abort", executionId=name)
    assert error["code"] == "DESKTOP_INVALID_REQUEST"


async def test_aborting_a_finished_execution_is_an_invalid_request(bridge: Bridge) -> None:
    result = await bridge.call("desktop.find", selector={"byRole": "AXButton"})
    error = await bridge.refused("desktop.abort", executionId=result["executionId"])
    assert error["code"] == "DESKTOP_INVALID_REQUEST"


async def test_an_execution_of_another_workspace_can_not_be_aborted(desk: DesktopRig) -> None:
    elsewhere = desk.root / "elsewhere"
    elsewhere.mkdir()
    one, two = await desk.connect(), await desk.connect(elsewhere)
    waiting = one.send("desktop.waitUntil", id="mine", condition=LATER, timeoutMs=LONG)
    assert (await two.refused("desktop.abort", executionId="mine"))["code"] == "DESKTOP_INVALID_REQUEST"
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert (await waiting)["result"]["ok"] is True
