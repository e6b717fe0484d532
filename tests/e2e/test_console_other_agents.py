"""Another agent in the chat: its tool calls and questions are shown like our own, and its work waits for review."""

from pathlib import Path

import pytest

from tests.e2e.console_person import Browser
from tests.features.agent.server.conftest import up
from tests.features.agent.server.test_other_agents import with_scripted_agent
from tests.persons import without_presence

QUESTION = ".prompt:not([hidden])"


@pytest.mark.trial("acp", is_long=True)
def test_each_call_is_shown_and_the_changes_wait_for_review(browser: Browser, tmp_path: Path) -> None:
    environment = with_scripted_agent(tmp_path)
    without_presence(tmp_path / "state")
    with up(tmp_path / "state", tmp_path / "project", None, **environment) as rig:
        person = browser.person_at(rig, at="chat")
        person.does("wait", ".model-switch")
        assert person.does("count", ".mode-switch") == 1
        person.does("pick", ".model-switch >> nth=0", "agent:codex")
        person.does("gone", ".mode-switch")  # it has no plan mode
        for number in (1, 2):
            person.does("fillIn", "textarea", "ask")
            person.does("key", "Enter")
            person.does("wait", f"{QUESTION} form[data-armed=true]")
            assert "Pause" not in person.does("text", ".talk-head")
            person.does("click", f"{QUESTION} button[type=submit]")
            person.does("wait", f".transcript :nth-match(:text('You chose once.'), {number})")
        assert person.does("count", ".tool-use") == 2
        assert person.does("text", ".tool-use .call-summary").split("\n") == ["rm -rf build", "done"]
        person.does("click", "text=Review changes")
        person.does("see", "Review")
