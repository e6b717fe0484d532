"""`handrail apps check`: what a vendor sees of a descriptor, with its tools' examples over the real transports."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group
from tests.aai import trial_app
from tests.session_bus import SessionBus

PROGRAM = str(trial_app.__file__)


@pytest.fixture(scope="module")
def session() -> Iterator[SessionBus]:
    with SessionBus() as session:
        session.run(sys.executable, PROGRAM, "--install")
        yield session


@pytest.fixture
def within(session: SessionBus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SessionBus:
    """Joins this process to the session within the context."""
    for name, value in session.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HANDRAIL_STATE", str(tmp_path / "state"))
    return session


class Terminal:
    """Replaces `sys` with a terminal at which a person answers."""

    def __init__(self, answer: str) -> None:
        self.stdin, self.stderr = io.StringIO(answer), io.StringIO()
        self.stdin.isatty = lambda: True  # type: ignore[method-assign]


def check(*words: object) -> Result:
    return CliRunner().invoke(group(commands(), open_program), ["apps", "check", *(str(word) for word in words)])


def write_descriptor(folder: Path, descriptor: Any) -> Path:
    file = folder / "aai.json"
    file.write_text(json.dumps(descriptor))
    return file


def test_a_good_descriptor_is_found_by_its_folder_and_ends_with_0(within: SessionBus) -> None:
    folder = within.home / ".aai" / "com.example.trial"
    result = check(folder)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert (
        lines[-1]
        == f"{folder}/aai.json: com.example.trial, {len(trial_app.app.describe()['tools'])} tools, 1 example, 1 ran."
    )
    assert lines[0].startswith("greet 1: ok")
    assert all(line.endswith("(advice)") for line in lines[1:-1])
    assert "greet 1" not in check(folder, "--no-run").output


def test_every_problem_is_reported_with_file_field_and_reason_and_exit_code_1(tmp_path: Path) -> None:
    descriptor = trial_app.app.describe()
    descriptor["app"]["descripton"] = descriptor["app"].pop("description")
    descriptor["tools"][0]["name"] = "Greet"
    file = write_descriptor(tmp_path, descriptor)
    result = check(file, "--json")
    assert result.exit_code == 1
    problems = {(one["file"], one["field"]): one["reason"] for one in json.loads(result.output)["problems"]}
    assert problems[str(file), "app.descripton"] == "is unknown; did you mean description?"
    assert (str(file), "app") in problems
    assert json.loads(result.output)["ok"] is False
    completed = check(file)
    assert completed.exit_code == 1
    assert f"{file}: app.descripton: is unknown; did you mean description?" in completed.output
    assert completed.output.endswith("agents can't use this app.\n")


def test_an_app_in_another_apps_folder_is_a_problem(within: SessionBus) -> None:
    folder = within.home / ".aai" / "com.example.other"
    folder.mkdir()
    result = check(write_descriptor(folder, trial_app.app.describe()), "--json")
    assert [problem["field"] for problem in json.loads(result.output)["problems"]] == ["app.id"]


def test_a_file_that_is_not_there_ends_with_2(tmp_path: Path) -> None:
    result = check(tmp_path)
    assert result.exit_code == 2
    assert "No such file" in result.output


@pytest.mark.parametrize("transport", ["dbus", "stdio"])
def test_examples_run_through_the_real_transport(within: SessionBus, tmp_path: Path, transport: str) -> None:
    stdio = [sys.executable, PROGRAM, "--stdio"] if transport == "stdio" else None
    descriptor = trial_app.app.describe(stdio=stdio)
    tools = {tool["name"]: tool for tool in descriptor["tools"]}
    tools["forget"]["examples"] = [{"params": {}, "result": {}}]
    assert check(write_descriptor(tmp_path, descriptor), "--run").exit_code == 0

    tools["pass_on"]["examples"] = [{"params": {"rounds": 2}, "result": 3}]
    tools["refuse"]["examples"] = [{"params": {"code": "TRIAL_OVER"}}]
    tools["crash"]["examples"] = [{"params": {}}]
    result = check(write_descriptor(tmp_path, descriptor), "--run", "--json")
    assert result.exit_code == 1
    data = json.loads(result.output)["examples"]
    assert [(one["tool"], one["ok"], one.get("error", {}).get("code")) for one in data] == [
        ("greet", True, None),
        ("pass_on", False, "OTHER_RESULT"),
        ("forget", True, None),
        ("refuse", False, "TRIAL_OVER"),
        ("crash", False, "INTERNAL_ERROR"),
    ]
    assert data[0]["result"]["text"] == "Hello, Ada!"


def test_tools_that_are_not_idempotent_run_only_if_a_person_agrees(
    within: SessionBus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    descriptor = trial_app.app.describe()
    tools = {tool["name"]: tool for tool in descriptor["tools"]}
    tools["forget"]["examples"] = [{"params": {}}]
    file = write_descriptor(tmp_path, descriptor)
    data = json.loads(check(file, "--json").output)
    assert ([one["tool"] for one in data["examples"]], data["notRun"], data["ok"]) == (["greet"], ["forget"], True)
    assert "Not run: forget (--run calls them)" in check(file).output
    for answer, ran in (("y\n", ["greet", "forget"]), ("n\n", ["greet"])):
        with monkeypatch.context() as patch:
            patch.setattr("handrail.features.apps.cli.apps_check.sys", Terminal(answer))
            report = json.loads(check(file, "--json").stdout)["examples"]
        assert [one["tool"] for one in report] == ran
    data = json.loads(check(file, "--json", "--no-run").output)
    assert (data["examples"], data["notRun"]) == ([], ["greet", "forget"])


def test_an_app_that_cannot_be_started_is_reported_at_once(within: SessionBus, tmp_path: Path) -> None:
    descriptor = trial_app.app.describe()
    descriptor["app"]["id"] = "com.example.absent"
    result = check(write_descriptor(tmp_path, descriptor), "--run")
    assert result.exit_code == 1
    assert "greet 1: SERVICE_UNAVAILABLE: " in result.output
    assert result.output.endswith("1 of 1 failed.\n")
