"""Which processes are agents': those that have started `handrail mcp` or a hook, now or before.

A process is known by its pid and its start time: a later one with the same pid is another.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from handrail.ports.atomic_file import replace_file
from handrail.stores.local.peers.processes import Process, Processes
from handrail.stores.local.private_file import make_private_folder

_FOLDER = "agent-processes"
_FOR_AGENTS = frozenset({"mcp", "hook"})
"""Commands of handrail that an agent's program starts."""
_OWN = frozenset({"mcp", "hook", "up", "run", "desktop-host"})
"""What these start themselves, such as a project's script, is started for an agent."""
_TRYING = frozenset({"connect", "up"})
"""These start `handrail mcp` themselves, to try what they wrote for a client."""


_OWN_PROGRAMS = ("handrail", "handrail.__main__")
_OWN_SCRIPTS = ("handrail/__main__.py", "from handrail.__main__ import main; main()")
"""Ends of an argument that names handrail: its file, or how a hook starts it."""


class KnownAgents:
    def __init__(self, state: Path) -> None:
        self._folder = state / _FOLDER

    def register(self, pid: int | None = None) -> None:
        """The program that has started this process, with whatever it was started through, such as npx or sh."""
        processes = Processes()
        own = processes.find(os.getpid() if pid is None else pid)
        if own is None:
            return
        make_private_folder(self._folder)
        self._forget_old(processes.boot())
        for process in _program_of(processes, own):
            known = f"{process.started}\n{processes.boot()}\n{processes.group_of(process.pid) or ''}"
            replace_file(self._folder / str(process.pid), known.encode())

    def among(self, family: Sequence[Process], processes: Processes) -> Process | None:
        """The first of these that is an agent's, or that handrail runs for one."""
        living = {(process.pid, process.started) for process in _agents_at_work(processes)}
        for process in family:
            if _command(process) in _OWN or (process.pid, process.started) in living or self._is_registered(process):
                return process
        return None

    def who_could_have_started(self, process: Process, processes: Processes) -> str | None:
        """An agent that began before this process, in the same group of processes. It may have ended meanwhile."""
        for name in os.listdir(self._folder) if self._folder.is_dir() else ():
            started, boot, group = self._registered(name)
            is_of_now = boot == processes.boot() and group == processes.group_of(process.pid)
            if is_of_now and started.isdigit() and int(started) <= process.started:
                agent = processes.find(int(name))
                is_there = agent is not None and str(agent.started) == started
                return f"{agent.name or 'process'} {name}" if agent is not None and is_there else f"process {name}"
        return None

    def _registered(self, name: str) -> tuple[str, str, str]:
        """When it was started, in which run of the machine and in which group."""
        try:
            started, boot, group = (self._folder / name).read_text(encoding="utf-8").split("\n", 2)
        except (OSError, ValueError):
            return "", "", ""
        return started, boot, group

    def _is_registered(self, process: Process) -> bool:
        try:
            known = (self._folder / str(process.pid)).read_text(encoding="utf-8")
            return known.partition("\n")[0] == str(process.started)
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            return True

    def _forget_old(self, boot: str) -> None:
        """Those of an earlier run of the machine. Ended ones of this run stay: what they opened may still be there."""
        for name in os.listdir(self._folder):
            if name.isdigit() and self._registered(name)[1] != boot:
                with suppress(FileNotFoundError):
                    (self._folder / name).unlink()


def _agents_at_work(processes: Processes) -> list[Process]:
    return [
        agent
        for process in list(processes.all())
        if _command(process) in _FOR_AGENTS
        for agent in _program_of(processes, process)
    ]


def _program_of(processes: Processes, served: Process) -> list[Process]:
    """From the parent up to the agent's own program: up to a person's shell, another user, or the first of all."""
    found: list[Process] = []
    process = processes.find(served.parent)
    while process is not None and process.pid > 1 and process.uid == served.uid and not _is_persons_shell(process):
        if _command(process) in _TRYING:
            break
        found.append(process)
        if process.pid == process.session:
            break
        process = processes.find(process.parent)
    return found


def _is_persons_shell(process: Process) -> bool:
    """The leader of a session with a terminal: what a person has typed into."""
    return process.pid == process.session and process.terminal != 0


def _command(process: Process) -> str | None:
    """Which command of handrail's this process runs."""
    for at, argument in enumerate(process.arguments[:4]):
        if os.path.basename(argument) in _OWN_PROGRAMS or argument.endswith(_OWN_SCRIPTS):
            return next((word for word in process.arguments[at + 1 :] if not word.startswith("-")), None)
    return None
