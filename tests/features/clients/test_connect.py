"""`handrail connect`: what it writes into clients' files, that it works from there, and that it can be undone."""

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from handrail.features.clients.client import Client
from handrail.features.clients.known_clients import CLIENTS
from handrail.features.clients.setup import ClientSetup
from tests.faces.cli.machine import HANDRAIL, Machine
from tests.faces.cli.terminal import Terminal
from tests.keyring_session import keyring_session
from tests.persons import without_presence

FILE_SERVER = Path(__file__).parents[2] / "peers/node_modules/.bin/mcp-server-filesystem"
ODD_SERVER = Path(__file__).parents[1] / "gateway/odd_server.py"
CODEX = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "true"\n'
CLAUDE = {"mcpServers": {"other": {"command": "true"}}, "projects": {"/p": {"history": ["ü"]}}}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    for name in ("home", "project", "state"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    without_presence(tmp_path / "state")
    return Machine(tmp_path / "project", tmp_path / "state")


@pytest.fixture
def home(machine: Machine) -> Path:
    return Path(os.environ["HOME"])


def test_claude_code_gets_the_tools_and_its_own_permission_for_them(machine: Machine, home: Path) -> None:
    (home / ".claude.json").write_text(json.dumps(CLAUDE, ensure_ascii=False))
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"permissions": {"allow": ["Bash(ls)"]}}')
    result = machine.run("connect", "claude", "--yes", HOME=str(home))
    assert result.status == 0, result.err
    assert "Claude Code is connected" in result.out
    data = json.loads((home / ".claude.json").read_text())
    assert data.pop("mcpServers") == {
        "other": {"command": "true"},
        "handrail": {
            "type": "stdio",
            "command": str(HANDRAIL),
            "args": ["mcp", "--state", str(machine.state)],
            "timeout": 3_600_000,
            "env": {},
        },
    }
    assert data == {"projects": CLAUDE["projects"]}
    settings = json.loads((home / ".claude/settings.json").read_text())
    assert settings["permissions"] == {"allow": ["Bash(ls)", "mcp__handrail"]}
    (before,) = settings["hooks"]["PreToolUse"]
    assert f" hook claude --state {machine.state} " in before["hooks"][0]["command"]
    listing = {each["name"]: each for each in machine.run("connect", "--json", HOME=str(home)).json["clients"]}
    assert (listing["claude"]["hooks"], listing["gemini"]["hooks"], listing["vscode"]["hooks"]) == (
        "on",
        "off",
        "unsupported",
    )

    assert machine.run("disconnect", "claude", HOME=str(home)).status == 0
    assert json.loads((home / ".claude.json").read_text()) == CLAUDE
    assert json.loads((home / ".claude/settings.json").read_text()) == {"permissions": {"allow": ["Bash(ls)"]}}


@pytest.mark.trial("connecting", is_long=True)
def test_codex_keeps_every_other_line_of_its_file(machine: Machine, home: Path) -> None:
    (home / ".codex").mkdir()
    file = home / ".codex/config.toml"
    file.write_text(CODEX)
    for _ in range(2):  # repeating it changes nothing
        result = machine.run("connect", "codex", "--yes", "--json", HOME=str(home))
        assert result.status == 0, result.err
        assert result.json["project"] == str(machine.project)
        assert result.json["tools"] > 10
        assert file.read_text().startswith(CODEX)
    entry = tomllib.loads(file.read_text())["mcp_servers"]["handrail"]
    assert entry["default_tools_approval_mode"] == "approve"
    assert machine.run("disconnect", "codex", HOME=str(home)).status == 0
    assert file.read_text() == CODEX


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_files_that_did_not_exist_before_are_removed_again(machine: Machine, home: Path, client: Client) -> None:
    setup = ClientSetup(machine.state)
    assert not setup.state_of(client).has_tools
    for _ in range(2):
        setup.connect(client, machine.project)
        state = setup.state_of(client)
        assert (state.is_installed, state.has_tools, state.hooks in ("on", "unsupported")) == (True, True, True)
        written = {edit.file for edit in setup.edits(client, machine.project)}
        assert {file for file in home.rglob("*") if file.is_file()} == written
    assert setup.disconnect(client, {}) == []
    assert not [file for file in home.rglob("*") if file.is_file()]


