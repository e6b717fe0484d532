"""A frame of another place in an allowed page, in a real Chromium: it needs a permission of its own."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.effort import first_of
from tests.redteam.bank import Bank, Pages, serving
from tests.waiting import until
from tests.wire.browsing import Outcome

AROUND = """document.body.innerHTML = '<button id=own>Own</button>' +
  '<iframe src="{}" style="position:fixed;inset:40px 0 0 0;width:100%;height:90%"></iframe>';
document.querySelector("iframe").onload = ({{ target }}) => {{ target.focus(); swapped(); }};"""
ACTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a click at a point": ("browser_click", {"x": 200, "y": 200}),
    "a click on the frame": ("browser_click", {"xpath": "//iframe"}),
    "a key": ("browser_press_key", {"key": "Enter"}),
    "a text for what has the focus": ("browser_type", {"text": "secret"}),
    "a click on an element": ("browser_click", {"clickId": "Delete everything"}),
    "a text for a field": ("browser_type", {"clickId": "", "text": "secret"}),
    "the mouse over an element": ("browser_hover", {"clickId": "Delete everything"}),
    "a drag into it": ("browser_drag", {"xpath": "//button", "dx": 10, "dy": 200}),
}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    with serving() as site:
        bank = Bank(tmp_path_factory.mktemp("frames"), site)
        allowed = f'\n[[rules]]\neffect = "UI_CONTROL"\nplace = "{site.rstrip("/")}"\ndecision = "allow"\n'
        with (bank.state / "config.toml").open("a") as config:
            config.write(
                allowed + allowed.replace('effect = "UI_CONTROL"', 'tool = "browser_hover"').replace('"allow"', '"ask"')
            )
        yield bank
        bank.close()


def act(bank: Bank, name: str, source: str, answer: str) -> tuple[str, Outcome]:
    """Returns what a person was asked, if anything, and the outcome after this answer."""
    bank.opens(AROUND.format(source))
    until(Pages.is_swapped.is_set)
    tool, params = ACTS[name]
    if "clickId" in params:
        elements = (bank.agent.ok("browser_dom_index").result or {})["elements"]
        ids = {each["name"]: each["clickId"] for each in elements}
        params = {**params, "clickId": ids[params["clickId"]]}
    call = bank.begins(tool, **params)
    until(lambda: call.done() or bank.person.pending())
    question = "" if call.done() else json.dumps(bank.person.answers(answer)["prompt"])
    return question, call.result(60)


@pytest.mark.parametrize("name", first_of("swapped", *((name,) for name in ACTS), suite=2))
def test_a_frame_of_another_place_needs_a_permission_of_its_own(bank: Bank, name: str) -> None:
    question, outcome = act(bank, name, bank.elsewhere, "--cancel")
    assert question, outcome
    assert outcome.code == "FORBIDDEN", outcome
    assert Pages.sent == []


def test_a_person_may_allow_it(bank: Bank) -> None:
    question, outcome = act(bank, "a text for what has the focus", bank.elsewhere, "--ok")
    assert (question != "", outcome.error) == (True, None)
    assert sorted(each["key"] for each in Pages.sent if each.get("did") == "keydown") == sorted("secret")


def test_a_frame_of_the_same_place_needs_none(bank: Bank) -> None:
    question, outcome = act(bank, "a click at a point", bank.site + "elsewhere", "--cancel")
    assert (question, outcome.error) == ("", None)
    assert "click" in [each.get("did") for each in Pages.sent]


def test_the_question_names_the_place_of_the_frame_and_is_asked_once(bank: Bank) -> None:
    question, outcome = act(bank, "the mouse over an element", bank.elsewhere, "--ok")
    assert (question != "", outcome.error) == (True, None)
    assert "In a frame of" in question
    assert bank.elsewhere.removesuffix("/elsewhere") in question
