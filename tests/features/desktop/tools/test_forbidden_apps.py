"""An app that a rule forbids: callers learn neither its content nor its window titles, and can't guess them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from handrail.features.desktop.host.conditions import ElementNotFound, StaleElement
from handrail.ports.errors import Declined, NotFound, Timeout
from tests.features.desktop.tools.scripted_host import NOWHERE, DesktopGate, ScriptedHost, window

pytestmark = pytest.mark.anyio

Open = Callable[..., DesktopGate]
DENIED = {"effect": "READ", "app": "safe", "decision": "deny"}
WINDOWS = [
    {"app": "editor", "title": "Notes", "windowId": "w:1"},
    {"app": "safe", "title": "The secret", "windowId": "w:2"},
]
WAIT: dict[str, Any] = {"condition": {"selectorExists": {"titleContains": "x"}}, "timeoutMs": 10}
LATE = Timeout("The condition did not come true.")


def waiting(outcome: Timeout | None, *fronts: dict[str, Any]) -> ScriptedHost:
    host = ScriptedHost(*fronts)
    host.answers["desktop.waitUntil"] = outcome or (lambda params: {"ok": True, "routeResolved": fronts[-1]})
    return host


async def test_a_forbidden_app_is_not_waited_for(open_gate: Open) -> None:
    gate = open_gate(waiting(LATE, window("safe")), rules=[DENIED])
    with pytest.raises(Declined) as refused:
        await gate.does("desktop_wait_until", **WAIT)
    assert refused.value.details["reason"] == "policy"
    assert gate.host.params_of("desktop.waitUntil") == []


@pytest.mark.parametrize("outcome", [LATE, None])
async def test_a_forbidden_app_that_came_to_the_front_is_denied_however_the_wait_ended(
    open_gate: Open, outcome: Timeout | None
) -> None:
    gate = open_gate(waiting(outcome, window("editor"), window("safe")), rules=[DENIED])
    with pytest.raises(Declined):
        await gate.does("desktop_wait_until", **WAIT)


async def test_a_window_that_is_not_there_yet_is_waited_for(open_gate: Open) -> None:
    gate = open_gate(waiting(None, NOWHERE, window("editor")), rules=[DENIED])
    assert (await gate.does("desktop_wait_until", **WAIT)).result.ok is True


async def test_an_unmet_wait_is_reported(open_gate: Open) -> None:
    gate = open_gate(waiting(LATE, NOWHERE), rules=[DENIED])
    with pytest.raises(Timeout):
        await gate.does("desktop_wait_until", **WAIT)
    assert gate.questions == []


@pytest.mark.parametrize("tool", ["desktop_find", "desktop_highlight", "desktop_click"])
async def test_not_even_absence_is_revealed_about_a_forbidden_app(open_gate: Open, tool: str) -> None:
    host = ScriptedHost(window("safe"))
    missing = ElementNotFound("The selector fits no element.", route=window("safe"))

    def located(params: dict[str, Any]) -> dict[str, Any]:
        if "intent" in params:
            raise missing
        return {"routeResolved": window("safe")}

    host.answers.update({"desktop.locate": located, "desktop.find": missing, "desktop.highlight": missing})
    sought: dict[str, Any] = {"selector": {"titleContains": "x"}}
    gate = open_gate(host, rules=[{"tool": "desktop_*", "app": "safe", "decision": "deny"}])
    with pytest.raises(Declined):
        await gate.does(tool, **(sought if tool == "desktop_find" else {"target": sought}))


async def test_absence_is_reported_for_apps_that_may_be_read(open_gate: Open) -> None:
    host = ScriptedHost(window("editor"))
    host.answers["desktop.locate"] = ElementNotFound("The selector fits no element.", route=window("editor"))
    gate = open_gate(host, rules=[DENIED])
    with pytest.raises(NotFound):
        await gate.does("desktop_click", target={"selector": {"titleContains": "x"}})
    assert gate.questions == []


async def test_a_stale_reference_is_reported_for_any_front_window(open_gate: Open) -> None:
    host = ScriptedHost(window("safe"))
    host.answers["desktop.highlight"] = StaleElement("e:1 is gone.")
    with pytest.raises(NotFound):
        await open_gate(host, rules=[DENIED]).does("desktop_highlight", target={"elementRef": {"elementId": "e:1"}})


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([], ["Notes", "The secret"]),
        ([DENIED], ["Notes"]),
        ([{**DENIED, "decision": "ask"}], ["Notes"]),
        ([{"effect": "READ", "decision": "ask"}], ["Notes", "The secret"]),
        ([{"effect": "READ", "app": "editor", "decision": "ask"}], ["Notes", "The secret"]),
    ],
)
async def test_windows_of_apps_with_a_stricter_rule_are_not_listed(
    open_gate: Open, rules: list[dict[str, str]], message: list[str]
) -> None:
    host = ScriptedHost(window("editor"))
    host.answers["desktop.observe"] = lambda params: {"routeResolved": window("editor"), "windows": WINDOWS}
    reply = await open_gate(host, rules=rules).does("desktop_observe")
    assert [one["title"] for one in reply.result.windows] == message
    text = reply.text or ""
    assert [one["title"] for one in WINDOWS if f"other window {json.dumps(one['title'])}" in text] == message


async def test_a_refusal_names_no_windows_of_a_forbidden_app(open_gate: Open) -> None:
    host = ScriptedHost(window("editor"))
    host.answers["desktop.find"] = ElementNotFound("No window fits the route.", windows=WINDOWS)
    with pytest.raises(NotFound) as refused:
        await open_gate(host, rules=[DENIED]).does("desktop_find", selector={"titleContains": "x"})
    assert refused.value.details["windows"] == WINDOWS[:1]
