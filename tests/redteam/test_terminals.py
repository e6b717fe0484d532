"""Whether a person sits at a terminal, told from real processes: real terminals, shells, agents and tmux.

No terminal window runs here, so util-linux's `script`, under the name of one, stands for it: it holds the other end of
the terminal and runs a shell in it, as they do.
"""

import json
import os
import pty
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from handrail.ports.prompt_views import view_ancestries
from handrail.stores.local.viewers import is_watched
from tests.credentials import agent_token
from tests.waiting import until
from tests.wire.clients import Up

LOOK = """
import json, os, sys
from pathlib import Path
from handrail.ports.presence import PresenceNeeded
from handrail.stores.local.peers.agents import AgentProcesses
from handrail.stores.local.peers.terminal import person_at_terminal
try:
    proof = person_at_terminal(AgentProcesses(Path(sys.argv[1])))
    outcome = {"program": proof.program}
except PresenceNeeded as refused:
    outcome = {"why": refused.details["why"], "hint": refused.hint}
Path(sys.argv[2] + ".new").write_text(json.dumps(outcome))
os.rename(sys.argv[2] + ".new", sys.argv[2])
"""
AGENT = """
import subprocess, sys, time
serving = subprocess.Popen(json_arguments[0], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
serving.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'); serving.stdin.flush(); serving.stdout.readline()
if ENDS: serving.stdin.close(); serving.wait()
subprocess.run(json_arguments[1])
if not ENDS: time.sleep(30)
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
        """The command that a person or an agent runs; it writes to a file whether it counts."""
        return shlex.join([sys.executable, "-c", LOOK, str(self.state), str(self.outcome)])

    def window(self, name: str = "xterm") -> Path:
        """A program of that name that shows a terminal; a system program if root made it."""
        program = self.folder / name
        shutil.copy(shutil.which("script") or "script", program)
        program.chmod(0o755)
        return program

    def in_window(self, command: str, name: str = "xterm") -> list[str]:
        return [str(self.window(name)), "-q", "-e", "-c", command, "/dev/null"]

    def run(self, arguments: list[str]) -> dict[str, Any]:
        """Outside the tests' process tree, as if the desktop had started it."""
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
    """A program that this account could have made doesn't count: only root's does."""
    if os.getuid() == 0:
        return outcome.get("program") == str(program)
    return "isn't the system's own" in outcome["why"]


def test_a_shell_in_a_terminal_window_counts_as_a_person(stage: Stage) -> None:
    assert counts(stage.run(stage.in_window(stage.looking)), "xterm")


CONTAINER = """
import os, sys
masters = [os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY) for _ in range(64)]
print("open", flush=True)
sys.stdin.read()
"""


def test_terminals_of_a_container_with_the_same_numbers_are_others(stage: Stage) -> None:
    folder = stage.folder / "pts"
    folder.mkdir()
    mount = f"mount -t devpts -o newinstance,ptmxmode=0666 none {folder}"
    script = f'{mount} && exec {sys.executable} -c "$0" {folder}/ptmx'
    with subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", script, CONTAINER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as container:
        assert container.stdout is not None
        assert container.stdout.readline() == b"open\n"
        assert counts(stage.run(stage.in_window(stage.looking)), "xterm")
        assert container.stdin is not None
        container.stdin.close()


def test_a_shell_in_a_shell_counts_as_well(stage: Stage) -> None:
    assert counts(stage.run(stage.in_window(shlex.join(["sh", "-c", f"{stage.looking}; true"]))), "xterm")


def test_a_terminal_of_a_program_that_types_into_it_does_not_count(stage: Stage) -> None:
    assert "it is shown by script" in stage.run(stage.in_window(stage.looking, "script"))["why"]


