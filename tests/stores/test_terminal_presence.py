"""Which terminals count as a person's: those that no agent's process controls in any way."""

import os
import pty
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.ports.presence import PresenceNeeded
from handrail.stores.local.peers.agents import AgentProcesses
from handrail.stores.local.peers.processes import Process, Processes
from handrail.stores.local.peers.terminal import person_at_terminal

ME, SHELL, EMULATOR, SESSION, AGENT = os.getpid(), 9_000_001, 9_000_002, 9_000_003, 9_000_004
USER = 1000


class Table(Processes):
    """A made-up process table; `holders` have the other end of the terminal open."""

    def __init__(
        self,
        *processes: Process,
        holders: tuple[int, ...] = (EMULATOR,),
        not_own: tuple[int, ...] = (),
        roots: dict[int, str] | None = None,
    ) -> None:
        super().__init__()
        self._table = {process.pid: process for process in processes}
        self._holders = holders
        self._not_own = not_own
        self._roots = roots or {}

    def root_program_name(self, pid: int) -> str | None:
        return self._roots.get(pid)

    def find(self, pid: int) -> Process | None:
        return self._table.get(pid)

    def all(self) -> Iterator[Process]:
        yield from self._table.values()

    def masters_of(self, terminal: int, filesystem: int | None) -> list[Process]:
        return [self._table[pid] for pid in self._holders]

    def is_system_program(self, process: Process) -> bool:
        return process.pid not in self._not_own


@pytest.fixture
def keyboard() -> Iterator[int]:
    other_end, terminal = pty.openpty()
    yield terminal
    os.close(terminal)
    os.close(other_end)


@pytest.fixture
def family(keyboard: int) -> dict[str, Process]:
    """A person's shell in a terminal window, with this process in it."""
    device = os.fstat(keyboard).st_rdev
    made = [
        Process(1, 0, 1, 0, 1, 0, "/sbin/init", ("init",)),
        Process(SESSION, 1, SESSION, 0, 2, USER, "/usr/lib/systemd/systemd", ("systemd", "--user")),
        Process(EMULATOR, SESSION, EMULATOR, 0, 3, USER, "/usr/bin/xterm", ("xterm",)),
        Process(SHELL, EMULATOR, SHELL, device, 4, USER, "/bin/bash", ("bash",)),
        Process(ME, SHELL, SHELL, device, 5, USER, "/usr/bin/python3", ("python", "handrail", "prompts")),
    ]
    return {str(process.pid): process for process in made}


def table(family: dict[str, Process], *more: Process, **changed: object) -> Table:
    holders = changed.pop("holders", (EMULATOR,))
    not_own, roots = changed.pop("not_own", ()), changed.pop("roots", {})
    assert isinstance(holders, tuple)
    assert isinstance(not_own, tuple)
    assert isinstance(roots, dict)
    everybody = {**family, **{str(one.pid): one for one in more}}.values()
    return Table(*everybody, holders=holders, not_own=not_own, roots=roots)


def refusal(agents: AgentProcesses, processes: Table, keyboard: int) -> str:
    with pytest.raises(PresenceNeeded) as refused:
        person_at_terminal(agents, processes, keyboard)
    assert refused.value.hint
    return str(refused.value.details["why"])


