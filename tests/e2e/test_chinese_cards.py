"""What a person reads in Chinese, in a real Chromium: none of handrail's own sentences is in English."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.kernel.registry import surface_of
from handrail.wiring import Wiring
from tests.e2e.console_person import Browser
from tests.e2e.every_question import EveryQuestion
from tests.features.gateway.rig import SAY

_OWN_COMMANDS = {"take_changes", "discard_changes", "undo_write"}
"""Of people: they ask nobody."""
_SAME_PARTS = {"browser_action", "execute_command", "desktop_dismiss_modal"}
"""They need developer mode or an open dialog, and their questions are made of the same parts."""
_ENGLISH = re.compile(r"(?<![\w/.\\-])[A-Za-z][a-z']+(?:[ ,;:]+[a-z][a-z']*){2,}")


@pytest.fixture
def every_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EveryQuestion]:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HANDRAIL_CALL_PERSON", "false")
    monkeypatch.setenv("HANDRAIL_DESKTOP", "true")
    asking = EveryQuestion(tmp_path)
    yield asking
    asking.close()


@pytest.mark.trial("console", is_long=True)
def test_no_question_of_any_tool_has_an_english_sentence_of_ours(
    every_question: EveryQuestion, browser: Browser
) -> None:
    waiting = every_question.ask()
    entries = set(waiting)
    tools = [tool for feature in Wiring().features for tool in surface_of(feature).tools]
    asking = {tool.name for tool in tools if tool.preview} - _OWN_COMMANDS - _SAME_PARTS
    assert asking <= entries, "tools that ask and are not tried here"
    person = browser.person_at(every_question.rig, locale="zh-CN", at="inbox")
    cards = person.does("readCards", len(waiting))
    person.leaves()
    assert all(re.search(r"[一-鿿]", card) for card in cards)
    ours = [card.replace(SAY["description"], "") for card in cards]  # the MCP server's description of its tool
    assert not {match.group() for card in ours for match in _ENGLISH.finditer(card)}
