"""Approvals as prompts of contract 5: what the person sees, and what reaches the log."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.persons import Person
from tests.wire.clients import Start
from tests.wire.stage import START, put_policy


def test_a_call_that_changes_no_file_shows_its_parameters_in_the_message(
    start: Start, own_project: Path, own_state: Path
) -> None:
    put_policy(own_project, [{"effect": "READ", "path": "notes.md", "decision": "ask"}])
    client, person = start("stdio", own_project, own_state), Person(own_state)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.ok, "read_file", path="notes.md", maxBytes=4321)
        question = person.answers("--ok")
    assert answer.result(30)["content"] == "# Notes\n"
    prompt = question["prompt"]
    assert prompt["kind"] == "file_change_confirm"
    assert prompt["source"] == "handrail/read_file"
    assert "diff" not in prompt
    assert "notes.md" in prompt["message"]
    assert "4321" in prompt["message"]


def test_invisible_characters_are_shown_in_approvals(start: Start, own_project: Path, own_state: Path) -> None:
    client, person = start("stdio", own_project, own_state), Person(own_state)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(
            client.error, "replace_in_file", path=START, find="beach", replace="be\u202eda\u200bch\x1b[2J"
        )
        question = person.answers("--cancel", "--remark", "what is that?")
    assert answer.result(30)["details"]["remark"] == "what is that?"
    for hidden in ("\u202e", "\u200b", "\x1b"):
        assert hidden not in question["prompt"]["diff"]
