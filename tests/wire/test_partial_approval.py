"""A person approves a part of a change, or edits it first: rulings, Partial approval."""

import asyncio
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.errors import InvalidParams
from handrail.stores.local.prompt_store import prompt_store
from tests.persons import Person
from tests.wire.clients import Client, Outcome, Start
from tests.wire.hunks import applied
from tests.wire.stage import START, put

OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = OLD.replace("line 3\n", "three\n").replace("line 10\n", "ten\nten and a half\n").replace("line 18\n", "")
TAKEN = OLD.replace("line 3\n", "three\n").replace("line 18\n", "")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def written(diff: dict[str, Any]) -> str:
    return "\n".join(applied(diff["hunks"], OLD.split("\n")))


class Table:
    """An agent and a person."""

    def __init__(self, client: Client, person: Person, project: Path) -> None:
        self.client, self.person, self.project = client, person, project
        self.create: dict[str, Any] = {}

    def answered(self, tool: str, params: dict[str, Any], *words: str) -> Outcome:
        with ThreadPoolExecutor(1) as pool:
            outcome = pool.submit(self.client.call, tool, params)
            self.create = self.person.answers(*words)
            return outcome.result(60)


@pytest.fixture
def table(start: Start, own_project: Path, own_state: Path) -> Table:
    put(own_project, START, OLD)
    return Table(start("stdio", own_project, own_state), Person(own_state), own_project)


def proposal(table: Table, **more: Any) -> dict[str, Any]:
    table.client.ok("write_to_file", path=START, content=NEW, dryRun=True)
    return {"path": START, "content": NEW, "dryRun": False, **more}


def test_approved_hunks_are_written_and_reported_exactly(table: Table) -> None:
    outcome = table.answered("write_to_file", proposal(table), "--ok", "--part", "1", "--part", "3")
    assert outcome.result is not None, outcome.error
    assert (table.project / START).read_text() == TAKEN
    assert outcome.result["partial"] is True
    assert outcome.result["contentHash"] == sha256(TAKEN)
    assert written(outcome.result["diff"]) == TAKEN
    (part,) = table.create["prompt"]["parts"]
    assert part["content"] == NEW
    assert len(part["hunks"]) == 3


def test_a_persons_own_text_is_written(table: Table, tmp_path: Path) -> None:
    mine = put(tmp_path, "mine.txt", "mine\n")
    outcome = table.answered("write_to_file", proposal(table), "--ok", "--content", str(mine))
    assert outcome.result is not None, outcome.error
    assert (table.project / START).read_text() == "mine\n"
    assert outcome.result["partial"] is True
    assert outcome.result["bytesWritten"] == 5
    assert written(outcome.result["diff"]) == "mine\n"


def test_approving_all_parts_is_a_full_approval(table: Table) -> None:
    words = [word for number in "123" for word in ("--part", number)]
    outcome = table.answered("write_to_file", proposal(table), "--ok", *words)
    assert outcome.result is not None, outcome.error
    assert "partial" not in outcome.result
    assert (table.project / START).read_text() == NEW


def test_idempotency_and_dry_run_refer_to_the_proposal(table: Table) -> None:
    write = proposal(table, idempotencyKey="once")
    first = table.answered("write_to_file", write, "--ok", "--part", "2").result
    assert first is not None
    again = table.client.ok("write_to_file", **write)
    assert (again["bytesWritten"], again["snapshotId"], again["partial"]) == (0, first["snapshotId"], True)
    assert table.client.code("write_to_file", **{**write, "content": "other"}) == "E_CONFLICT"
    assert table.client.code("write_to_file", path=START, content=NEW, dryRun=False) == "E_POLICY_VIOLATION"


def test_replacements_and_edits_can_be_taken_in_part(table: Table) -> None:
    replaced = table.answered(
        "replace_in_file", {"path": START, "find": "line 1", "replace": "x"}, "--ok", "--part", "1"
    )
    assert replaced.result is not None
    assert replaced.result["partial"] is True
    text = OLD.replace("line 1\n", "x\n", 1)
    assert (table.project / START).read_text() == text
    edits = [{"oldText": "line 5\n", "newText": "five\n"}, {"oldText": "line 7\n", "newText": "seven\n"}]
    edited = table.answered("edit_file", {"path": START, "edits": edits}, "--ok", "--part", "2")
    assert edited.result is not None
    assert edited.result["partial"] is True
    assert (table.project / START).read_text() == text.replace("line 7", "seven")


