"""Programs that were written to contract 5 before us: what they write into the log is shown and answered.

They append lines without our lock, leave members empty or null, and look for their answer in the log.
"""

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.persons import Person
from tests.waiting import until
from tests.wire.clients import run

CHOICE = {"kind": "choice", "title": "Which?", "options": [{"value": "a", "label": "A"}], "multiple": False}
SHAPES: dict[str, dict[str, Any]] = {
    "a single choice with an empty default": {**CHOICE, "default": ""},
    "a choice with nulls": {**CHOICE, "default": None, "minSelections": None, "maxSelections": None, "message": None},
    "tasks with empty members": {
        "kind": "task_confirm",
        "title": "Plan",
        "tasks": [{"draftId": "1", "title": "Write", "details": "", "priority": "", "status": "", "tags": []}],
    },
    "tasks with nulls": {
        "kind": "task_confirm",
        "tasks": [{"draftId": None, "title": "Write", "priority": None, "status": None, "tags": None}],
        "defaultRemark": None,
    },
    "a form with nulls": {
        "kind": "kv",
        "title": None,
        "message": None,
        "allowCancel": None,
        "fields": [{"key": "name", "label": None, "placeholder": "", "default": None, "required": None}],
    },
    "a change with nulls": {
        "kind": "file_change_confirm", "path": "a.txt", "command": None, "cwd": None, "diff": None, "source": ""
    },
    "a form with members of its own": {
        "kind": "kv", "fields": [{"key": "name", "type": "string", "order": 1}], "theme": {"dark": True}, "timeoutMs": 5
    },
}  # fmt: skip
ANSWERS = {"choice": ["--choose", "a"], "kv": ["--value", "name=Ada"]}


class Program:
    """Appends to the log directly, as `fs.appendFileSync` does."""

    def __init__(self, state: Path) -> None:
        state.mkdir(mode=0o700, exist_ok=True)
        self._log = state / "ui-prompts.jsonl"

    def asks(self, request_id: str, prompt: dict[str, Any], **more: Any) -> None:
        self.writes(json.dumps({**self.head("request", request_id), "prompt": prompt, **more}).encode() + b"\n")

    def writes(self, data: bytes) -> None:
        descriptor = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, data)
        os.close(descriptor)

    def answers(self, request_id: str) -> Sequence[dict[str, Any]]:
        entries = [json.loads(line) for line in self._log.read_text("utf-8-sig").splitlines()]
        return [
            each["response"] for each in entries if each["action"] == "response" and each["requestId"] == request_id
        ]

    @staticmethod
    def head(action: str, request_id: str) -> dict[str, Any]:
        return {"ts": "2026-01-11T00:00:00.000Z", "type": "ui_prompt", "action": action, "requestId": request_id}


def list_prompts(state: Path) -> list[dict[str, Any]]:
    """From `handrail prompts list --json`."""
    prompts: list[dict[str, Any]] = json.loads(run("prompts", "list", "--json", "--state", state).stdout)["prompts"]
    return prompts


@pytest.mark.parametrize("shape", SHAPES)
def test_empty_and_null_values_count_as_absent(tmp_path: Path, shape: str) -> None:
    program, prompt = Program(tmp_path), SHAPES[shape]
    program.asks("q1", prompt)
    assert Person(tmp_path).sees()["requestId"] == "q1"
    Person(tmp_path).answers("--ok", *ANSWERS.get(str(prompt["kind"]), []))
    (answer,) = program.answers("q1")
    assert answer["status"] == "ok"


def test_a_log_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.writes(b"\xef\xbb\xbf")
    program.asks("q1", CHOICE, runId="run-7")
    assert Person(tmp_path).sees()["requestId"] == "q1"
    assert "run-7" in run("prompts", "show", "q1", "--state", tmp_path).stdout


@pytest.mark.parametrize("more", [{"runId": ""}, {"runId": None}, {"runId": 7}, {"ts": 1768089600000}, {"v": 2}])
def test_an_entry_with_an_unusual_head_hides_nothing(tmp_path: Path, more: dict[str, Any]) -> None:
    program = Program(tmp_path)
    program.asks("q1", CHOICE, **more)
    Person(tmp_path).answers("--ok", "--choose", "a")
    assert program.answers("q1")[0]["selection"] == "a"


