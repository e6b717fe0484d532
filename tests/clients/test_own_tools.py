"""A new user's path: after `handrail connect`, a client's own shell needs approval and is recorded."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.clients.places import Places
from tests.clients.real_clients import CODEX, PROGRAMS, REAL_CLIENTS, RealClient, running
from tests.clients.script import Say, Turn, Use
from tests.e2e.servers import audit_records
from tests.effort import first_of

SHELL = {"claude": ("Bash", "command"), "codex": ("exec_command", "cmd"), "gemini": ("run_shell_command", "command")}
OPTIONS = {
    "claude": ["--allowedTools", "Bash"],
    "codex": ["-s", "danger-full-access"],
    "gemini": ["--approval-mode", "yolo"],
}
"""Each client leaves approvals to the hook. Codex isn't configured here to trust hooks: connecting does that."""


@pytest.mark.parametrize(
    "client", first_of("clients", *((client,) for client in REAL_CLIENTS), suite=0), ids=lambda client: client.name
)
def test_a_clients_own_shell_asks_and_is_recorded(client: RealClient, tmp_path: Path) -> None:
    places = Places.below(tmp_path)
    file = places.project / "door.txt"
    file.write_text("The door is open.\n")
    places.handrail("connect", client.name, "--yes")
    tool, parameter = SHELL[client.name]
    edit, remove = "sed -i s/open/closed/ door.txt", "rm door.txt"
    more = {} if client is CODEX else {"description": "Work on the door"}
    turns: list[Turn] = [Use(tool, {parameter: edit, **more}), Use(tool, {parameter: remove, **more}), Say("Done.")]
    with running(client, places.project, places.home, turns, options=OPTIONS[client.name]) as client_process:
        question = places.person.answers("--ok")
        assert edit in str(question["prompt"])
        assert file.read_text() == "The door is open.\n"
        places.person.answers("--cancel")
        transcript = client_process.finish()
    assert (transcript.status, file.read_text()) == (0, "The door is closed.\n")
    shell = [each for each in audit_records(places.state) if each.get("tool") == "native_shell"]
    assert [(each["event"], each.get("ok")) for each in shell] == [("begin", None), ("end", True), ("end", False)]


@pytest.mark.trial("clients", is_long=True)
def test_codex_reports_that_it_runs_our_hooks_and_the_users(tmp_path: Path) -> None:
    """A hook's hash and its key with the position are defined by Codex, so its own program is asked."""
    places = Places.below(tmp_path)
    theirs = {"matcher": "*", "hooks": [{"type": "command", "command": "/bin/true"}]}
    file = places.home / ".codex/hooks.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"hooks": {"PreToolUse": [theirs]}}))
    assert "Its hooks don't run yet" not in places.handrail("connect", "codex", "--yes")
    trusted = {each["command"]: each["trustStatus"] for each in codex_hooks(places)}
    assert trusted.pop("/bin/true") == "untrusted"
    assert set(trusted.values()) == {"trusted"}
    assert list_hooks(places)["hooks"] == "on"

    ours = json.loads(file.read_text())["hooks"]["PreToolUse"]
    file.write_text(json.dumps({"hooks": {**json.loads(file.read_text())["hooks"], "PreToolUse": ours[::-1]}}))
    assert list_hooks(places)["hooks"] == "untrusted"
    assert "not trusted yet" in places.handrail("connect")
    places.handrail("disconnect", "codex")
    assert json.loads(file.read_text()) == {"hooks": {"PreToolUse": [theirs]}}


def list_hooks(places: Places) -> dict[str, object]:
    clients = json.loads(places.handrail("connect", "--json"))["clients"]
    return next(each for each in clients if each["name"] == "codex")


def codex_hooks(places: Places) -> list[dict[str, str]]:
    requests = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(places.project)]}},
    ]
    command = [str(PROGRAMS / "codex"), "app-server"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=places.environment, cwd=places.project) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in requests))
        server.stdin.flush()
        answer = next(each for each in map(json.loads, server.stdout) if each.get("id") == 2)
        server.terminate()
    return list(answer["result"]["data"][0]["hooks"])
