"""Who is asked, and what an answer does, as a caller sees the gate."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.effort import first_of
from tests.persons import Person
from tests.wire.clients import FACES, Client, Json, Outcome, Start, run
from tests.wire.stage import SCENE, START, put_policy

CHANGES: dict[str, Json] = {
    "write_to_file": {"path": START, "content": "new\n", "dryRun": False},
    "replace_in_file": {"path": START, "find": "beach", "replace": "city"},
}
FACES_AND_CLI = pytest.mark.parametrize(
    "face", first_of("faces", ("stdio",), ("streamable",), ("api",), ("cli",), suite=2)
)


def looks_at_everything(client: Client) -> None:
    client.ok("list_files", path=".")
    client.ok("read_file", path=START)
    client.ok("search_files", path=".", regex="label")
    client.ok("list_snapshots")
    client.ok("get_runtime_info")
    client.ok("write_to_file", **{**CHANGES["write_to_file"], "dryRun": True})


@FACES_AND_CLI
def test_with_the_answer_deny_reads_work_and_changes_are_denied(
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


@contextmanager
def waiting(call: Callable[[], Outcome]) -> Iterator[Callable[[], Outcome]]:
    """A call that waits for a person, who may answer inside the block; the outcome is available afterwards."""
    with ThreadPoolExecutor(1) as threads:
        outcome = threads.submit(call)
        yield lambda: outcome.result(timeout=30)


@FACES_AND_CLI
def test_a_change_waits_for_a_persons_approval_in_the_queue(
    start: Start, own_project: Path, own_state: Path, face: str
) -> None:
    client, person = start(face, own_project, own_state), Person(own_state)
    for tool, removed in (("replace_in_file", "beach"), ("write_to_file", "city")):
        looks_at_everything(client)
        before = (own_project / START).read_text()
        with waiting(partial(client.call, tool, CHANGES[tool])) as outcome:
            prompt = person.sees()["prompt"]
            assert (own_project / START).read_text() == before
            person.answers("--ok")
        assert outcome().error is None
        assert (prompt["kind"], prompt["path"], prompt["source"]) == ("file_change_confirm", START, f"handrail/{tool}")
        assert any(removed in line for line in prompt["diff"].split("\n") if line.startswith("-"))
        assert (own_project / START).read_text() != before


@FACES_AND_CLI
def test_a_persons_no_with_its_remark_reaches_the_caller(
    start: Start, own_project: Path, own_state: Path, face: str
) -> None:
    client, person = start(face, own_project, own_state), Person(own_state)
    with waiting(partial(client.call, "replace_in_file", CHANGES["replace_in_file"])) as outcome:
        person.answers("--cancel", "--remark", "keep the beach")
    error = outcome().error
    assert error is not None
    assert (error["code"], error["details"]["reason"]) == ("E_POLICY_VIOLATION", "denied")
    assert error["details"]["remark"] == "keep the beach"
    assert (own_project / START).read_text() == SCENE


@pytest.mark.parametrize("face", FACES)
def test_always_allow_is_not_asked_for_again(start: Start, own_project: Path, own_state: Path, face: str) -> None:
    client, person = start(face, own_project, own_state), Person(own_state)
    with waiting(partial(client.call, "replace_in_file", CHANGES["replace_in_file"])) as outcome:
        person.answers("--ok", "--for", "rule")
    assert outcome().error is None
    client.ok("replace_in_file", path=START, find="city", replace="wood")
    rule = (own_state / "config.toml").read_text()
    assert 'tool = "replace_in_file"' in rule
    assert f'path = "{START}"' in rule
    assert f'project = "{own_project.resolve()}"' in rule


def test_without_a_task_nothing_can_be_allowed_for_one(start: Start, own_project: Path, own_state: Path) -> None:
    client, person = start("stdio", own_project, own_state), Person(own_state)
    with waiting(partial(client.call, "replace_in_file", CHANGES["replace_in_file"])) as outcome:
        offers = person.sees()["prompt"]["offers"]
        with pytest.raises(AssertionError, match="isn't offered here"):
            person.answers("--ok", "--for", "task")
        person.answers("--ok")
    assert outcome().error is None
    assert [each["scope"] for each in offers] == ["once", "rule"]


def test_an_ask_rule_asks_before_reading_too(start: Start, own_project: Path, own_state: Path) -> None:
    put_policy(own_project, [{"effect": "READ", "path": "notes.md", "decision": "ask"}])
    assert (
        start("cli", own_project, own_state, answer="deny").code("read_file", path="notes.md") == "E_POLICY_VIOLATION"
    )
    assert start("cli", own_project, own_state, answer="allow").ok("read_file", path="notes.md")


def test_files_that_need_approval_are_skipped_by_other_reads(start: Start, own_project: Path, own_state: Path) -> None:
    result = start("cli", own_project, own_state, answer="allow").write("secret/plan.txt", "needle\n")
    put_policy(own_project, [{"effect": "READ", "path": "secret", "decision": "ask"}])
    client = start("stdio", own_project, own_state, answer="allow")
    assert client.ok("search_files", path=".", regex="needle")["matches"] == []
    assert client.code("restore_snapshot", snapshotId=result["snapshotId"]) == "E_POLICY_VIOLATION"
    assert "secret/" in client.ok("list_files", path=".")["entries"], "what may be asked for isn't a secret itself"
    assert len(client.ok("search_files", path="secret", regex="needle")["matches"]) == 1


def test_a_preset_answer_is_recorded_as_such(start: Start, own_project: Path, own_state: Path) -> None:
    client = start("cli", own_project, own_state, answer="allow")
    client.ok("replace_in_file", **CHANGES["replace_in_file"])
    result = run("audit", "show", "--json", "--state", own_state)
    assert result.returncode == 0, result.stderr
    assert "--answer allow" in json.dumps(json.loads(result.stdout))