def test_entries_of_an_earlier_version_elsewhere_are_removed(
    machine: Machine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    codex = next(client for client in CLIENTS if client.name == "codex")
    ClientSetup(machine.state).connect(codex, machine.project)
    monkeypatch.setenv("CODEX_HOME", str(home / "moved"))
    ClientSetup(machine.state).connect(codex, machine.project)
    assert {file.parent.name for file in home.rglob("*") if file.is_file()} == {"moved"}


def test_a_link_stays_a_link(machine: Machine, home: Path) -> None:
    (home / "dotfiles").mkdir()
    real = home / "dotfiles/claude.json"
    real.write_text("{}")
    (home / ".claude.json").symlink_to(real)
    assert machine.run("connect", "claude", "--yes", HOME=str(home)).status == 0
    assert (home / ".claude.json").is_symlink()
    assert "handrail" in json.loads(real.read_text())["mcpServers"]


def test_entries_changed_by_the_user_are_kept_and_named(machine: Machine, home: Path) -> None:
    assert machine.run("connect", "gemini", "--yes", HOME=str(home)).status == 0
    file = home / ".gemini/settings.json"
    mine = {"mcpServers": {"handrail": {"command": "mine"}}}
    file.write_text(json.dumps(mine))
    result = machine.run("disconnect", "gemini", HOME=str(home))
    assert "mcpServers.handrail" in result.out
    assert json.loads(file.read_text()) == mine


def test_an_entry_of_somebody_else_is_not_replaced(machine: Machine, home: Path) -> None:
    (home / ".gemini").mkdir()
    file = home / ".gemini/settings.json"
    file.write_text('{"mcpServers": {"handrail": {"command": "mine"}}}')
    result = machine.run("connect", "gemini", "--yes", HOME=str(home))
    assert (result.status, "did not write" in result.err) == (1, True)
    assert json.loads(file.read_text()) == {"mcpServers": {"handrail": {"command": "mine"}}}


@pytest.mark.parametrize("text", ["[1]", "\xff"])
def test_an_unreadable_file_is_not_changed(machine: Machine, home: Path, text: str) -> None:
    (home / ".gemini").mkdir()
    file = home / ".gemini/settings.json"
    file.write_bytes(text.encode("latin-1"))
    result = machine.run("connect", "gemini", "--yes", HOME=str(home))
    assert result.status == 1
    assert str(file) in result.err
    assert file.read_bytes() == text.encode("latin-1")


def test_if_one_file_can_not_be_changed_none_is(machine: Machine, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude.json").write_text(json.dumps(CLAUDE))
    (home / ".claude/settings.json").write_text('{"permissions": {"allow": "everything"}}')
    result = machine.run("connect", "claude", "--yes", HOME=str(home))
    assert (result.status, "`permissions.allow` isn't a list" in result.err) == (1, True)
    assert json.loads((home / ".claude.json").read_text()) == CLAUDE
    listing = machine.run("connect", "--json", HOME=str(home)).json["clients"]
    assert [each["connected"] for each in listing if each["name"] == "claude"] == [False]


def test_a_hook_setting_that_is_not_a_list_is_named(machine: Machine, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text('{"hooks": {"PreToolUse": {"x": 1}}}')
    result = machine.run("connect", "codex", "--yes", HOME=str(home))
    assert (result.status, "`hooks.PreToolUse` isn't a list" in result.err) == (1, True)
    assert not (home / ".codex/config.toml").exists()


def test_a_byte_order_mark_stays(machine: Machine, home: Path) -> None:
    (home / ".codex").mkdir()
    file = home / ".codex/config.toml"
    file.write_bytes(b"\xef\xbb\xbf" + CODEX.encode())
    assert machine.run("connect", "codex", "--yes", HOME=str(home)).status == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbf# mine\n")
    assert machine.run("disconnect", "codex", HOME=str(home)).status == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + CODEX.encode()


def test_a_pipe_instead_of_a_configuration_file_is_reported_without_blocking(machine: Machine, home: Path) -> None:
    os.mkfifo(home / ".claude.json")
    result = machine.run("connect", "claude", "--yes", HOME=str(home))
    assert (result.status, "isn't a file" in result.err) == (1, True)


@pytest.mark.trial("connecting", is_long=True)
def test_a_client_finds_the_project_that_it_works_on(machine: Machine, home: Path) -> None:
    """Cursor names it by a placeholder, Cline gets the folder itself, opencode's entry has another shape."""
    for name in ("cursor", "cline", "opencode"):
        result = machine.run("connect", name, "--yes", "--json", HOME=str(home))
        assert result.status == 0, result.err
        assert result.json["project"] == str(machine.project)
    listing = machine.run("connect", "--json", HOME=str(home)).json["clients"]
    assert {client["name"] for client in listing if client["connected"]} == {"cursor", "cline", "opencode"}


def test_without_a_terminal_nothing_is_written_unless_confirmed_by_option(machine: Machine, home: Path) -> None:
    result = machine.run("connect", "gemini", HOME=str(home))
    assert (result.status, "--yes" in result.err) == (1, True)
    assert not (home / ".gemini").exists()


def test_unknown_and_unconnected_clients_are_reported(machine: Machine, home: Path) -> None:
    assert "claude, codex" in machine.run("connect", "nope", HOME=str(home)).err
    assert "isn't connected" in machine.run("disconnect", "codex", HOME=str(home)).err


@pytest.mark.trial("connecting", is_long=True)
@pytest.mark.parametrize("words", [("connect", "gemini", "--yes"), ("disconnect", "gemini")])
def test_an_agent_can_neither_connect_nor_disconnect(
    machine: Machine, home: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """The shell of an agent's program: known by its name, whether or not it uses handrail."""
    assert machine.run("connect", "gemini", "--yes", HOME=str(home)).status == 0
    before = (home / ".gemini/settings.json").read_bytes()
    (machine.state / "config.toml").unlink()
    agent = tmp_path / "claude"
    agent.symlink_to("/bin/sh")
    status, err = in_shell(machine, home, f"{HANDRAIL} {' '.join(words)}; exit $?", agent)
    assert (status, "is for a person, and an agent's process" in err) == (1, True), err
    assert (home / ".gemini/settings.json").read_bytes() == before


@pytest.mark.alone
def test_checking_a_connection_does_not_register_the_person_as_an_agent(machine: Machine, home: Path) -> None:
    """Alone: a test beside it may start `handrail mcp`, as agents do, and has the same parent."""
    (machine.state / "config.toml").unlink()
    command = f"{HANDRAIL} connect gemini --yes && {HANDRAIL} disconnect gemini; exit $?"
    status, err = in_shell(machine, home, command)
    assert status == 0, err


def in_shell(machine: Machine, home: Path, command: str, shell: Path = Path("/bin/sh")) -> tuple[int, str]:
    environ = machine.environ(HOME=str(home))
    result = subprocess.run([shell, "-c", command], env=environ, cwd=machine.project, capture_output=True, timeout=60)
    return result.returncode, result.stderr.decode()


def test_comments_in_a_configuration_stay(machine: Machine, home: Path) -> None:
    file = home / ".config/opencode/opencode.json"
    file.parent.mkdir(parents=True)
    text = '{\n  // my theme\n  "theme": "dark", // at night\n}\n'
    file.write_text(text)
    assert machine.run("connect", "opencode", "--yes", HOME=str(home)).status == 0
    assert "// at night" in file.read_text()
    assert machine.run("disconnect", "opencode", HOME=str(home)).status == 0
    assert file.read_text() == text


@pytest.mark.trial("connecting", is_long=True)
def test_the_list_says_how_far_each_client_is_covered_and_what_can_not_be_read(machine: Machine, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text("[")
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text('{"mcpServers": {"github": {"command": "npx"}}}')
    assert machine.run("connect", "gemini", "--yes", HOME=str(home)).status == 0
    listing = {each["name"]: each for each in machine.run("connect", "--json", HOME=str(home)).json["clients"]}
    assert (listing["gemini"]["connected"], listing["gemini"]["otherServers"]) == (True, ["github"])
    assert "isn't valid TOML" in listing["codex"]["trouble"]
    assert listing["gemini"]["cage"] in ("full", "narrow", "none")
    assert listing["cursor"]["cage"] == "unsupported"
    result = machine.run("connect", HOME=str(home)).out
    gemini = next(line for line in result.splitlines() if line.startswith("gemini"))
    assert gemini.split()[3:5] == ["yes", "yes"]
    assert "can't be read" in result
    assert "also uses github" in result


@pytest.mark.trial("connecting", is_long=True)
def test_other_servers_are_moved_behind_the_gate_and_back(
    machine: Machine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that handrail spells differently, and a key: it is in the keyring, and in no file of ours."""
    (home / ".gemini").mkdir()
    file = home / ".gemini/settings.json"
    entry = {"command": "node", "args": [str(FILE_SERVER), str(machine.project)], "env": {"TOKEN": "s3cret"}}
    text = json.dumps({"mcpServers": {"My_Files": entry, "mine": {"command": "no-such-program"}}}, indent=2)
    file.write_text(text)
    (tmp_path / "session").mkdir()
    with keyring_session(tmp_path / "session") as session:
        for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"):
            monkeypatch.setenv(name, session[name])
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.SecretService.Keyring")
        result = machine.run("connect", "gemini", "--yes", "--move", "My_Files", "--move", "mine", HOME=str(home))
        assert (result.status, "still starts mine itself" in result.err) == (1, True), result
        assert "My_Files is behind handrail" in result.out
        assert "in the keyring" in result.out
        assert "mine was not moved" in result.out
        assert set(json.loads(file.read_text())["mcpServers"]) == {"handrail", "mine"}
        assert not [each for each in machine.state.rglob("*") if each.is_file() and b"s3cret" in each.read_bytes()]
        assert "my-files" in machine.run("servers", "list", HOME=str(home)).out
        again = machine.run("connect", "gemini", "--yes", "--move", "My_Files", HOME=str(home))
        assert again.status == 0, again.err  # once more loses nothing, and it is where it was asked to be
        assert machine.run("disconnect", "gemini", HOME=str(home)).status == 0
        assert json.loads(file.read_text()) == json.loads(text)
        assert "my-files" not in machine.run("servers", "list", HOME=str(home)).out
        assert "client:" not in machine.run("secrets", HOME=str(home)).out


def test_a_person_sees_what_would_run_without_asking_next_to_the_question(machine: Machine, home: Path) -> None:
    (home / ".gemini").mkdir()
    server = [sys.executable, str(ODD_SERVER), "spoofs"]
    settings = {"mcpServers": {"odd": {"command": server[0], "args": server[1:]}}}
    (home / ".gemini/settings.json").write_text(json.dumps(settings))
    terminal = Terminal(machine, "connect", "gemini", stdout_is_terminal=True, HOME=str(home))
    for question in ("Write it?", "behind handrail, too?"):
        terminal.wait_for(question)
        terminal.press("y\n")
    shown = terminal.wait_for("Accept what odd offers?").replace("\r\n", "\n")
    assert "title: Say\\n+tool other" in shown
    assert "\n  say  without asking\n" in shown
    terminal.press("y\n")
    status, _ = terminal.end()
    assert status == 0, terminal.screen
    gone = machine.run("disconnect", "gemini", HOME=str(home))
    assert "starts its server odd itself again" in gone.out
    assert json.loads((home / ".gemini/settings.json").read_text()) == settings


def test_a_server_that_the_client_does_not_have_is_named_before_anything_is_written(
    machine: Machine, home: Path
) -> None:
    result = machine.run("connect", "gemini", "--yes", "--move", "files", HOME=str(home))
    assert (result.status, "has no server 'files'" in result.err) == (1, True), result
    assert not (home / ".gemini").exists()


@pytest.mark.trial("connecting", is_long=True)
def test_without_a_keyring_the_list_says_where_the_keys_of_a_moved_server_are(machine: Machine, home: Path) -> None:
    (home / ".gemini").mkdir()
    entry = {"command": "node", "args": [str(FILE_SERVER), str(machine.project)], "env": {"TOKEN": "s3cret"}}
    (home / ".gemini/settings.json").write_text(json.dumps({"mcpServers": {"files": entry}}))
    assert machine.run("connect", "gemini", "--yes", "--move", "files", HOME=str(home)).status == 0
    holding = [each for each in machine.state.rglob("*") if each.is_file() and b"s3cret" in each.read_bytes()]
    assert [(each.name, stat.S_IMODE(each.stat().st_mode)) for each in holding] == [("secrets.json", 0o600)]
    assert "in a file that only you can read, because there is no keyring" in machine.run("connect", HOME=str(home)).out


def test_a_damaged_record_of_our_edits_is_reported_and_nothing_is_changed(machine: Machine, home: Path) -> None:
    (machine.state / "clients.json").write_text("garbage")
    for words in (("connect", "gemini", "--yes"), ("disconnect", "gemini")):
        result = machine.run(*words, HOME=str(home))
        assert (result.status, "clients.json" in result.err, "Traceback" in result.err) == (1, True, False)
    assert not (home / ".gemini").exists()
    assert "clients.json" in machine.run("connect", HOME=str(home)).out