def test_a_shell_in_a_terminal_window_counts_as_a_person(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    proof = person_at_terminal(AgentProcesses(tmp_path), table(family), keyboard)
    assert (proof.terminal, proof.program) == (os.ttyname(keyboard), "xterm")


def test_a_shell_over_ssh_counts_as_a_person(tmp_path: Path, family: dict[str, Process], keyboard: int) -> None:
    """The other end belongs to another user and can't be inspected, but root's process has signed the person in."""
    sshd = Process(EMULATOR, 1, EMULATOR, 0, 3, 0, None, ("sshd: ada [priv]",))
    processes = table(family, sshd, holders=(), roots={EMULATOR: "sshd"})
    proof = person_at_terminal(AgentProcesses(tmp_path), processes, keyboard)
    assert (proof.pid, proof.program) == (ME, "sshd")


@pytest.mark.parametrize("name", ["atd", "cron", "systemd-executor", None])
def test_a_program_that_root_schedules_is_not_a_sign_in(
    name: str | None, tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    """A program that hides its descriptors has the terminal open. None: it only has root's rights, as newgrp does."""
    daemon = Process(EMULATOR, 1, EMULATOR, 0, 3, 0, None, ("sshd",))
    processes = table(family, daemon, holders=(), roots={EMULATOR: name} if name else {})
    assert "doesn't show" in refusal(AgentProcesses(tmp_path), processes, keyboard)


def test_a_nested_terminal_is_not_the_login_terminal(tmp_path: Path, family: dict[str, Process], keyboard: int) -> None:
    """Over ssh: a program that hides its descriptors opens its own terminal."""
    sshd = Process(EMULATOR, 1, EMULATOR, 0, 3, 0, None, ("sshd: ada [priv]",))
    between = [
        Process(AGENT + at, parent, AGENT, 0, 4, USER, "/bin/bash", ("bash",))
        for at, parent in ((0, EMULATOR), (1, AGENT))
    ]
    shell = replace(family[str(SHELL)], parent=AGENT + 1)
    processes = table(family, sshd, *between, shell, holders=(), roots={EMULATOR: "sshd"})
    assert "doesn't show" in refusal(AgentProcesses(tmp_path), processes, keyboard)


def test_an_xterm_that_was_handed_its_terminal_does_not_count(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    lent = replace(family[str(EMULATOR)], arguments=("xterm", "-S", "pts/7/5"))
    assert "may type into it" in refusal(AgentProcesses(tmp_path), table(family, lent), keyboard)


def test_an_agent_beside_the_terminal_changes_nothing(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    agent = Process(AGENT, SESSION, AGENT, 0, 6, USER, "/opt/agent", ("agent",))
    server = Process(AGENT + 1, AGENT, AGENT, 0, 7, USER, "/usr/bin/python3", ("python", "/bin/handrail", "mcp"))
    assert person_at_terminal(AgentProcesses(tmp_path), table(family, agent, server), keyboard).pid == ME


def test_no_terminal_does_not_count(tmp_path: Path, family: dict[str, Process], keyboard: int) -> None:
    nowhere = replace(family[str(ME)], terminal=0)
    assert "no terminal" in refusal(AgentProcesses(tmp_path), table(family, nowhere), keyboard)
    with open(os.devnull) as empty:
        assert "no terminal" in refusal(AgentProcesses(tmp_path), table(family), empty.fileno())


def test_another_terminal_than_our_own_does_not_count(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    other = replace(family[str(ME)], terminal=os.makedev(136, 77))
    assert "another terminal" in refusal(AgentProcesses(tmp_path), table(family, other), keyboard)


@pytest.mark.parametrize(
    "command",
    [("handrail", "mcp"), ("python", "/bin/handrail", "--x", "hook"), ("python", "-m", "handrail.__main__", "up")],
)
def test_programs_that_handrail_runs_for_an_agent_do_not_count_as_a_person(
    command: tuple[str, ...], tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    server = replace(family[str(EMULATOR)], arguments=command)
    assert "agent" in refusal(AgentProcesses(tmp_path), table(family, server), keyboard)


def test_a_descendant_of_an_agent_does_not_count(tmp_path: Path, family: dict[str, Process], keyboard: int) -> None:
    """Through any program that starts the server: npx, sh."""
    agent = Process(AGENT, SESSION, AGENT, 0, 6, USER, "/opt/agent", ("agent",))
    through = Process(AGENT + 1, AGENT, AGENT, 0, 7, USER, "/bin/sh", ("sh", "-c", "handrail mcp"))
    server = Process(AGENT + 2, AGENT + 1, AGENT, 0, 8, USER, "/usr/bin/python3", ("python", "/bin/handrail", "mcp"))
    started = replace(family[str(EMULATOR)], parent=AGENT)
    assert "agent" in refusal(AgentProcesses(tmp_path), table(family, agent, through, server, started), keyboard)


def test_an_agent_whose_server_has_ended_is_still_known(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    agents = AgentProcesses(tmp_path)
    (tmp_path / "agent-processes").mkdir()
    (tmp_path / "agent-processes" / str(EMULATOR)).write_text("3\n")
    assert "agent" in refusal(agents, table(family), keyboard)
    later = replace(family[str(EMULATOR)], started=4)
    assert person_at_terminal(agents, table(family, later), keyboard).pid == ME, "another process has its number now"


def test_a_process_that_left_its_session_does_not_count_as_a_person(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    orphan = replace(family[str(ME)], parent=1)
    assert "shell" in refusal(AgentProcesses(tmp_path), table(family, orphan), keyboard)


@pytest.mark.parametrize(
    "program", ["/usr/bin/script", "/usr/bin/python3.11", "/usr/bin/tmux", "/usr/bin/expect", None]
)
def test_a_terminal_that_a_program_types_into_does_not_count(
    program: str | None, tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    holder = replace(family[str(EMULATOR)], exe=program)
    assert "type into" in refusal(AgentProcesses(tmp_path), table(family, holder), keyboard)


def test_a_program_that_only_has_a_terminals_name_does_not_count(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    own = table(family, not_own=(EMULATOR,))
    assert "system's own" in refusal(AgentProcesses(tmp_path), own, keyboard)


def test_an_undeterminable_process_does_not_count_as_a_person(
    tmp_path: Path, family: dict[str, Process], keyboard: int
) -> None:
    assert "doesn't show" in refusal(AgentProcesses(tmp_path), table(family, holders=()), keyboard)
    gap = {pid: process for pid, process in family.items() if pid != str(SESSION)}
    assert "doesn't show" in refusal(AgentProcesses(tmp_path), table(gap), keyboard)


def test_this_process_knows_its_own_family() -> None:
    match = Processes().ancestors(os.getpid())
    assert match is not None
    assert [process.pid for process in match][:2] == [os.getpid(), os.getppid()]


def test_a_descriptor_closed_during_the_scan_hides_no_other(tmp_path: Path, keyboard: int) -> None:
    terminal = os.fstat(keyboard).st_rdev
    holder = tmp_path / str(EMULATOR)
    for folder in ("fd", "fdinfo"):
        (holder / folder).mkdir(parents=True)
    for number in range(10, 60):
        (holder / "fd" / str(number)).touch()  # is listed but no longer points anywhere
    (holder / "fd/4").symlink_to("/dev/ptmx")
    (holder / "fdinfo/4").write_text(f"mnt_id:\t1\ntty-index:\t{os.minor(terminal)}\n")
    (holder / "mountinfo").touch()
    (holder / "stat").write_text(f"{EMULATOR} (xterm) S 1 {EMULATOR} {EMULATOR} " + "0 " * 20)
    (holder / "cmdline").write_text("xterm")
    assert [one.pid for one in Processes(tmp_path).masters_of(terminal, None)] == [EMULATOR]