def test_of_several_files_some_are_written_and_the_rest_is_named(table: Table) -> None:
    files = [{"path": START, "content": NEW}, {"path": "a.md", "content": "a\n"}, {"path": "b.md", "content": "b\n"}]
    outcome = table.answered("write_files", {"files": files}, "--ok", "--part", "1", "--part", "3", "--part", "4")
    assert outcome.result is not None, outcome.error
    assert (table.project / START).read_text() == TAKEN
    assert (table.project / "a.md").read_text() == "a\n"
    assert not (table.project / "b.md").exists()
    assert outcome.result["partial"] is True
    assert outcome.result["leftOut"] == ["b.md"]
    scene, note = outcome.result["files"]
    assert written(scene["diff"]) == TAKEN
    assert (scene["partial"], scene["contentHash"]) == (True, sha256(TAKEN))
    assert "partial" not in note


@pytest.mark.parametrize(
    ("response", "field"),
    [
        ({"hunks": []}, "hunks"),
        ({"hunks": [3]}, "hunks.0"),
        ({"hunks": [0, 0]}, "hunks.1"),
        ({"hunks": [0], "content": "x"}, "content"),
        ({"hunks": [0], "scope": "rule"}, "scope"),
        ({"files": [{"path": "other.txt"}]}, "files.0.path"),
        ({"files": []}, "files"),
        ({"hunks": ["0"]}, "hunks"),
    ],
)
def test_an_answer_that_does_not_match_the_shown_change_is_refused(
    table: Table, own_state: Path, response: dict[str, Any], field: str
) -> None:
    async def answer(request_id: str) -> None:
        queue = LogPromptQueue(prompt_store(own_state))
        try:
            with pytest.raises(InvalidParams) as refused:
                await queue.respond(request_id, {"status": "ok", **response})
        finally:
            await queue.close()
        assert field in [each["field"] for each in refused.value.details["fieldErrors"]]

    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(table.client.call, "write_to_file", proposal(table))
        asyncio.run(answer(table.person.sees()["requestId"]))
        table.person.answers("--cancel")
        assert outcome.result(60).code == "E_POLICY_VIOLATION"
    assert (table.project / START).read_text() == OLD


def test_an_invalid_part_in_the_log_is_not_an_approval(table: Table, own_state: Path) -> None:
    """Other programs can write to the log file."""
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(table.client.call, "write_to_file", proposal(table))
        question = table.person.sees()
        entry = {
            "ts": question["ts"],
            "type": "ui_prompt",
            "action": "response",
            "requestId": question["requestId"],
            "response": {"status": "ok", "hunks": [7]},
        }
        with (own_state / "ui-prompts.jsonl").open("a") as log:
            log.write(json.dumps(entry) + "\n")
        assert outcome.result(60).code == "E_POLICY_VIOLATION"
    assert (table.project / START).read_text() == OLD


def test_the_persons_choice_is_recorded_and_in_the_evidence(table: Table, own_state: Path) -> None:
    table.answered("write_to_file", proposal(table), "--ok", "--part", "1")
    records = [json.loads(line) for line in (own_state / "audit/log.jsonl").read_text().splitlines()]
    record = next(each for each in records if each.get("event") == "end" and each.get("effect") == "WRITE")
    assert record["answer"]["partial"] is True
    (patch,) = (table.project / ".handrail/artifacts").rglob("diff.patch")
    assert "+three" in patch.read_text()
    assert "+ten" not in patch.read_text()
    (request,) = (table.project / ".handrail/artifacts").rglob("request.json")
    assert json.loads(request.read_text())["binding"]["afterHash"] == sha256(OLD.replace("line 3\n", "three\n"))


def test_a_read_only_file_is_named_as_such_in_the_question(table: Table) -> None:
    (table.project / START).chmod(0o444)
    table.answered("write_to_file", proposal(table), "--cancel")
    prompt = table.create["prompt"]
    assert f"Read-only: {START} (0444)" in prompt["message"]
    assert {"name": "Read-only", "value": f"{START} (0444)"} in prompt["card"]["facts"]
