"""Evidence of version 0.1 in which a password was kept: `handrail doctor` names it, and how it is deleted."""

import json
from pathlib import Path
from typing import Any

import pytest

from handrail.features.desktop.opening import _password_checks
from handrail.kernel.checks import CheckContext
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


@pytest.mark.parametrize("place", ["artifacts/desktop", ".handrail/artifacts/desktop"])
def test_a_stored_password_is_found_and_its_file_named(tmp_path: Path, place: str) -> None:
    file = kept(tmp_path, "exec_1", TYPED, place)
    [check] = _password_checks(CheckContext(Wiring(), tmp_path, tmp_path / "state"))
    assert not check.ok
    assert check.detail.startswith("1 file of evidence")
    assert check.fix is not None
    assert str(file) in check.fix
    assert "hunter2" not in str(check)


def test_what_holds_no_password_is_left_alone(tmp_path: Path) -> None:
    kept(tmp_path, "exec_1", {**TYPED, "params": {"text": "******"}})
    kept(tmp_path, "exec_2", {**TYPED, "summary": 'Type "Ada" into textfield "Name"'})
    kept(tmp_path, "exec_3", {"tool": "desktop_click", "params": {"target": {}}})
    kept(tmp_path, "exec_4", {"tool": 7})
    assert list(_password_checks(CheckContext(Wiring(), tmp_path, tmp_path / "state"))) == []
