"""Attacks on the scope of an approval in a running program: none gets more than the person was shown."""

import json
import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from tests.persons import HANDRAIL, Person
from tests.wire.clients import Client, Json, Start, Stdio
from tests.wire.conftest import *  # noqa: F403 - its fixtures start real servers
from tests.wire.test_approval import waiting


def put(client: Client, path: str, content: str = "x\n") -> Json:
    client.ok("write_to_file", path=path, content=content, dryRun=True)
    return {"path": path, "content": content, "dryRun": False}


def allowed_always(client: Client, person: Person, path: str) -> None:
    with waiting(partial(client.call, "write_to_file", put(client, path))) as outcome:
        person.answers("--ok", "--for", "rule")
    assert outcome().error is None


def is_asked(client: Client, person: Person, path: str) -> bool:
    with waiting(partial(client.call, "write_to_file", put(client, path, "y\n"))) as outcome:
        person.answers("--cancel")
    return outcome().code == "E_POLICY_VIOLATION"


@pytest.mark.parametrize(
    ("named", "others"), [("*", ["a.txt", "game/b.txt"]), ("pages/[id].tsx", ["pages/i.tsx", "pages/d.tsx"])]
)
def test_allowing_a_file_whose_name_is_a_pattern_allows_only_that_file(
    start: Start, own_project: Path, own_state: Path, named: str, others: list[str]
) -> None:
    client, person = start("stdio", own_project, own_state), Person(own_state)
    allowed_always(client, person, named)
    assert client.call("write_to_file", put(client, named, "again\n")).error is None
    assert [path for path in others if not is_asked(client, person, path)] == []


def test_an_approval_in_one_project_does_not_count_in_another(
    start: Start, own_project: Path, own_state: Path, tmp_path: Path
) -> None:
    person = Person(own_state)
    allowed_always(start("stdio", own_project, own_state), person, "notes.md")
    other = tmp_path / "other"
    other.mkdir()
    assert is_asked(start("stdio", other, own_state), person, "notes.md")


def test_a_late_yes_in_one_project_does_not_count_for_the_same_call_in_another(
    start: Start, own_project: Path, own_state: Path, tmp_path: Path
) -> None:
    person, folder = Person(own_state), {"path": "build", "dryRun": False}
    client = start("stdio", own_project, own_state)
    assert isinstance(client, Stdio)
    with waiting(partial(client.call, "make_folder", folder)) as outcome:
        person.sees()
        client.close()
    with pytest.raises(AssertionError, match="gone"):
        outcome()
    person.answers("--ok")
    other = tmp_path / "other"
    other.mkdir()
    with waiting(partial(start("stdio", other, own_state).call, "make_folder", folder)) as outcome:
        person.answers("--cancel")
    assert outcome().code == "E_POLICY_VIOLATION"
    assert not (other / "build").exists()


def test_a_removed_rule_no_longer_applies_in_a_running_program(
    start: Start, own_project: Path, own_state: Path
) -> None:
    client, person = start("stdio", own_project, own_state), Person(own_state)
    allowed_always(client, person, "notes.md")
    listing = _handrail(own_state, "rules", "list", "--json")
    (rule,) = json.loads(listing)["rules"]
    assert (rule["path"], rule["project"]) == ("notes.md", str(own_project.resolve()))
    _handrail(own_state, "rules", "remove", rule["id"])
    assert is_asked(client, person, "notes.md")


@pytest.mark.parametrize(
    "path", [".env.local", ".ENV.production", "deploy/server.key", ".ssh/config", "id_rsa.bak", "host:8443.key"]
)
def test_files_of_secrets_are_closed_until_a_rule_names_them(
    start: Start, own_project: Path, own_state: Path, path: str
) -> None:
    file = own_project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("token=needle\n")
    client = start("stdio", own_project, own_state, answer="allow")
    assert client.code("read_file", path=path) == "E_DENY_PATH"
    assert client.code("write_to_file", path=path, content="", dryRun=True) == "E_DENY_PATH"
    assert client.ok("search_files", path=".", regex="needle")["matches"] == []
    assert path not in client.ok("list_files", path=".", globs=["**"])["entries"]
    rule = f'[[rules]]\ntool = "read_file"\npath = "{path}"\ndecision = "allow"\n'
    (own_state / "config.toml").write_text(rule)
    assert client.ok("read_file", path=path)["content"] == "token=needle\n"
    assert client.code("write_to_file", path=path, content="", dryRun=True) == "E_DENY_PATH"


