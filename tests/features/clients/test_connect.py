"""`handrail connect`: what it writes into clients' files, that it works from there, and that it can be undone."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from handrail.features.clients.client import Client, Home, Launch
from handrail.features.clients.connection import Connections
from handrail.features.clients.known_clients import CLIENTS
from tests.faces.cli.machine import HANDRAIL, Machine

CODEX = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "true"\n'
CLAUDE = {"mcpServers": {"other": {"command": "true"}}, "projects": {"/p": {"history": ["ü"]}}}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    for name in ("home", "project", "state"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Machine(tmp_path / "project", tmp_path / "state")


@pytest.fixture
def home(machine: Machine) -> Path:
    return Path(os.environ["HOME"])


def test_claude_code_gets_the_tools_and_its_own_permission_for_them(machine: Machine, home: Path) -> None:
    (home / ".claude.json").write_text(json.dumps(CLAUDE, ensure_ascii=False))
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"permissions": {"allow": ["Bash(ls)"]}}')
    done = machine.run("connect", "claude", "--yes", HOME=str(home))
    assert done.status == 0, done.err
    assert "Claude Code is connected" in done.out
    written = json.loads((home / ".claude.json").read_text())
    assert written.pop("mcpServers") == {
        "other": {"command": "true"},
        "handrail": {
            "type": "stdio",
            "command": str(HANDRAIL),
            "args": ["mcp", "--state", str(machine.state)],
            "env": {},
        },
    }
    assert written == {"projects": CLAUDE["projects"]}
    settings = json.loads((home / ".claude/settings.json").read_text())
    assert settings == {"permissions": {"allow": ["Bash(ls)", "mcp__handrail"]}}

    assert machine.run("disconnect", "claude", HOME=str(home)).status == 0
    assert json.loads((home / ".claude.json").read_text()) == CLAUDE
    assert json.loads((home / ".claude/settings.json").read_text()) == {"permissions": {"allow": ["Bash(ls)"]}}


def test_codex_keeps_every_other_line_of_its_file(machine: Machine, home: Path) -> None:
    (home / ".codex").mkdir()
    file = home / ".codex/config.toml"
    file.write_text(CODEX)
    for _ in range(2):  # repeating it changes nothing
        done = machine.run("connect", "codex", "--yes", "--json", HOME=str(home))
        assert done.status == 0, done.err
        assert done.json["project"] == str(machine.project)
        assert done.json["tools"] > 20
        assert file.read_text().startswith(CODEX)
    entry = tomllib.loads(file.read_text())["mcp_servers"]["handrail"]
    assert entry["default_tools_approval_mode"] == "approve"
    assert machine.run("disconnect", "codex", HOME=str(home)).status == 0
    assert file.read_text() == CODEX


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_files_that_were_not_there_are_gone_afterwards(machine: Machine, home: Path, client: Client) -> None:
    launch = Launch(str(HANDRAIL), machine.state, client.project(machine.project))
    edits = client.edits(Home.of_user(), launch)
    connections = Connections(machine.state)
    assert not connections.is_connected(client)
    for _ in range(2):
        connections.connect(client, edits)
        assert connections.is_connected(client)
        assert client.is_found(Home.of_user())
        assert {file for file in home.rglob("*") if file.is_file()} == {edit.file for edit in edits}
    assert connections.disconnect(client) == []
    assert not [file for file in home.rglob("*") if file.is_file()]


def test_a_link_stays_a_link(machine: Machine, home: Path) -> None:
    (home / "dotfiles").mkdir()
    real = home / "dotfiles/claude.json"
    real.write_text("{}")
    (home / ".claude.json").symlink_to(real)
    assert machine.run("connect", "claude", "--yes", HOME=str(home)).status == 0
    assert (home / ".claude.json").is_symlink()
    assert "handrail" in json.loads(real.read_text())["mcpServers"]


def test_what_somebody_changed_since_is_left_and_named(machine: Machine, home: Path) -> None:
    assert machine.run("connect", "gemini", "--yes", HOME=str(home)).status == 0
    file = home / ".gemini/settings.json"
    mine = {"mcpServers": {"handrail": {"command": "mine"}}}
    file.write_text(json.dumps(mine))
    done = machine.run("disconnect", "gemini", HOME=str(home))
    assert "mcpServers.handrail" in done.out
    assert json.loads(file.read_text()) == mine


def test_an_entry_of_somebody_else_is_not_replaced(machine: Machine, home: Path) -> None:
    (home / ".gemini").mkdir()
    file = home / ".gemini/settings.json"
    file.write_text('{"mcpServers": {"handrail": {"command": "mine"}}}')
    done = machine.run("connect", "gemini", "--yes", HOME=str(home))
    assert (done.status, "did not write" in done.err) == (1, True)
    assert json.loads(file.read_text()) == {"mcpServers": {"handrail": {"command": "mine"}}}


@pytest.mark.parametrize("text", ['{"a": 1, // why\n}', "[1]", "\xff"])
def test_a_file_that_can_not_be_read_is_left_alone(machine: Machine, home: Path, text: str) -> None:
    (home / ".gemini").mkdir()
    file = home / ".gemini/settings.json"
    file.write_bytes(text.encode("latin-1"))
    done = machine.run("connect", "gemini", "--yes", HOME=str(home))
    assert done.status == 1
    assert str(file) in done.err
    assert file.read_bytes() == text.encode("latin-1")


def test_a_client_finds_the_project_that_it_works_on(machine: Machine, home: Path) -> None:
    """Cursor names it by a placeholder, Cline gets the folder itself, opencode's entry has another shape."""
    for name in ("cursor", "cline", "opencode"):
        done = machine.run("connect", name, "--yes", "--json", HOME=str(home))
        assert done.status == 0, done.err
        assert done.json["project"] == str(machine.project)
    listed = machine.run("connect", "--json", HOME=str(home)).json["clients"]
    assert {client["name"] for client in listed if client["connected"]} == {"cursor", "cline", "opencode"}


def test_without_a_terminal_nothing_is_written_unless_told(machine: Machine, home: Path) -> None:
    done = machine.run("connect", "gemini", HOME=str(home))
    assert (done.status, "--yes" in done.err) == (1, True)
    assert not (home / ".gemini").exists()


def test_an_unknown_client_and_one_that_is_not_connected(machine: Machine, home: Path) -> None:
    assert "claude, codex" in machine.run("connect", "nope", HOME=str(home)).err
    assert "isn't connected" in machine.run("disconnect", "codex", HOME=str(home)).err
