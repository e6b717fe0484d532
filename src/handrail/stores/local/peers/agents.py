"""Records which processes belong to agents: those that have started `handrail mcp` or a hook, or used an agent's token.

A process is identified by its pid and start time, because pids are reused.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from handrail.ports.atomic_file import replace_file
from handrail.stores.local.peers.local_connections import client_at
from handrail.stores.local.peers.processes import Process, Processes
from handrail.stores.local.peers.socket_diag import Address
from handrail.stores.local.private_file import make_private_folder

_FOLDER = "agent-processes"
_FOR_AGENTS = frozenset({"mcp", "hook"})
"""Commands of handrail that an agent's program starts."""
_OWN = frozenset({"mcp", "hook", "up", "run", "desktop-host"})
"""Commands whose child processes, such as a project's scripts, run for an agent."""
_TRYING = frozenset({"connect", "up"})
"""Commands that start `handrail mcp` themselves, to test a client's configuration."""


_SHELLS = frozenset(
    {
        "ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "oil", "osh", "pwsh",
        "sh", "tcsh", "xonsh", "yash", "zsh",
    }
)  # fmt: skip
_OWN_PROGRAMS = ("handrail", "handrail.__main__")
_OWN_SCRIPTS = ("handrail/__main__.py", "from handrail.__main__ import main; main()")
"""Endings of arguments that run handrail: its file, or the code with which a hook starts it."""


class AgentProcesses:
    def __init__(self, state: Path) -> None:
        self._folder = state / _FOLDER

    def register(self, pid: int | None = None) -> None:
        """Registers the program that started this process, and what is in between, such as npx or sh."""
        processes = Processes()
        process_itself = processes.find(os.getpid() if pid is None else pid)
        if process_itself is not None:
            self._write(processes, _program_of(processes, process_itself.parent))

    def register_client(self, client: Address, server: Address, likely: Sequence[int]) -> int | None:
        """Registers what started the client of a TCP connection on this machine, and returns the client's pid."""
        processes = Processes()
        if (pid := client_at(client, server, likely)) is not None:
            agents = _program_of(processes, pid)
            # A client such as curl ends at once, and what has started it is the agent.
            unknown = [each for each in agents[1:] or agents if not self._is_registered(each)]
            if unknown:
                self._write(processes, unknown)
        return pid

    def _write(self, processes: Processes, agents: Sequence[Process]) -> None:
        make_private_folder(self._folder)
        self._forget_old(processes.boot())
        for process in agents:
            entry = f"{process.started}\n{processes.boot()}\n{processes.group_of(process.pid) or ''}"
            replace_file(self._folder / str(process.pid), entry.encode())

    def first_agent(self, family: Sequence[Process], processes: Processes) -> Process | None:
        """The first of these processes that belongs to an agent, or that handrail runs for one."""
        living = {(process.pid, process.started) for process in _agents_at_work(processes)}
        for process in family:
            if _command(process) in _OWN or (process.pid, process.started) in living or self._is_registered(process):
                return process
        return None

    def possible_starter(self, process: Process, processes: Processes) -> str | None:
        """An agent in the same control group that started before this process; it may have ended."""
        for name in os.listdir(self._folder) if self._folder.is_dir() else ():
            started, boot, group = self._registered(name)
            is_of_now = boot == processes.boot() and group == processes.group_of(process.pid)
            if is_of_now and started.isdigit() and int(started) <= process.started:
                agent = processes.find(int(name))
                is_there = agent is not None and str(agent.started) == started
                return f"{agent.name or 'process'} {name}" if agent is not None and is_there else f"process {name}"
        return None

    def _registered(self, name: str) -> tuple[str, str, str]:
        """The process's start time, boot id and control group."""
        try:
            started, boot, group = (self._folder / name).read_text(encoding="utf-8").split("\n", 2)
        except (OSError, ValueError):
            return "", "", ""
        return started, boot, group

    def _is_registered(self, process: Process) -> bool:
        try:
            entry = (self._folder / str(process.pid)).read_text(encoding="utf-8")
            return entry.partition("\n")[0] == str(process.started)
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            return True

    def _forget_old(self, boot: str) -> None:
        """Removes processes of an earlier boot. Ended ones of this boot stay: what they opened may still exist."""
        for name in os.listdir(self._folder):
            if name.isdigit() and self._registered(name)[1] != boot:
                with suppress(FileNotFoundError):
                    (self._folder / name).unlink()


def _agents_at_work(processes: Processes) -> list[Process]:
    return [
        agent
        for process in list(processes.all())
        if _command(process) in _FOR_AGENTS
        for agent in _program_of(processes, process.parent)
    ]


def _program_of(processes: Processes, pid: int) -> list[Process]:
    """The process and its ancestors that belong to the agent: up to a person's shell, another user's or init."""
    ancestors: list[Process] = []
    process = processes.find(pid)
    uid = None if process is None else process.uid
    while process is not None and process.pid > 1 and process.uid == uid and not _is_persons_shell(process):
        if _command(process) in _TRYING:
            break
        ancestors.append(process)
        if process.pid == process.session:
            break
        process = processes.find(process.parent)
    return ancestors


def _is_persons_shell(process: Process) -> bool:
    """Whether it is a shell that leads a session with a terminal, in which a person types.

    Another program that leads one is an agent's own, as with `xterm -e claude`.
    """
    return process.pid == process.session and process.terminal != 0 and process.name in _SHELLS


def _command(process: Process) -> str | None:
    """The handrail command that this process runs."""
    for at, argument in enumerate(process.arguments[:4]):
        if os.path.basename(argument) in _OWN_PROGRAMS or argument.endswith(_OWN_SCRIPTS):
            return next((word for word in process.arguments[at + 1 :] if not word.startswith("-")), None)
    return None
