"""Whether a person sits at a terminal, told from real processes: real terminals, shells, agents and tmux.

No terminal window runs here, so util-linux's `script`, under the name of one, stands for it: it holds the other end of
the terminal and runs a shell in it, as they do.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import until

LOOK = """
import json, os, sys
from pathlib import Path
from handrail.ports.presence import PresenceNeeded
from handrail.stores.local.peers.agents import KnownAgents
from handrail.stores.local.peers.terminal import person_at_terminal
try:
    outcome = {"program": person_at_terminal(KnownAgents(Path(sys.argv[1]))).program}
except PresenceNeeded as refused:
    outcome = {"why": refused.details["why"], "hint": refused.hint}
Path(sys.argv[2] + ".new").write_text(json.dumps(outcome))
os.rename(sys.argv[2] + ".new", sys.argv[2])
"""
AGENT = """
import subprocess, sys
serving = subprocess.Popen(json_arguments[0], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
serving.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'); serving.stdin.flush(); serving.stdout.readline()
if ENDS: serving.stdin.close(); serving.wait()
subprocess.run(json_arguments[1])
if not ENDS: serving.kill()
"""


@dataclass
class Stage:
    folder: Path
    started: list[int] = field(default_factory=list)

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def outcome(self) -> Path:
        return self.folder / "outcome.json"

    @property
    def looking(self) -> str:
        """The command that a person types, or an agent: whether it counts is written to a file."""
        return shlex.join([sys.executable, "-c", LOOK, str(self.state), str(self.outcome)])

    def window(self, name: str = "xterm") -> Path:
        """A program of that name that shows a terminal; it is the system's own where root has made it."""
        program = self.folder / name
        shutil.copy(shutil.which("script") or "script", program)
        program.chmod(0o755)
        return program

    def in_window(self, command: str, name: str = "xterm") -> list[str]:
        return [str(self.window(name)), "-q", "-e", "-c", command, "/dev/null"]

    def run(self, arguments: list[str]) -> dict[str, Any]:
        """Apart from the tests' own processes, as if the desktop had started it."""
        pid_file = self.folder / "pid"
        apart = f"echo $$ > {shlex.quote(str(pid_file))}; exec {shlex.join(arguments)}"
        subprocess.run(["setsid", "--fork", "sh", "-c", apart], stdin=subprocess.DEVNULL, check=True)
        until(pid_file.exists, "the window")
        until(self.outcome.exists, "a look at the terminal")
        self.started.append(int(pid_file.read_text()))
        outcome: dict[str, Any] = json.loads(self.outcome.read_text())
        return outcome


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    (tmp_path / "state").mkdir(mode=0o700)
    made = Stage(tmp_path)
    yield made
    for pid in made.started:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def counts(outcome: dict[str, Any], program: str) -> bool:
    """A program that this account could have made doesn't count: only root's own does."""
    if os.getuid() == 0:
        return outcome == {"program": program}
    return "isn't the system's own" in outcome["why"]


def test_a_shell_in_a_terminal_window_counts(stage: Stage) -> None:
    assert counts(stage.run(stage.in_window(stage.looking)), "xterm")


def test_a_shell_in_a_shell_counts_as_well(stage: Stage) -> None:
    assert counts(stage.run(stage.in_window(shlex.join(["sh", "-c", f"{stage.looking}; true"]))), "xterm")


def test_a_terminal_of_a_program_that_types_into_it_does_not_count(stage: Stage) -> None:
    assert "it is shown by script" in stage.run(stage.in_window(stage.looking, "script"))["why"]


def agents_window(stage: Stage, *, ends: bool) -> list[str]:
    """An agent that has started `handrail mcp`, as clients do, and then opens a terminal window."""
    project = stage.folder / "project"
    project.mkdir()
    serving = [sys.executable, "-m", "handrail", "mcp", "--project", str(project), "--state", str(stage.state)]
    given = json.dumps([serving, stage.in_window(stage.looking)])
    return [sys.executable, "-c", f"ENDS = {ends}; json_arguments = {given}\n{AGENT}"]


@pytest.mark.parametrize("ends", [False, True])
def test_a_window_that_an_agent_opened_does_not_count_also_after_its_server_has_ended(stage: Stage, ends: bool) -> None:
    assert "agent's process" in stage.run(agents_window(stage, ends=ends))["why"]


def test_a_terminal_that_is_not_the_commands_own_does_not_count(stage: Stage) -> None:
    """An agent's command that reads from the person's terminal."""
    apart = shlex.join(["setsid", "--wait", "sh", "-c", stage.looking])
    assert "there is no terminal here" in stage.run(stage.in_window(f"{apart} < $(tty)"))["why"]


def test_tmux_does_not_count_whoever_is_attached_and_says_what_to_do(stage: Stage) -> None:
    """Any program of this account can type into it: `tmux send-keys`."""
    session = ["tmux", "-S", str(stage.folder / "tmux"), "-f", "/dev/null", "new-session"]
    outcome = stage.run(stage.in_window(f"TERM=xterm {shlex.join([*session, stage.looking])}"))
    assert "can type into tmux" in outcome["why"]
    assert "Ctrl-B D" in outcome["hint"]


def test_what_another_program_types_into_tmux_does_not_count(stage: Stage) -> None:
    """The attack that it is refused for: keys sent to a person's session, from anywhere."""
    tmux = ["tmux", "-S", str(stage.folder / "tmux"), "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-s", "person", "sh"], check=True)
    try:
        subprocess.run([*tmux, "send-keys", "-t", "person", "-l", stage.looking], check=True)
        subprocess.run([*tmux, "send-keys", "-t", "person", "Enter"], check=True)
        until(stage.outcome.exists, "a look at the terminal")
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)
    assert "program" not in json.loads(stage.outcome.read_text())
