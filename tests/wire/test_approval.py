"""Who is asked, and what an answer does: the gate as a caller meets it."""

import json
from pathlib import Path

import pytest

from tests.wire.clients import Client, Json, Start, run
from tests.wire.stage import SCENE, START, put_policy

CHANGES: dict[str, Json] = {
    "write_to_file": {"path": START, "content": "new\n", "dryRun": False},
    "replace_in_file": {"path": START, "find": "beach", "replace": "city"},
}
FACES_AND_CLI = pytest.mark.parametrize("face", ["stdio", "streamable", "api", "cli"])


def looks_at_everything(client: Client) -> None:
    client.ok("list_files", path=".")
    client.ok("read_file", path=START)
    client.ok("search_files", path=".", regex="beach")
    client.ok("list_snapshots")
    client.ok("get_runtime_info")
    client.ok("write_to_file", **{**CHANGES["write_to_file"], "dryRun": True})


@FACES_AND_CLI
def test_with_the_answer_deny_reading_goes_on_and_changes_are_denied(
    start: Start, own_project: Path, own_state: Path, face: str
) -> None:
    client = start(face, own_project, own_state, answer="deny")
    looks_at_everything(client)
    for tool, params in CHANGES.items():
        error = client.error(tool, **params)
        assert error["code"] == "E_POLICY_VIOLATION"
        assert error["details"]["reason"] == "denied"
    assert (own_project / START).read_text() == SCENE
    assert client.ok("list_snapshots")["snapshots"] == []


@FACES_AND_CLI
def test_without_a_terminal_a_change_is_refused_with_a_hint_that_names_the_option(
    start: Start, own_project: Path, own_state: Path, face: str
) -> None:
    client = start(face, own_project, own_state)
    looks_at_everything(client)
    for tool, params in CHANGES.items():
        error = client.error(tool, **params)
        assert error["code"] == "E_POLICY_VIOLATION"
        assert "--answer" in error["hint"]
    assert (own_project / START).read_text() == SCENE


def test_an_ask_rule_asks_before_reading_too(start: Start, own_project: Path, own_state: Path) -> None:
    put_policy(own_project, [{"effect": "READ", "path": "notes.md", "decision": "ask"}])
    assert (
        start("cli", own_project, own_state, answer="deny").code("read_file", path="notes.md") == "E_POLICY_VIOLATION"
    )
    assert start("cli", own_project, own_state, answer="allow").ok("read_file", path="notes.md")


def test_what_must_be_asked_for_is_not_read_along_the_way(start: Start, own_project: Path, own_state: Path) -> None:
    written = start("cli", own_project, own_state, answer="allow").write("secret/plan.txt", "needle\n")
    put_policy(own_project, [{"effect": "READ", "path": "secret", "decision": "ask"}])
    client = start("stdio", own_project, own_state, answer="allow")
    assert client.ok("search_files", path=".", regex="needle")["matches"] == []
    assert client.code("restore_snapshot", snapshotId=written["snapshotId"]) == "E_POLICY_VIOLATION"
    assert "secret/" in client.ok("list_files", path=".")["entries"], "what may be asked for is no secret itself"
    assert len(client.ok("search_files", path="secret", regex="needle")["matches"]) == 1


def test_a_preset_answer_is_recorded_as_such(start: Start, own_project: Path, own_state: Path) -> None:
    client = start("cli", own_project, own_state, answer="allow")
    client.ok("replace_in_file", **CHANGES["replace_in_file"])
    shown = run("audit", "show", "--json", "--state", own_state)
    assert shown.returncode == 0, shown.stderr
    assert "--answer allow" in json.dumps(json.loads(shown.stdout))
