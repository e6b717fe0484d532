"""Passwords that version 0.1 stored: `handrail doctor` reports them, and `forget-passwords` deletes them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from handrail.features.desktop.opening import _password_checks
from handrail.kernel.checks import Check, CheckContext
from handrail.wiring import Wiring

TYPED: dict[str, Any] = {
    "tool": "desktop_type_text",
    "summary": 'Type "hunter2" into securetextfield "Password" in window "Sign in" of "login"',
    "params": {"text": "hunter2"},
}


def kept(project: Path, name: str, request: dict[str, Any], place: str = "artifacts/desktop") -> Path:
    file = project / place / "2026-01-02" / name / "request.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(request))
    return file


def question(request_id: str, text: str, *, is_answered: bool = True) -> list[dict[str, Any]]:
    head = {"ts": "2026-01-02T03:04:05.678Z", "type": "ui_prompt", "requestId": request_id}
    prompt = {
        "kind": "file_change_confirm",
        "title": f'Type "{text}" into securetextfield "Password" in window "Sign in" of "login"',
        "message": f"Type text (UI_CONTROL)\nAsked by mcp:agent\ntext: {text}",
        "source": "handrail/desktop_type_text",
    }
    answer = {**head, "action": "response", "response": {"status": "ok"}}
    return [{**head, "action": "request", "prompt": prompt}, *([answer] if is_answered else [])]


def write_log(state: Path, entries: list[dict[str, Any]]) -> Path:
    state.mkdir(exist_ok=True)
    log = state / "ui-prompts.jsonl"
    log.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in entries))
    return log


def doctors_word(project: Path) -> list[Check]:
    return list(_password_checks(CheckContext(Wiring(), project, project / "state")))


def delete_passwords(project: Path) -> str:
    command = [sys.executable, "-m", "handrail", "desktop", "forget-passwords"]
    folders = ["--project", str(project), "--state", str(project / "state")]
    return subprocess.run([*command, *folders], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("place", ["artifacts/desktop", ".handrail/artifacts/desktop"])
def test_stored_passwords_are_found_and_deleted_by_the_command_that_doctor_names(tmp_path: Path, place: str) -> None:
    file = kept(tmp_path, "exec_1", TYPED, place)
    log = write_log(tmp_path / "state", [*question("approve_1", "hünter2 €"), *question("approve_2", "Ada")])
    size = log.stat().st_size
    [check] = doctors_word(tmp_path)
    assert not check.ok
    assert check.detail.startswith("1 file of evidence and 2 questions")
    assert check.fix is not None
    assert "handrail desktop forget-passwords" in check.fix
    assert "hunter2" not in str(check)

    assert delete_passwords(tmp_path) == "Evidence files deleted: 1. Questions masked: 2.\n"
    assert not file.exists()
    content = log.read_text()
    assert "hünter2" not in content
    assert "Ada" not in content
    assert log.stat().st_size == size
    assert json.loads(content.splitlines()[0])["prompt"]["title"].startswith('Type "***')
    assert doctors_word(tmp_path) == []
    assert delete_passwords(tmp_path) == "None stored.\n"


def test_a_question_that_still_waits_is_left_as_the_person_sees_it(tmp_path: Path) -> None:
    log = write_log(tmp_path / "state", question("approve_1", "hunter2", is_answered=False))
    before = log.read_bytes()
    assert delete_passwords(tmp_path) == "None stored.\n"
    assert log.read_bytes() == before


def test_files_without_passwords_are_not_changed(tmp_path: Path) -> None:
    kept(tmp_path, "exec_1", {**TYPED, "params": {"text": "******"}})
    kept(tmp_path, "exec_2", {**TYPED, "summary": 'Type "Ada" into textfield "Name"'})
    kept(tmp_path, "exec_3", {"tool": "desktop_click", "params": {"target": {}}})
    kept(tmp_path, "exec_4", {"tool": 7})
    assert doctors_word(tmp_path) == []
