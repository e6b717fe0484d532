"""Several programs use the state's database: no command makes a running one miss a revocation."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import click
import pytest

from handrail.__main__ import commands, open_program
from handrail.faces.cli.group import group
from tests.oauth_server import oauth_server
from tests.waiting import until
from tests.wire.clients import HANDRAIL, Up
from tests.wire.test_apps_consents import Agent
from tests.wire.test_desktop_program import Wire, running

WORDS: dict[str, Sequence[str]] = {
    "apps add": ["http://127.0.0.1:9/"],
    "apps call": ["com.example.web", "say", '{"text": "hi"}', "--answer", "deny"],
    "apps check": ["FOLDER/.aai/com.example.web/aai.json"],
    "apps consents revoke": ["no-such-consent"],
    "apps describe": ["com.example.web"],
    "apps login": ["com.example.web", "--no-browser", "--timeout", "1"],
    "apps logout": ["com.example.web"],
    "apps new": ["FOLDER/new-app"],
    "audit": ["verify"],
    "call": ["read_file", '{"path": "a.txt"}'],
    "desktop": ["record", "FOLDER/recipe.json"],
    "desktop-host": ["--until-eof"],
    "model key": ["openai"],
    "model use": ["openai:gpt-5"],
    "open": ["--print"],
    "policy": ["show"],
    "prompts answer": ["no-such-question", "--ok"],
    "prompts show": ["no-such-question"],
    "report": ["--all", "-o", "FOLDER/report.html"],
    "secrets forget": ["no-such-secret"],
    "undo": ["no-such-write"],
    "up": ["--port", "0", "--no-open"],
    "webgal graph": ["."],
}
"""The arguments that a command needs; all others are run by their names."""


def all_commands() -> list[tuple[list[str], set[str]]]:
    """Each with its options, as the program itself lists them."""
    matches: list[tuple[list[str], set[str]]] = []

    def walk(command: click.Command, names: list[str]) -> None:
        context = click.Context(command)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                walk(inner, [*names, name])
        if not isinstance(command, click.Group) or command.invoke_without_command:
            matches.append((names, {option for parameter in command.params for option in parameter.opts}))

    walk(group(commands(), open_program), [])
    return [(names, options) for names, options in matches if names]


class Rig:
    """A running program, and commands on the same state directory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder, folder / "state"
        (folder / "a.txt").write_text("one\n")

    def command(self, names: Sequence[str], options: set[str]) -> None:
        words = [word.replace("FOLDER", str(self.folder)) for word in WORDS.get(" ".join(names), [])]
        places = ["--state", str(self.state)] if "--state" in options else []
        places += ["--project", str(self.folder)] if "--project" in options else []
        message = self.says(*names, *words, *places)
        assert "Traceback" not in message, (names, message)

    def says(self, *words: str) -> str:
        """In a separate interpreter, because SQLite closes files when it ends."""
        environ = {**os.environ, "HOME": str(self.folder), "WEB_KEY": "good-key"}
        result = subprocess.run(
            ["timeout", "20", sys.executable, HANDRAIL, *words],  # `up` would run forever
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environ,
            cwd=self.folder,
            timeout=60,
        )
        return result.stdout

    def consents(self, *words: str) -> str:
        return self.says("apps", "consents", *words, "--state", str(self.state))

    def run_all_commands(self, pid: int) -> None:
        for names, options in all_commands():
            self.command(names, options)
            assert cut_off(pid) == [], f"after `handrail {' '.join(names)}`"

    def run_some_commands(self, pid: int) -> None:
        for names in (["prompts", "list"], ["apps", "consents", "list"], ["audit"]):
            self.command(names, {"--state"})
            assert cut_off(pid) == [], f"after `handrail {' '.join(names)}`"

    def allow_for_good(self, agent: Agent) -> None:
        call = agent.calls("say")
        agent.person.answers("--ok", "--for", "rule")
        assert call.result(30).error is None
        assert agent.calls("say").result(30).error is None, "a consent is not seen by the program that asked"
        assert len(json.loads(self.consents("list", "--json"))["consents"]) == 1, "it is not seen by another program"

    @contextmanager
    def agent(self) -> Iterator[Agent]:
        with oauth_server() as server, closing(Agent(self.folder, server.base)) as agent:
            yield agent


def cut_off(pid: int) -> list[str]:
    """Database files that the program has open and that are no longer in the folder."""
    return [held for held in open_files(pid) if "handrail.db" in held and held.endswith("(deleted)")]


def use_token(wire: Wire) -> None:
    params = {"keys": ["enter"]}
    intent = {"method": "desktop.hotkey", "params": params}
    token = wire.call("desktop.confirm.issue", intent=intent)["result"]["token"]
    assert "result" in wire.call("desktop.hotkey", confirm={"token": token}, **params)
    again = wire.call("desktop.hotkey", confirm={"token": token}, **params)
    assert again["error"]["details"]["reason"] == "used"


def open_files(pid: int) -> list[str]:
    folder = Path("/proc", str(pid), "fd")
    matches = []
    for link in folder.iterdir():
        try:
            matches.append(os.readlink(link))
        except FileNotFoundError:
            continue
    return matches


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def check_agent(rig: Rig, run_commands: Callable[[int], None]) -> None:
    with rig.agent() as agent:
        rig.allow_for_good(agent)
        run_commands(agent._client.process.pid)
        assert agent.calls("say").result(30).error is None
        rig.consents("revoke", "--all")
        asked = agent.calls("say")
        agent.person.answers("--cancel")
        assert asked.result(30).code == "PERMISSION_DENIED"
        rig.allow_for_good(agent)
        held = open_files(agent._client.process.pid)
    assert held.count(str(rig.state / "handrail.db")) == 1, "a program has more than one connection"


@pytest.mark.trial("every command", is_long=True)
def test_no_command_takes_the_database_from_an_agents_program(rig: Rig) -> None:
    check_agent(rig, rig.run_some_commands)


@pytest.mark.trial("every command", is_long=True)
def test_none_of_all_commands_takes_the_database_from_an_agents_program(rig: Rig) -> None:
    check_agent(rig, rig.run_all_commands)


@pytest.mark.trial("every command", is_long=True)
def test_no_command_takes_the_database_from_the_desktop_host(rig: Rig) -> None:
    program = running("tests.scripted_host", str(rig.folder), str(rig.state))
    with program as host, closing(Wire(rig.state / "desktop.sock", rig.folder)) as wire:
        use_token(wire)
        rig.run_some_commands(host.process.pid)
        use_token(wire)


def test_no_command_takes_the_database_from_the_server(rig: Rig) -> None:
    with closing(Up(rig.folder, rig.state)) as server:
        rig.run_some_commands(server.process.pid)


def test_a_program_whose_locks_were_dropped_does_not_act_on_what_was_revoked(rig: Rig) -> None:
    """Through a hard link, a tool opens SQLite's file: closing it drops the locks, and a command removes the log."""
    with rig.agent() as agent:
        rig.allow_for_good(agent)
        assert agent.calls("say").result(30).error is None
        os.link(rig.state / "handrail.db", rig.folder / "harmless.txt")
        agent._client.call("read_file", {"path": "harmless.txt"})
        rig.consents("list")
        rig.consents("revoke", "--all")
        outcome = agent.calls("say")
        until(lambda: outcome.done() or agent.person.pending())
        for _ in agent.person.pending():
            agent.person.answers("--cancel")
        assert outcome.result(30).error is not None, "it acted without asking"
    assert json.loads(rig.consents("list", "--json")) == {"consents": []}