def agents_window(stage: Stage, *, ends: bool, opening: list[str] | None = None) -> list[str]:
    """An agent that has started `handrail mcp`, as clients do, and then opens a terminal window."""
    project = stage.folder / "project"
    project.mkdir()
    serving = [sys.executable, "-m", "handrail", "mcp", "--project", str(project), "--state", str(stage.state)]
    given = json.dumps([serving, opening or stage.in_window(stage.looking)])
    return [sys.executable, "-c", f"ENDS = {ends}; json_arguments = {given}\n{AGENT}"]


@pytest.mark.trial("terminals", is_long=True)
@pytest.mark.parametrize("ends", [False, True])
def test_a_window_that_an_agent_opened_does_not_count_also_after_its_server_has_ended(stage: Stage, ends: bool) -> None:
    assert "agent's process" in stage.run(agents_window(stage, ends=ends))["why"]


def test_a_window_of_an_agent_that_runs_in_a_terminal_without_a_shell_does_not_count(stage: Stage) -> None:
    """As with `xterm -e claude`: the agent leads the terminal's session, as a person's shell otherwise does."""
    window = stage.folder / "inner"
    window.mkdir()
    opening = Stage(window).in_window(stage.looking)
    agent = shlex.join(agents_window(stage, ends=False, opening=opening))
    assert "agent's process" in stage.run(stage.in_window(f"exec {agent}")).get("why", "")


HTTP_AGENT = """
import http.client, subprocess
connection = http.client.HTTPConnection("127.0.0.1", PORT)
headers = {"authorization": "Bearer TOKEN", "content-type": "application/json"}
connection.request("POST", "/api/tools/list_files", '{"path": "."}', headers)
assert connection.getresponse().status == 200
connection.close()
subprocess.run(WINDOW)
"""


@pytest.mark.parametrize("opening", [[], ["setsid", "--fork"]])
def test_a_window_that_an_agent_with_a_token_opened_does_not_count(stage: Stage, opening: list[str]) -> None:
    project = stage.folder / "project"
    project.mkdir()
    up = Up(project, stage.state)
    try:
        port = json.loads((stage.state / "server.json").read_text())["port"]
        code = HTTP_AGENT.replace("PORT", str(port)).replace("TOKEN", agent_token(stage.state, "http"))
        code = code.replace("WINDOW", repr([*opening, *stage.in_window(stage.looking)]))
        outcome = stage.run([sys.executable, "-c", code])
    finally:
        up.kill()
    assert ("opened after an agent had started" if opening else "agent's process") in outcome.get("why", "")


@pytest.mark.trial("terminals", is_long=True)
@pytest.mark.parametrize("ends", [False, True])
def test_a_window_that_an_agent_left_behind_does_not_count(stage: Stage, ends: bool) -> None:
    """It forks twice and starts a session, so its parent is the first process and no agent is above it."""
    window = agents_window(stage, ends=ends, opening=["setsid", "--fork", *stage.in_window(stage.looking)])
    assert "opened after an agent had started" in stage.run(window)["why"]


