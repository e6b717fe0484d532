"""What acts on a window does so in the app that the policy allowed, on the window that was looked at."""

from collections.abc import Callable
from typing import Any

import pytest

from handrail.features.desktop.host.params import LONGEST_NAME
from handrail.ports.errors import Declined, NotFound
from tests.surfaces.desktop.scripted_host import NOWHERE, DesktopGate, ScriptedHost, window

pytestmark = pytest.mark.anyio

Open = Callable[..., DesktopGate]
ALLOWED = {"tool": "desktop_*", "app": "editor", "decision": "allow"}
DENIED = {"tool": "desktop_*", "app": "safe", "decision": "deny"}


def typing(*fronts: dict[str, Any]) -> ScriptedHost:
    host = ScriptedHost(*fronts)
    host.answers["desktop.hotkey"] = lambda params: {"sent": True}
    return host


async def test_what_is_allowed_in_one_app_is_not_done_in_another_that_came_to_the_front(opened: Open) -> None:
    gate = opened(typing(window("editor"), window("safe")), rules=[ALLOWED, DENIED])
    with pytest.raises(Declined) as refused:
        await gate.does("desktop_hotkey", keys=["enter"])
    assert refused.value.details["reason"] == "policy"
    assert [method for method, _ in gate.host.asked] == ["desktop.observe"] * 2


async def test_a_persons_yes_does_not_reach_an_app_that_a_rule_forbids(opened: Open) -> None:
    gate = opened(typing(window("other"), window("safe")), rules=[DENIED])
    with pytest.raises(Declined):
        await gate.does("desktop_hotkey", keys=["enter"])
    assert gate.host.got("desktop.hotkey") == []


async def test_a_yes_for_the_app_that_was_shown_is_enough(opened: Open) -> None:
    gate = opened(typing(window("editor"), window("other")))
    await gate.does("desktop_hotkey", keys=["enter"])
    assert [question.preview.app for question in gate.questions] == ["other"]
    assert len(gate.host.got("desktop.hotkey")) == 1


async def test_an_app_that_no_rule_allows_is_asked_about_when_it_comes_in_between(opened: Open) -> None:
    gate = opened(typing(window("editor"), window("other")), rules=[ALLOWED])
    await gate.does("desktop_hotkey", keys=["enter"])
    assert [question.preview.app for question in gate.questions] == ["other"]


async def test_without_any_window_nobody_is_asked(opened: Open) -> None:
    gate = opened(typing(NOWHERE))
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
async def test_keys_are_for_the_process_and_title_that_were_looked_at(opened: Open, title: str, pattern: str) -> None:
    gate = opened(typing(window("editor", title)), rules=[ALLOWED])
    await gate.does("desktop_hotkey", keys=["enter"])
    (sent,) = gate.host.got("desktop.hotkey")
    assert sent["route"]["app"] == {"bundleId": "editor", "pid": 7}
    assert sent["route"]["window"]["titlePattern"] == pattern
    assert len(pattern) <= LONGEST_NAME
