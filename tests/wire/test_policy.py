"""The policy file: contract 3 §0.1 and §6, and the rulings on policy."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.persons import without_presence
from tests.wire.clients import Client, Json, Start, Stdio, run
from tests.wire.stage import SCENE, START, put, put_policy

CONTRACTS_EXAMPLE = """{
  "contractVersion": "1.0.0",
  "mode": "cline",
  "policies": {
    "sandboxRoot": "${projectRoot}",
    "forbiddenDirs": [".git","node_modules",".env"],
    "writeRequiresDiff": true,
    "maxAutoFix": 1,
    "batchMaxLines": 2000,
    "allowedCommands": ["dev","build","lint"],
    "browserAllowedHosts": ["localhost","127.0.0.1"]
  }
}
"""
WRITE: Json = {"path": START, "content": "new\n", "dryRun": False}


def try_to_write(client: Client) -> str | None:
    client.call("write_to_file", {**WRITE, "dryRun": True})
    return client.call("write_to_file", WRITE).code


def trust(project: Path, state: Path) -> None:
    without_presence(state)
    result = run("policy", "trust", "--project", project, "--state", state, "--answer", "allow")
    assert result.returncode == 0, result.stderr


@pytest.mark.also_cli
def test_the_contracts_own_policy_is_understood(client: Client, project: Path) -> None:
    put(project, ".handrail/policy.json", CONTRACTS_EXAMPLE)
    assert client.ok("get_runtime_info")["sandbox"]["forbiddenDirs"] == [".git", "node_modules", ".env"]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        pytest.param('{\n  "policies": {\n    "maxReadBytes": 1,\n  }\n}', 4, "", id="not JSON"),
        pytest.param('{\n\n  "mode": "god"\n}', 3, "mode", id="no such mode"),
        pytest.param('{\n  "policies": {\n    "maxReadByte": 1\n  }\n}', 3, "maxReadBytes", id="a misspelled name"),
        pytest.param('{\n  "policies": {\n    "maxReadBytes": "1"\n  }\n}', 3, "maxReadBytes", id="a wrong type"),
        pytest.param('{\n  "policies": {\n    "maxReadBytes": 0\n  }\n}', 3, "maxReadBytes", id="out of range"),
        pytest.param('{\n  "policies": {\n    "sandboxRoot": "/"\n  }\n}', 3, "sandboxRoot", id="another root"),
        pytest.param(
            '{\n  "rules": [\n    {"tool": "x",\n     "decision": "maybe"}\n  ]\n}', 4, "decision", id="a rule"
        ),
        pytest.param('{\n  "rules": [\n    {"decision": "deny"}\n  ]\n}', 3, "rule", id="a rule about nothing"),
        pytest.param('{\n  "contractVersion": "2.0.0"\n}', 2, "2.0.0", id="another major version"),
        pytest.param('{\n  "mode": "cline",\n  "mode": "cline"\n}', None, "mode", id="a key twice"),
        pytest.param("[]", 1, "", id="no object"),
        pytest.param("", 1, "", id="empty"),
    ],
)
def test_a_broken_policy_stops_the_program_and_names_the_line(
    own_project: Path, own_state: Path, text: str, line: int | None, word: str
) -> None:
    file = put(own_project, ".handrail/policy.json", text)
    result = run("mcp", "--project", own_project, "--state", own_state, "--answer", "allow")
    assert result.returncode == 1
    assert result.stdout == ""
    assert str(file) in result.stderr
    assert word in result.stderr
    assert line is None or f"line {line}:" in result.stderr, result.stderr


@pytest.mark.parametrize("command", [["up", "--port", "0", "--no-open"], ["call", "read_file", '{"path":"notes.md"}']])
def test_a_broken_policy_stops_the_other_ways_in_as_well(
    own_project: Path, own_state: Path, command: list[str]
) -> None:
    put(own_project, ".handrail/policy.json", "{")
    result = run(*command, "--project", own_project, "--state", own_state)
    assert result.returncode == 1
    assert "# Notes" not in result.stdout
    assert "line 1" in result.stdout + result.stderr


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0", "1.99.3"])
def test_a_policy_of_the_same_major_version_is_accepted(client: Client, project: Path, version: str) -> None:
    put(project, ".handrail/policy.json", json.dumps({"contractVersion": version, "policies": {"maxReadBytes": 7}}))
    assert client.ok("get_runtime_info")["sandbox"]["maxReadBytes"] == 7


def test_a_policy_that_breaks_while_the_program_runs_refuses_every_call_until_it_is_mended(
    client: Client, project: Path
) -> None:
    put(project, ".handrail/policy.json", '{\n"mode": 1}')
    for tool, params in (("read_file", {"path": "notes.md"}), ("list_snapshots", {}), ("write_to_file", WRITE)):
        error = client.error(tool, **params)
        assert error["code"] == "E_POLICY_VIOLATION"
        assert "line 2" in error["message"]
    put_policy(project)
    assert client.ok("read_file", path="notes.md")


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"tool": "write_to_file"}, "E_POLICY_VIOLATION"),
        ({"tool": "write_*"}, "E_POLICY_VIOLATION"),
        ({"effect": "WRITE"}, "E_POLICY_VIOLATION"),
        ({"effect": "WRITE", "path": "game/**"}, "E_POLICY_VIOLATION"),
        ({"effect": "WRITE", "path": "game"}, "E_POLICY_VIOLATION"),
        ({"effect": "WRITE", "path": START}, "E_POLICY_VIOLATION"),
        ({"tool": "write_to_file", "effect": "WRITE", "path": "**/*.txt"}, "E_POLICY_VIOLATION"),
        ({"effect": "WRITE", "path": "gam"}, None),
        ({"effect": "WRITE", "path": "*.txt"}, None),
        ({"effect": "EXECUTE"}, None),
        ({"tool": "replace_in_file"}, None),
        ({"tool": "write_to_file", "effect": "READ", "path": "notes.md"}, None),
    ],
)
def test_a_deny_rule_applies_before_any_preset_answer(
    client: Client, project: Path, rule: dict[str, str], code: str | None
) -> None:
    put_policy(project, [{**rule, "decision": "deny"}])
    assert try_to_write(client) == code
    assert (project / START).read_text() == ("new\n" if code is None else SCENE)


@pytest.mark.parametrize("spelling", [f"./{START}", "game//scene/start.txt", "game/scene/./start.txt"])
def test_a_rules_path_can_not_be_dodged_by_spelling(client: Client, project: Path, spelling: str) -> None:
    put_policy(project, [{"effect": "READ", "path": START, "decision": "deny"}])
    assert client.code("read_file", path=spelling) == "E_POLICY_VIOLATION"


def test_the_strictest_of_several_matching_rules_applies_in_any_order(client: Client, project: Path) -> None:
    rules = [
        {"effect": "WRITE", "decision": "allow"},
        {"tool": "write_to_file", "path": "game/**", "decision": "deny"},
        {"effect": "WRITE", "decision": "ask"},
    ]
    for ordered in (rules, rules[::-1]):
        put_policy(project, ordered)
        assert try_to_write(client) == "E_POLICY_VIOLATION"


def test_unreadable_files_are_hidden_from_listings_searches_and_snapshots(client: Client, project: Path) -> None:
    put(project, "secret/plan.txt", "needle\n")
    put(project, "open.txt", "needle\n")
    result = client.write("secret/plan.txt", "needle two\n")
    put_policy(project, [{"effect": "READ", "path": "secret", "decision": "deny"}])
    assert client.code("read_file", path="secret/plan.txt") == "E_POLICY_VIOLATION"
    assert client.code("list_files", path="secret") == "E_POLICY_VIOLATION"
    assert client.code("write_to_file", path="secret/plan.txt", content="x", dryRun=True) == "E_POLICY_VIOLATION"
    assert "secret/" not in client.ok("list_files", path=".")["entries"]
    assert not [name for name in client.ok("list_files", path=".", globs=["**/*"])["entries"] if "secret" in name]
    matches = client.ok("search_files", path=".", regex="needle")["matches"]
    assert [match["path"] for match in matches] == ["open.txt"]
    assert client.ok("list_snapshots")["snapshots"] == []
    assert client.code("restore_snapshot", snapshotId=result["snapshotId"]) == "E_POLICY_VIOLATION"


def test_unreadable_files_do_not_use_up_a_search_limit(client: Client, project: Path) -> None:
    put(project, "a/secret.txt", "needle\n" * 10)
    put(project, "b/open.txt", "needle\n")
    put_policy(project, [{"effect": "READ", "path": "a", "decision": "deny"}])
    matches = client.ok("search_files", path=".", regex="needle", maxMatches=1)["matches"]
    assert [match["path"] for match in matches] == ["b/open.txt"]


def test_a_projects_allow_rule_means_ask_until_a_person_trusts_it(
    start: Start, own_project: Path, own_state: Path
) -> None:
    policy = put_policy(own_project, [{"effect": "WRITE", "decision": "allow"}])
    assert try_to_write(start("stdio", own_project, own_state, answer="deny")) == "E_POLICY_VIOLATION"
    assert (own_project / START).read_text() == SCENE

    trust(own_project, own_state)
    assert try_to_write(start("stdio", own_project, own_state, answer="deny")) is None
    assert (own_project / START).read_text() == "new\n"

    policy.write_text(policy.read_text() + "\n")
    put(own_project, START, SCENE)
    assert try_to_write(start("stdio", own_project, own_state, answer="deny")) == "E_POLICY_VIOLATION"


def test_trust_granted_or_revoked_applies_to_running_programs(start: Start, own_project: Path, own_state: Path) -> None:
    put_policy(own_project, [{"effect": "WRITE", "decision": "allow"}])
    client = start("stdio", own_project, own_state, answer="deny")
    assert try_to_write(client) == "E_POLICY_VIOLATION"
    trust(own_project, own_state)
    assert try_to_write(client) is None
    put(own_project, START, SCENE)
    assert run("policy", "distrust", "--project", own_project, "--state", own_state).returncode == 0
    assert try_to_write(client) == "E_POLICY_VIOLATION"


def test_trust_is_of_the_content_and_not_of_the_file(start: Start, own_project: Path, own_state: Path) -> None:
    policy = put_policy(own_project, [{"effect": "WRITE", "decision": "allow"}])
    trust(own_project, own_state)
    trusted = policy.read_bytes()
    client = start("stdio", own_project, own_state, answer="deny")
    put_policy(own_project, [{"effect": "WRITE", "decision": "allow"}, {"effect": "READ", "decision": "allow"}])
    assert try_to_write(client) == "E_POLICY_VIOLATION"
    policy.write_bytes(trusted)
    assert try_to_write(client) is None


LOOSE: dict[str, Any] = {
    "forbiddenDirs": [],
    "writeRequiresDiff": False,
    "maxReadBytes": 10_000_000,
    "batchMaxLines": 100_000,
}


def test_an_untrusted_policy_loosens_nothing(client: Client, project: Path) -> None:
    put_policy(project, **LOOSE)
    put(project, ".git/config", "secret")
    put(project, "many.txt", "x\n")
    info = client.ok("get_runtime_info")
    assert info["sandbox"] == {
        "forbiddenDirs": [".git", "node_modules", ".env"],
        "maxReadBytes": 5_242_880,
        "textEncoding": "utf-8",
    }
    assert client.code("read_file", path=".git/config") == "E_DENY_PATH"
    assert client.code("write_to_file", **WRITE) == "E_POLICY_VIOLATION"
    many = {"path": "many.txt", "content": "y\n" * 2001}
    client.ok("write_to_file", **many, dryRun=True)
    assert client.code("write_to_file", **many, dryRun=False) == "E_POLICY_VIOLATION"


def test_a_trusted_policy_can_loosen_everything_except_handrails_own_folders(
    start: Start, own_project: Path, own_state: Path
) -> None:
    put_policy(own_project, **LOOSE)
    put(own_project, ".git/config", "hello")
    trust(own_project, own_state)
    client = start("stdio", own_project, own_state, answer="allow")
    info = client.ok("get_runtime_info")
    assert info["sandbox"]["forbiddenDirs"] == []
    assert info["sandbox"]["maxReadBytes"] == 10_000_000
    assert client.ok("read_file", path=".git/config")["content"] == "hello"
    assert client.ok("write_to_file", **WRITE)["applied"] is True
    client.write("many.txt", "y\n" * 2001)
    for path in (".handrail/policy.json", ".webgal_agent/idem.json", "allowlist.json"):
        assert client.code("read_file", path=path) == "E_DENY_PATH"


def test_an_optional_dry_run_is_still_binding(start: Start, own_project: Path, own_state: Path) -> None:
    put_policy(own_project, writeRequiresDiff=False)
    trust(own_project, own_state)
    client = start("stdio", own_project, own_state, answer="allow")
    client.ok("write_to_file", **{**WRITE, "dryRun": True})
    put(own_project, START, "somebody else's\n")
    assert client.code("write_to_file", **WRITE) == "E_CONFLICT"


def test_the_users_rules_apply_in_every_project(start: Start, own_project: Path, own_state: Path) -> None:
    put(own_state, "config.toml", '[[rules]]\ntool = "write_to_file"\neffect = "WRITE"\ndecision = "allow"\n')
    assert try_to_write(start("stdio", own_project, own_state, answer="deny")) is None
    put_policy(own_project, [{"effect": "WRITE", "decision": "deny"}])
    assert try_to_write(start("cli", own_project, own_state, answer="allow")) == "E_POLICY_VIOLATION"


def test_a_broken_user_configuration_stops_the_program(own_project: Path, own_state: Path) -> None:
    put(own_state, "config.toml", '[[rules]]\ntool = "write_to_file"\ndecision = "perhaps"\n')
    result = run("mcp", "--project", own_project, "--state", own_state)
    assert result.returncode == 1
    assert "config.toml" in result.stderr


def test_no_tool_can_write_policies(start: Start, own_project: Path) -> None:
    """Neither the project's policy nor the state directory, even if that is inside the project."""
    state = own_project / "kept/state"
    client = start("stdio", own_project, state, answer="allow")
    own = [".handrail/policy.json", "kept/state/config.toml", "kept/state/trusted.json", "KEPT/State/config.toml"]
    for path in own:
        for params in ({"content": "x", "dryRun": True}, {"content": "x", "dryRun": False}):
            assert client.code("write_to_file", path=path, **params) == "E_DENY_PATH", path
        assert client.code("replace_in_file", path=path, find="a", replace="b") == "E_DENY_PATH", path
    assert client.code("read_file", path="kept/state/config.toml") == "E_DENY_PATH"
    assert client.ok("list_files", path="kept")["entries"] == []
    assert client.ok("search_files", path=".", regex="executionId")["matches"] == []


def test_a_disabled_tool_is_reported_as_disabled(start: Start, own_project: Path, own_state: Path) -> None:
    client = start("stdio", own_project, own_state, tools="")
    assert isinstance(client, Stdio)
    assert client.request("tools/list", {})["tools"] == []
    error = client.error("read_file", path="notes.md")
    assert error["code"] == "E_TOOL_DISABLED"
    assert "--tools" in error["hint"]


def test_the_surfaces_that_are_picked_are_there(start: Start, own_project: Path, own_state: Path) -> None:
    client = start("stdio", own_project, own_state, tools="workspace,webgal,browser,desktop,apps,people")
    assert client.ok("read_file", path="notes.md")


def test_an_unknown_surface_stops_the_program(own_project: Path, own_state: Path) -> None:
    result = run("mcp", "--project", own_project, "--state", own_state, "--tools", "workspce")
    assert result.returncode == 1
    assert "workspace" in result.stderr