def ticks_now() -> int:
    """In the unit in which the kernel reports when a process started."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def test_a_window_that_was_open_before_the_agent_counts(stage: Stage) -> None:
    begun, look = stage.folder / "begun", stage.folder / "look"
    command = f"touch {begun}; while [ ! -e {look} ]; do sleep 0.05; done; {stage.looking}"
    subprocess.run(["setsid", "--fork", *stage.in_window(command)], stdin=subprocess.DEVNULL, check=True)
    until(begun.exists, "the window")
    opened = ticks_now()
    until(lambda: ticks_now() > opened, "the next tick: of two that begin in the same one nobody can tell the first")
    idle = agents_window(stage, ends=False, opening=["sh", "-c", f"touch {look}; sleep 30"])
    agent = subprocess.Popen(idle, stdin=subprocess.DEVNULL, start_new_session=True)
    stage.started.append(agent.pid)
    until(stage.outcome.exists, "a look at the terminal")
    assert counts(json.loads(stage.outcome.read_text()), "xterm")


@pytest.mark.parametrize("name", ["kitty", "konsole", "qterminal", "urxvt", "wezterm-gui"])
def test_a_terminal_with_a_remote_control_does_not_count(stage: Stage, name: str) -> None:
    assert f"it is shown by {name}" in stage.run(stage.in_window(stage.looking, name))["why"]


@pytest.mark.parametrize(("query", "key"), [(b"\x1bP$qm\x1b\\", "r"), (b"\x1b[4$p", "y")])
def test_a_key_that_another_program_makes_the_terminal_send_is_no_proof(stage: Stage, query: bytes, key: str) -> None:
    """Whoever can write to a terminal can ask it questions; it types its answers, with an `r` or a `y` in them."""
    project, tty = stage.folder / "project", stage.folder / "tty"
    project.mkdir()
    (stage.state / "config.toml").write_text('presence = "always"\n')
    handrail = [sys.executable, "-m", "handrail"]
    with subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1000x700x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as screen:  # fmt: skip
        assert screen.stdout is not None
        environ = {**os.environ, "DISPLAY": f":{screen.stdout.readline().decode().strip()}", "LANG": "C.UTF-8"}
        view = shlex.join([*handrail, "prompts", "--state", str(stage.state)])
        window = ["xterm", "-e", "sh", "-c", f"tty > {tty}.new; mv {tty}.new {tty}; {view}"]
        subprocess.run(["setsid", "--fork", *window], stdin=subprocess.DEVNULL, env=environ, check=True)
        words = ["call", "make_folder", '{"path": "new"}', "--project", str(project), "--state", str(stage.state)]
        with subprocess.Popen([*handrail, *words], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as asking:
            log, sending = stage.state / "ui-prompts.jsonl", stage.state / "presence"
            until(lambda: log.exists() and tty.exists() and is_watched(stage.state), "the question and the view")
            keyboard = os.open(tty.read_text().strip(), os.O_WRONLY | os.O_NOCTTY)
            for _ in range(6):  # the view is loading, or its question has only just appeared
                time.sleep(0.7)
                os.write(keyboard, query)
            os.close(keyboard)
            time.sleep(0.5)
            asking.kill()
        screen.kill()
    assert not sending.exists(), f"{key} allowed it"
    assert not (project / "new").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make the program that shows a terminal count")
def test_a_pasted_line_allows_nothing_forever_at_a_question_in_the_terminal(stage: Stage) -> None:
    """Some terminals paste what another program sends them. Only a person reads the word that must be typed then."""
    project, result = stage.folder / "project", stage.folder / "result"
    project.mkdir()
    words = ["call", "make_folder", '{"path": "new"}', "--project", str(project), "--state", str(stage.state)]
    call = shlex.join([sys.executable, "-m", "handrail", *words])
    keyboard, screen = pty.openpty()
    window = shlex.join(stage.in_window(f"{call} > {shlex.quote(str(result))}"))
    apart = f"echo $$ > {shlex.quote(str(stage.folder / 'pid'))}; exec {window}"
    shown = b""

    def read_until(text: bytes) -> bytes:
        """What the terminal shows up to `text`."""
        nonlocal shown
        while text not in shown:
            assert select.select([keyboard], [], [], 60)[0], shown
            shown += os.read(keyboard, 65536)
        before, _, shown = shown.partition(text)
        return before

    subprocess.run(["setsid", "--fork", "sh", "-c", apart], stdin=screen, stdout=screen, stderr=screen, check=True)
    until((stage.folder / "pid").exists, "the window")
    stage.started.append(int((stage.folder / "pid").read_text()))
    read_until(b"with a remark: ")
    os.write(keyboard, b"a\n")
    asked_for = read_until(b"here, type ")
    assert b"allowed: always" in asked_for
    os.write(keyboard, b"a\n")
    read_until(b"The word wasn't typed")
    read_until(b"with a remark: ")
    assert not (project / "new").exists()
    assert not (stage.state / "presence").exists()
    os.write(keyboard, b"a\n")
    read_until(b"here, type ")
    os.write(keyboard, read_until(b": ") + b"\n")
    until((project / "new").exists, "the folder")
    until(lambda: "make_folder" in (stage.state / "config.toml").read_text(), "the rule")
    (proof,) = (stage.state / "presence").iterdir()
    assert json.loads(proof.read_text())["kind"] == "terminal"
    os.close(keyboard)
    os.close(screen)


TYPES = """
import os, sys
from pathlib import Path
from handrail.faces.cli.presence import with_typed_word
from handrail.ports.presence import PresenceNeeded, TerminalProof
Path(sys.argv[1]).touch()
try:
    with_typed_word(lambda: TerminalProof("tty", 1, "xterm"))()
    said = "typed"