def test_windows_line_ends_and_empty_lines_are_accepted(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.writes(b"\r\n")
    program.asks("q1", CHOICE)
    program.writes(json.dumps({**Program.head("request", "q2"), "prompt": CHOICE}).encode() + b"\r\n\r\n")
    program.asks("q3", CHOICE)
    assert [each["requestId"] for each in list_prompts(tmp_path)] == ["q1", "q2", "q3"]


def test_a_prompt_of_a_kind_of_its_own_is_shown_raw_and_can_be_canceled(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.asks("q1", {"kind": "calendar", "title": "When?", "days": ["Mon", "Tue"]})
    assert list_prompts(tmp_path)[0]["prompt"]["kind"] == "unreadable"
    result = run("prompts", "show", "q1", "--state", tmp_path).stdout
    assert "calendar" in result
    assert "Tue" in result
    assert run("prompts", "answer", "q1", "--ok", "--state", tmp_path).returncode != 0
    Person(tmp_path).answers("--cancel")
    assert [each["status"] for each in program.answers("q1")] == ["canceled"]


def test_another_programs_change_offers_no_scope_even_where_it_writes_some(tmp_path: Path) -> None:
    program = Program(tmp_path)
    offers = [{"scope": "rule", "grant": {"tools": ["write_to_file"], "path": "**"}, "what": "everything"}]
    consent = {"app": "com.bank", "appName": "Bank", "tool": "pay"}
    program.asks("q1", {"kind": "file_change_confirm", "path": "a.txt", "offers": offers, "consent": consent})
    (value,) = list_prompts(tmp_path)
    assert not {"offers", "consent", "card"} & set(value["prompt"])
    assert "--for" not in run("prompts", "show", "q1", "--state", tmp_path).stdout
    for scope in ("task", "rule", "app"):
        refused = run("prompts", "answer", "q1", "--ok", "--for", scope, "--state", tmp_path)
        assert refused.returncode != 0
        assert "--for is only for handrail's own approvals" in refused.stderr
    Person(tmp_path).answers("--ok")
    assert [each["status"] for each in program.answers("q1")] == ["ok"]


def test_a_program_that_only_reads_the_log_is_not_marked_gone_and_gets_no_secrets(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.asks("q1", {"kind": "kv", "fields": [{"key": "password", "secret": True}]})
    assert list_prompts(tmp_path)[0]["caller"] == "unknown"
    result = run("prompts", "show", "q1", "--state", tmp_path).stdout
    assert "caller: unknown" in result
    assert "not deliverable: secret values (password)" in result


def test_two_choices_for_a_single_choice_are_an_error(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.asks("q1", {**CHOICE, "options": [{"value": "a"}, {"value": "b"}]})
    refused = run("prompts", "answer", "q1", "--ok", "--choose", "a", "--choose", "b", "--state", tmp_path)
    assert (refused.returncode != 0, program.answers("q1")) == (True, [])


def test_an_ok_without_values_uses_the_defaults(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.asks("q1", {**CHOICE, "default": "a"})
    program.asks("q2", {**CHOICE, "multiple": True, "default": ["a"]})
    program.asks("q3", {"kind": "kv", "fields": [{"key": "name", "default": "Ada"}, {"key": "city"}]})
    for request_id in ("q1", "q2", "q3"):
        result = run("prompts", "answer", request_id, "--ok", "--state", tmp_path)
        assert result.returncode == 0, result.stderr
    assert [program.answers(each)[0].get("selection") for each in ("q1", "q2")] == ["a", ["a"]]
    assert program.answers("q3")[0]["values"]["name"] == "Ada"


def test_eight_programs_that_write_at_once_are_all_answered(tmp_path: Path) -> None:
    program, shapes = Program(tmp_path), list(SHAPES.values())

    def asks(number: int) -> None:
        for at in range(5):
            program.asks(f"q{number}-{at}", shapes[(number + at) % len(shapes)])

    writers = [threading.Thread(target=asks, args=(number,)) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    waiting = until(lambda: matches if len(matches := Person(tmp_path).pending()) == 40 else [])
    for each in waiting[::10]:
        result = run("prompts", "answer", each["requestId"], "--cancel", "--state", tmp_path)
        assert result.returncode == 0, result.stderr
        assert [answer["status"] for answer in program.answers(each["requestId"])] == ["canceled"]
