"""Prompts of other programs that imitate an approval: none of them lets a call pass."""

import json
from functools import partial
from pathlib import Path

import pytest

from tests.persons import Person
from tests.redteam.test_scopes import put
from tests.wire.clients import Start, Up
from tests.wire.conftest import *  # noqa: F403 - its fixtures start real servers
from tests.wire.test_approval import waiting

HARMLESS = {"kind": "file_change_confirm", "title": "Enable dark mode?", "source": "handrail/write_to_file"}


def imitate(state: Path, request_id: str) -> None:
    """Writes to the log as any program may that follows its contract."""
    line = {"ts": "2026-01-01T00:00:00.000Z", "type": "ui_prompt", "requestId": request_id}
    with (state / "ui-prompts.jsonl").open("a") as log:
        log.write(json.dumps({**line, "action": "request", "prompt": HARMLESS}) + "\n")


@pytest.mark.parametrize("is_answered_first", [False, True], ids=["still waiting", "already answered"])
def test_answering_a_prompt_that_imitates_an_approval_allows_nothing(
    start: Start, own_project: Path, own_state: Path, is_answered_first: bool
) -> None:
    """The id is taken from a denied approval; the person then confirms something harmless."""
    client, person = start("stdio", own_project, own_state), Person(own_state)
    expected = put(client, "fresh.md")
    with waiting(partial(client.call, "write_to_file", expected)) as outcome:
        denied = person.answers("--cancel")["requestId"]
    assert outcome().code == "E_POLICY_VIOLATION"
    imitate(own_state, denied.rpartition("_")[0] + "_00000000")
    if is_answered_first:
        assert person.answers("--ok")["prompt"]["title"] == HARMLESS["title"]
    put(client, "fresh.md")
    with waiting(partial(client.call, "write_to_file", expected)) as outcome:
        if not is_answered_first:
            assert person.answers("--ok")["prompt"]["title"] == HARMLESS["title"]
        assert person.answers("--cancel")["prompt"]["path"] == "fresh.md"
    assert outcome().code == "E_POLICY_VIOLATION"
    assert not (own_project / "fresh.md").exists()


ONLY_OURS = ("scope", "consent", "offers", "runsLater", "critical", "bundle", "card", "parts")


def test_no_program_can_post_a_prompt_with_an_id_or_a_field_reserved_for_handrail(
    own_project: Path, own_state: Path
) -> None:
    up = Up(own_project, own_state)
    try:
        for name in ("approval_", "plan_", "ask_", "done_"):
            message = up.http.post("/api/prompts", json={"requestId": f"{name}1", "prompt": HARMLESS})
            assert message.status_code == 400, message.text
        for member in ONLY_OURS:
            message = up.http.post("/api/prompts", json={"prompt": {**HARMLESS, member: True}})
            assert message.status_code == 400, message.text
        assert Person(own_state).pending() == []
    finally:
        up.close()