except PresenceNeeded as refused:
    said = refused.message
Path(sys.argv[2] + ".new").write_text(said)
os.rename(sys.argv[2] + ".new", sys.argv[2])
"""


def test_the_word_to_type_appears_only_on_the_terminal_and_earlier_input_is_dropped(stage: Stage) -> None:
    """An agent that starts the command captures its output and types ahead."""
    caught, begun, outcome = stage.folder / "caught", stage.folder / "begun", stage.folder / "typed"
    keyboard, screen = pty.openpty()
    words = [sys.executable, "-c", TYPES, str(begun), str(outcome)]
    with caught.open("wb") as file:
        os.write(keyboard, b"abcde\n" * 20)
        process = subprocess.Popen(words, stdin=screen, stdout=file, stderr=file, start_new_session=True)
        until(begun.exists)
        shown = b""
        while b": " not in shown.partition(b"type ")[2]:
            shown += os.read(keyboard, 1000)
        word = shown.partition(b"type ")[2].partition(b":")[0]
        os.write(keyboard, word + b"\n")
        process.wait(30)
    assert (outcome.read_text(), caught.read_bytes()) == ("typed", b"")
    os.close(keyboard)
    os.close(screen)


def test_a_terminal_that_is_not_the_commands_own_does_not_count(stage: Stage) -> None:
    """An agent's command reads from the person's terminal."""
    apart = shlex.join(["setsid", "--wait", "sh", "-c", stage.looking])
    assert "there is no terminal here" in stage.run(stage.in_window(f"{apart} < $(tty)"))["why"]


def test_tmux_never_counts_and_the_message_says_what_to_do(stage: Stage) -> None:
    """Any program of this account can type into it: `tmux send-keys`."""
    session = ["tmux", "-S", str(stage.folder / "tmux"), "-f", "/dev/null", "new-session"]
    outcome = stage.run(stage.in_window(f"TERM=xterm {shlex.join([*session, stage.looking])}"))
    assert "can type into tmux" in outcome["why"]
    assert "Ctrl-B D" in outcome["hint"]


def test_what_another_program_types_into_tmux_does_not_count(stage: Stage) -> None:
    """The attack that is the reason for refusing tmux: keys sent to a person's session from anywhere."""
    tmux = ["tmux", "-S", str(stage.folder / "tmux"), "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-s", "person", "sh"], check=True)
    try:
        subprocess.run([*tmux, "send-keys", "-t", "person", "-l", stage.looking], check=True)
        subprocess.run([*tmux, "send-keys", "-t", "person", "Enter"], check=True)
        until(stage.outcome.exists, "a look at the terminal")
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)
    assert "program" not in json.loads(stage.outcome.read_text())


ASKS = """
import signal, sys
from pathlib import Path
from handrail.ports.prompt_views import announce_view
held = announce_view()
Path(sys.argv[1]).touch()
signal.pause()  # not until the end of its input, which this window passes on at once
"""


def test_where_handrail_asks_in_tmux_the_windows_of_its_clients_are_known(stage: Stage) -> None:
    """The asking program descends from tmux's server, which has no window: desktop tools must not use its clients."""
    begun, pid = stage.folder / "begun", stage.folder / "pid"
    tmux = ["tmux", "-S", str(stage.folder / "tmux"), "-f", "/dev/null"]
    asking = shlex.join([*tmux, "new-session", shlex.join([sys.executable, "-c", ASKS, str(begun)])])
    window = shlex.join(stage.in_window(f"TERM=xterm {asking}"))
    apart = f"echo $$ > {shlex.quote(str(pid))}; exec {window}"
    subprocess.run(["setsid", "--fork", "sh", "-c", apart], stdin=subprocess.DEVNULL, check=True)
    until(begun.exists, "what asks")
    try:
        assert [chain for chain in view_ancestries() if int(pid.read_text()) in chain]
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)


