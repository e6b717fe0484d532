"""Connects an agent in the console, and moves its other MCP server behind the gate after a review."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.console_person import Browser, Person, up
from tests.faces.http.running import Running
from tests.features.gateway.rig import odd_command
from tests.persons import without_presence


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    command, *args = odd_command("good")
    (tmp_path / "home/.gemini").mkdir(parents=True)
    entry = {"command": command, "args": args, "env": {"TOKEN": "s3cret"}}
    settings = {"mcpServers": {"My_Notes": entry, "broken": {"command": "/no/such/program"}}}
    (tmp_path / "home/.gemini/settings.json").write_text(json.dumps(settings))
    return tmp_path / "home"


@pytest.fixture
def rig(tmp_path: Path, home: Path) -> Iterator[Running]:
    (tmp_path / "project").mkdir()
    without_presence(tmp_path / "state")
    with up(tmp_path / "project", tmp_path / "state") as rig:
        yield rig


def servers(home: Path) -> set[str]:
    return set(json.loads((home / ".gemini/settings.json").read_text())["mcpServers"])


def connected(browser: Browser, rig: Running) -> Person:
    person = browser.person_at(rig, at="connect")
    person.does("press", "Connect Gemini CLI")
    person.does("see", "Gemini CLI is connected and tested")
    return person


@pytest.mark.trial("console", is_long=True)
def test_a_clients_other_server_can_be_reviewed_moved_and_restored(browser: Browser, rig: Running, home: Path) -> None:
    before = servers(home)
    person = browser.person_at(rig, at="connect")
    person.does("see", "handrail run -- gemini")
    person.does("see", "Connect Gemini CLI first.")
    person.does("press", "Connect Gemini CLI")
    person.does("see", "Gemini CLI is connected and tested")
    person.does("see", "Waiting for the first call")  # the connection test did not count
    person.does("press", "Look at broken")
    person.does("see", "No such file or directory. Its entry in Gemini CLI stays as it is.")
    person.does("press", "Look at My_Notes")
    person.does("see", "Says it back.")
    person.does("see", "so they run without asking: say")
    assert person.does("audit", [["light", 1280], ["dark", 360]]) == []
    assert "my-notes" not in (rig.state / "servers.json").read_text(), "a look leaves nothing behind"
    person.does("press", "Accept and move")
    person.does("see", "My_Notes is behind handrail.")
    person.does("see", "in a file that only you can read")
    assert servers(home) == {"handrail", "broken"}
    assert rig.request("POST", "/api/tools/my-notes__say", json={"text": "hi"}).json["data"] == {"text": "hi"}
    person.does("press", "Disconnect Gemini CLI")
    person.does("see", "Gemini CLI is disconnected.")
    assert servers(home) == before


def test_moving_needs_proof_of_presence(browser: Browser, rig: Running, home: Path) -> None:
    person = connected(browser, rig)
    (rig.state / "config.toml").write_text('presence = "always"\n')
    person.does("press", "Look at My_Notes")
    person.does("see", "Says it back.")
    person.does("press", "Accept and move")
    person.does("see", "handrail connect gemini --move My_Notes")
    assert "My_Notes" in servers(home)
    assert "my-notes" not in (rig.state / "servers.json").read_text()


def test_programs_cannot_manage_servers(rig: Running) -> None:
    for path in ("/connect", "/disconnect", "/servers/My_Notes/look", "/servers/My_Notes/move"):
        assert rig.request("POST", f"/api/clients/gemini{path}", json={}).status in (401, 403), path
