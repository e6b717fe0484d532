"""Actions happen in the app that the policy allowed, on the window that was previewed."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from handrail.features.desktop.host.params import LONGEST_NAME
from handrail.features.desktop.tool_list import TOOLS
from handrail.kernel.digest import digest
from handrail.ports.errors import Declined, InvalidParams, NotFound
from handrail.ports.tokens import TokenScope
from tests.features.desktop.tools.scripted_host import NOWHERE, DesktopGate, ScriptedHost, window

pytestmark = pytest.mark.anyio

Open = Callable[..., DesktopGate]
ALLOWED = {"tool": "desktop_*", "app": "editor", "decision": "allow"}
DENIED = {"tool": "desktop_*", "app": "safe", "decision": "deny"}


def typing(*fronts: dict[str, Any]) -> ScriptedHost:
    host = ScriptedHost(*fronts)
    host.answers["desktop.hotkey"] = lambda params: {"sent": True}
    return host


async def test_keys_allowed_for_one_app_are_addressed_to_it_even_if_another_comes_to_the_front(open_gate: Open) -> None:
    gate = open_gate(typing(window("editor"), window("safe")), rules=[ALLOWED, DENIED])
    await gate.does("desktop_hotkey", keys=["enter"])
    assert [method for method, _ in gate.host.asked] == ["desktop.locate", "desktop.hotkey"]
    (request,) = gate.host.params_of("desktop.hotkey")
    assert request["route"]["app"]["bundleId"] == "editor"


async def test_a_forbidden_app_is_denied_without_a_question(open_gate: Open) -> None:
    gate = open_gate(typing(window("safe")), rules=[DENIED])
    with pytest.raises(Declined) as refused:
        await gate.does("desktop_hotkey", keys=["enter"])
    assert refused.value.details["reason"] == "policy"
    assert gate.questions == []
    assert gate.host.params_of("desktop.hotkey") == []


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("desktop_clipboard", {"action": "write"}),
        ("desktop_window", {"action": "move"}),
        ("desktop_pointer", {"gesture": "drag", "target": {"point": {"x": 1, "y": 1}}}),
    ],
)
async def test_a_call_that_the_host_would_refuse_asks_nobody(
    open_gate: Open, tool: str, params: dict[str, Any]
) -> None:
    gate = open_gate(typing(window("editor")))
    with pytest.raises(InvalidParams):
        await gate.does(tool, **params)
    assert gate.questions == []
    assert gate.host.asked == []


async def test_a_refusal_by_the_host_names_the_callers_own_parameter(open_gate: Open) -> None:
    host, field = typing(window("editor")), "params.intent.params.keys"
    host.answers["desktop.locate"] = InvalidParams(f"{field}: 'down', 'enter' are several keys.", field=field)
    with pytest.raises(InvalidParams) as refused:
        await open_gate(host).does("desktop_hotkey", keys=["down", "enter"])
    assert refused.value.message.startswith("params.keys: ")
    assert refused.value.details["field"] == "params.keys"


async def test_an_approval_applies_to_the_app_that_was_shown(open_gate: Open) -> None:
    gate = open_gate(typing(window("editor"), window("other")))
    await gate.does("desktop_hotkey", keys=["enter"])
    assert [question.preview.app for question in gate.questions] == ["editor"]
    (request,) = gate.host.params_of("desktop.hotkey")
    assert request["route"]["app"]["bundleId"] == "editor"


async def test_the_host_gets_a_token_for_exactly_the_request_that_is_sent(open_gate: Open) -> None:
    gate = open_gate(typing(window("editor")))
    await gate.does("desktop_hotkey", keys=["enter"])
    (request,) = gate.host.params_of("desktop.hotkey")
    token = request.pop("confirm")["pass"]
    assert gate.rig.tokens.issued == {token: TokenScope("the host", "desktop.hotkey", digest(request))}
    assert gate.rig.tokens.consumed == []


async def test_an_app_that_no_rule_allows_is_asked_about(open_gate: Open) -> None:
    gate = open_gate(typing(window("other")), rules=[ALLOWED])
    await gate.does("desktop_hotkey", keys=["enter"])
    assert [question.preview.app for question in gate.questions] == ["other"]


async def test_without_a_window_no_question_is_asked(open_gate: Open) -> None:
    gate = open_gate(typing(NOWHERE))
    with pytest.raises(NotFound):
        await gate.does("desktop_hotkey", keys=["enter"])
    assert gate.questions == []


@pytest.mark.parametrize(
    ("title", "pattern"),
    [
        ("a.txt", r"^a\.txt$"),
        ("x" * (LONGEST_NAME - 2), f"^{'x' * (LONGEST_NAME - 2)}$"),
        ("." * LONGEST_NAME, "^" + r"\." * 499),
        ("x" * LONGEST_NAME, "^" + "x" * 499),
    ],
)
async def test_keys_are_for_the_process_and_title_that_were_looked_at(
    open_gate: Open, title: str, pattern: str
) -> None:
    gate = open_gate(typing(window("editor", title)), rules=[ALLOWED])
    await gate.does("desktop_hotkey", keys=["enter"])
    (request,) = gate.host.params_of("desktop.hotkey")
    assert request["route"]["app"] == {"bundleId": "editor", "pid": 7}
    assert request["route"]["window"]["titlePattern"] == pattern
    assert len(pattern) <= LONGEST_NAME


def test_the_list_of_tools_is_short_for_a_model() -> None:
    """2,500 tokens, at four characters per token."""
    tools = [{"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in TOOLS]
    assert len(msgspec.json.encode(tools)) <= 4 * 2_500