CLOSED = [".env", ".Env.prod", ".npmrc", ".ssh/x", "id_rsa.pub", "a/.kube/config", ".docker/config.json", "x.pem"]
FILE_TOOLS: dict[str, Json] = {
    "read_file": {}, "read_media": {}, "file_info": {}, "list_files": {}, "search_files": {"regex": "needle"},
    "edit_file": {"edits": [{"oldText": "needle", "newText": "x"}]}, "delete_path": {}, "make_folder": {},
    "replace_in_file": {"find": "needle", "replace": "x"}, "write_to_file": {"content": "x", "dryRun": True},
    "validate_script": {}, "copy_path": {"to": "out"}, "move_path": {"to": "out"},
}  # fmt: skip
"""The tools that take the path of a file or folder, with their other parameters. `list_snapshots` lists nothing."""


def test_no_tool_reads_lists_changes_or_moves_a_file_of_secrets_or_a_folder_with_one(
    start: Start, own_project: Path, own_state: Path
) -> None:
    for path in CLOSED:
        (own_project / path).parent.mkdir(parents=True, exist_ok=True)
        (own_project / path).write_text("token=needle\n")
    (own_project / "plain.txt").write_text("plain\n")
    client = start("stdio", own_project, own_state, answer="allow", tools="all")
    assert isinstance(client, Stdio)
    listed = client.request("tools/list", {})["tools"]
    with_path = {each["name"] for each in listed if "path" in each["inputSchema"].get("required", ())}
    of_others = {name for name in with_path if name.startswith(("browser_", "desktop_"))}
    assert with_path - of_others <= {*FILE_TOOLS, "list_snapshots"}
    for path in CLOSED:
        for tool, more in FILE_TOOLS.items():
            assert client.code(tool, path=path, **more) == "E_DENY_PATH", (tool, path)
        for tool in ("copy_path", "move_path"):
            assert client.code(tool, path="plain.txt", to=path) == "E_DENY_PATH", (tool, path)
        (file,) = client.ok("read_files", files=[{"path": path}])["files"]
        assert file["error"]["code"] == "E_DENY_PATH", path
        assert client.code("write_files", files=[{"path": path, "content": "x"}]) == "E_DENY_PATH", path
    for folder in ("a/.kube", "a", ".docker"):
        for tool in ("copy_path", "move_path", "delete_path"):
            assert client.code(tool, path=folder, **FILE_TOOLS[tool]) == "E_DENY_PATH", (tool, folder)
    assert not (own_project / "out").exists()


def test_an_untrusted_policy_can_not_disable_undo(start: Start, own_project: Path, own_state: Path) -> None:
    folder = own_project / ".handrail"
    folder.mkdir(exist_ok=True)
    (folder / "policy.json").write_text(json.dumps({"policies": {"snapshotRetention": 1}}))
    client = start("stdio", own_project, own_state, answer="allow")
    assert client.ok("get_runtime_info")["snapshotRetention"] == 20


def test_a_prompt_that_pretends_to_be_handrails_is_shown_as_another_programs(own_state: Path) -> None:
    prompt = {"kind": "file_change_confirm", "title": "Write a.txt", "source": "handrail/write_to_file"}
    line = {"ts": "2026-01-01T00:00:00.000Z", "type": "ui_prompt", "action": "request", "requestId": "approval_0_1"}
    own_state.mkdir(parents=True, exist_ok=True)
    (own_state / "ui-prompts.jsonl").write_text(json.dumps({**line, "prompt": prompt}) + "\n")
    (shown,) = json.loads(_handrail(own_state, "prompts", "list", "--json"))["prompts"]
    assert (shown["isOwn"], shown["claimedSource"]) == (False, "handrail/write_to_file")
    page = _handrail(own_state, "prompts", "show", "approval_0_1")
    assert "from: another program, which calls itself handrail/write_to_file (not handrail)" in page


@pytest.mark.parametrize("hidden", ["\ufe0f", "\u034f", "\u3164", "\u2800", "\n"])
def test_nothing_hides_in_a_question(start: Start, own_project: Path, own_state: Path, hidden: str) -> None:
    client, person = start("stdio", own_project, own_state), Person(own_state)
    with waiting(partial(client.call, "write_to_file", put(client, f"a{hidden}b.txt"))) as outcome:
        prompt = person.answers("--cancel")["prompt"]
    assert outcome().code == "E_POLICY_VIOLATION"
    assert hidden not in prompt["title"] + prompt["path"]
    assert hidden not in prompt["diff"].split("@@")[0].replace("\n+++ ", "").replace("\n", "", 1)


def _handrail(state: Path, *words: str) -> str:
    result = subprocess.run(
        [HANDRAIL, *words, "--state", str(state)], capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    assert result.returncode == 0, result.stderr
    return result.stdout