LEFT_FOR_LATER = """
import ctypes, fcntl, json, os, pty, sys, termios
from pathlib import Path
from handrail.ports.presence import PresenceNeeded
from handrail.stores.local.peers.agents import AgentProcesses
from handrail.stores.local.peers.terminal import person_at_terminal
hidden = lambda is_hidden: ctypes.CDLL(None).prctl(4, int(not is_hidden))
source, told = os.pipe()
if os.fork():
    os.close(told)
    Path(sys.argv[1] + ".new").write_bytes(open(source, "rb").read())
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    os._exit(0)
os.setresuid(65534, 65534, 65534)
hidden(True)
keys, screen = pty.openpty()
if os.fork():
    os.wait()
    os._exit(0)
hidden(False)
os.close(keys)
os.setsid()
fcntl.ioctl(screen, termios.TIOCSCTTY, 0)
os.dup2(screen, 0)
try:
    outcome = {"program": person_at_terminal(AgentProcesses(Path("/nowhere"))).program}
except PresenceNeeded as refused:
    outcome = {"why": refused.details["why"]}
os.write(told, json.dumps(outcome).encode())
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start it as a daemon does")
def test_a_terminal_started_by_a_root_daemon_such_as_cron_does_not_count(stage: Stage) -> None:
    """`at` and `cron`: root's process is above a program that opens a terminal, reads and types in it, and hides it."""
    job = [sys.executable, "-c", LEFT_FOR_LATER, str(stage.outcome)]
    assert stage.run(job) == {"why": "the system doesn't show what is behind this terminal"}


@pytest.fixture
def signed_in(tmp_path: Path) -> Iterator[list[str]]:
    """Yields the command that signs in to a real SSH server on this machine, with a key and a terminal."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    Path("/run/sshd").mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = [
        f"Port={port}", "ListenAddress=127.0.0.1", f"HostKey={tmp_path / 'host'}", "UsePAM=no", "StrictModes=no",
        f"AuthorizedKeysFile={tmp_path / 'key.pub'}", "PermitRootLogin=yes", f"PidFile={tmp_path / 'sshd.pid'}",
    ]  # fmt: skip
    words = [word for each in settings for word in ("-o", each)]
    # As a daemon: what a process of the tests has accepted is nothing that this server has let in.
    subprocess.run(["/usr/sbin/sshd", "-f", "/dev/null", *words], stderr=subprocess.DEVNULL, check=True)
    until((tmp_path / "sshd.pid").exists, "the SSH server")
    try:
        until(lambda: _answers(port), "the SSH server")
        known = ["-F", "none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        yield ["ssh", "-tt", "-q", "-p", str(port), "-i", str(tmp_path / "key"), *known, "127.0.0.1"]
    finally:
        os.kill(int((tmp_path / "sshd.pid").read_text()), signal.SIGTERM)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a server that lets others in")
def test_an_ssh_session_from_this_machine_counts_only_if_its_terminal_does(stage: Stage, signed_in: list[str]) -> None:
    """An agent with a key runs `ssh localhost`: the terminal belongs to sshd, and no agent is above it."""
    signing_in = [*signed_in, stage.looking]
    without = stage.run(signing_in)
    assert "may have signed in from this machine itself, and it has no terminal" in without["why"]
    stage.outcome.unlink()
    assert "it is shown by script" in stage.run(stage.in_window(shlex.join(signing_in), "script"))["why"]
    stage.outcome.unlink()
    assert counts(stage.run(stage.in_window(shlex.join(signing_in))), "sshd")
