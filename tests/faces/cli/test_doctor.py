"""`handrail doctor`: what works here, what is missing, and how to get it."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.faces.cli.machine import CommandResult, Machine


def checks(result: CommandResult) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in result.json["checks"]}


def test_a_healthy_machine_passes_every_check(machine: Machine) -> None:
    looked = machine.run("doctor", "--json")
    assert looked.status == 0
    checks_by_name = checks(looked)
    assert set(checks_by_name) >= {
        "Python", "state directory", "project", "sandbox", "ripgrep", "GNU diff", "MCP SDK", "optional features",
        "handrail up", "extension", "Chromium", "browsers", "WebGAL engine", "browser for previews", "desktop", "apps",
        "record", "servers", "hooks", "shell parser", "cage",
    }  # fmt: skip
    assert all({"name", "ok", "detail", "fix", "required"} == set(check) for check in checks_by_name.values())
    assert all(check["ok"] for check in checks_by_name.values() if check["required"])
    assert checks_by_name["state directory"]["detail"] == f"{machine.state}, format 1"
    assert "ripgrep 1" in checks_by_name["ripgrep"]["detail"]
    assert checks_by_name["handrail up"]["detail"] == "not running"
    assert checks_by_name["browsers"]["detail"].startswith("none connected")
    assert re.fullmatch(r"\d+\.\d+\.\d+, with handrail", checks_by_name["WebGAL engine"]["detail"])
    assert re.match(r"Chromium \d+\.", checks_by_name["browser for previews"]["detail"])
    assert machine.run("doctor").out.startswith("ok ")


def test_every_problem_is_named_with_a_fix(machine: Machine) -> None:
    machine.put(".handrail/policy.json", "{")
    looked = machine.run("doctor", "--json")
    assert looked.status == 1
    project = checks(looked)["project"]
    assert (project["ok"], "policy.json, line 1" in project["detail"]) == (False, True)
    assert project["fix"]
    assert "MISSING  project" in machine.run("doctor").out

    (machine.state / "format").write_text("99\n")
    newer = checks(machine.run("doctor", "--json"))["state directory"]
    assert (newer["ok"], "newer handrail" in newer["fix"]) == (False, True)


@pytest.mark.trial("commands", is_long=True)
def test_broken_settings_do_not_hide_other_problems(machine: Machine) -> None:
    everything = set(checks(machine.run("doctor", "--json")))
    (machine.state / "config.toml").write_text("this isn't a TOML")
    looked = machine.run("doctor", "--json")
    assert (looked.status, looked.err) == (1, "")
    assert everything <= set(checks(looked))
    assert "config.toml" in checks(looked)["project"]["detail"]


def test_an_invalid_state_directory_is_reported_as_one_problem(machine: Machine) -> None:
    file = machine.put("state", "a file")
    looked = machine.run("doctor", "--json", "--state", str(file))
    assert (looked.status, looked.err) == (1, "")
    checks_by_name = checks(looked)
    assert (checks_by_name["state directory"]["ok"], checks_by_name["sandbox"]["ok"]) == (False, True)


def test_a_feature_of_handrail_itself_can_not_be_switched(machine: Machine) -> None:
    for action in ("enable", "disable"):
        refused = machine.run("features", action, "webgal")
        assert (refused.status, refused.out) == (1, "")
        assert "always on" in refused.err


@pytest.mark.trial("commands", is_long=True)
def test_a_crashed_server_is_distinguished_from_one_that_never_ran(machine: Machine) -> None:
    machine.run("doctor")
    token = "t" * 43
    (machine.state / "server.json").write_text(f'{{"pid":1,"host":"127.0.0.1","port":1,"token":"{token}"}}')
    looked = machine.run("doctor", "--json")
    assert looked.status == 0
    server = checks(looked)["handrail up"]
    assert (server["ok"], server["required"], "process 1" in server["detail"]) == (False, False, True)
    assert token not in looked.out


def test_without_gnu_diff_and_chromium_handrail_still_works_and_says_what_to_install(machine: Machine) -> None:
    machine.put("game/scene/start.txt", "a:b;\n")
    machine.put("index.html", '<title>WebGAL</title><script type="module" src="./assets/index.js"></script>')
    machine.put("assets/index.js", 'const a="4.6.4",b={version:a,contributors:[]};')
    looked = machine.run("doctor", "--json", PATH="/nowhere")
    assert looked.status == 0
    checks_by_name = checks(looked)
    assert (checks_by_name["GNU diff"]["ok"], "diffutils" in checks_by_name["GNU diff"]["fix"]) == (False, True)
    browser = checks_by_name["browser for previews"]
    assert (browser["ok"], browser["required"], "package chromium" in browser["fix"]) == (False, False, True)
    assert checks_by_name["WebGAL engine"]["detail"] == "4.6.4, of the project's own"


def test_a_broken_descriptor_is_reported_with_file_field_and_reason(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / ".aai/com.example.mail/aai.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"schema_version": "1.0"}')
    looked = machine.run("doctor", "--json", HOME=str(tmp_path))
    assert looked.status == 0
    apps = checks(looked)["apps"]
    assert (apps["ok"], apps["required"]) == (False, False)
    assert f"0 found. {file}: app: is missing" in apps["detail"]
