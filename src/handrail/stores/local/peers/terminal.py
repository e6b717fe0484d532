"""Checks whether a person, and not an agent, is at the terminal that this process reads from.

An agent can start `handrail` itself, in a terminal that it has opened. So everything must hold: it is our own
terminal, we descend from its session leader, no ancestor is an agent's, and the program that shows the terminal shows
it to a person and lets no other program type into it. What can't be determined doesn't count.
"""

import os
import stat
import sys
from collections.abc import Collection

from handrail.ports.presence import PresenceNeeded, TerminalProof
from handrail.stores.local.peers.agents import AgentProcesses
from handrail.stores.local.peers.local_connections import clients_of
from handrail.stores.local.peers.processes import Process, Processes

# Programs that show a terminal on a screen. tmux, screen, editors and terminals with remote control (wezterm, kitty,
# konsole, qterminal, urxvt, terminology) are not among them: another program of the same user can type into them, and
# read some of them.
TERMINALS = frozenset(
    {
        "alacritty", "foot", "footclient", "ghostty", "gnome-terminal-server", "kgx", "lxterminal", "mate-terminal",
        "mate-terminal.wrapper", "ptyxis-agent", "st", "tilix", "xfce4-terminal", "xterm",
    }
)  # fmt: skip
_MULTIPLEXERS = {"tmux": "Ctrl-B D", "screen": "Ctrl-A D", "zellij": "Ctrl-O D"}
"""Any program of this account may type into their terminals (`tmux send-keys`)."""
_SIGN_INS = frozenset({"login", "sshd", "sshd-session", "dropbear"})
"""Programs through which a person signs in. Other programs of root, such as atd and cron, start scheduled commands."""
_SSH = frozenset({"sshd", "sshd-session", "sshd-auth", "dropbear"})
_CONSOLE = 4
"""The major number of the machine's own consoles, which have no master end."""
_STEPS_TO_SIGN_IN = 2
"""How far above a terminal's first process the sign-in is: `sshd` has a process of the user in between."""
_ELSEWHERE = (
    "Run the command in a plain terminal window that you opened before the agent, or use a passkey in the console."
)


def person_at_terminal(agents: AgentProcesses, processes: Processes | None = None, keyboard: int = 0) -> TerminalProof:
    """Proof that a person is at the terminal. Raises PresenceNeeded with the reason."""
    if not sys.platform.startswith("linux"):
        raise _refused("this system doesn't tell who is behind a terminal")
    processes = processes or Processes()
    this = processes.find(os.getpid())
    if this is None:
        raise _refused("the system doesn't tell about this process")
    _check_keyboard(this, keyboard)
    family = _checked_ancestors(processes, this, agents)
    if os.major(this.terminal) == _CONSOLE:
        name, program = f"tty{os.minor(this.terminal)}", _sign_in_program(processes, family, this)
    else:
        name, program = os.ttyname(keyboard), _showing_program(processes, this, family, agents, _file_system(keyboard))
    if program in _SSH:
        _check_clients(processes, this, family, agents)
    return TerminalProof(name, this.pid, program)


def agent_above(agents: AgentProcesses, names: Collection[str], processes: Processes | None = None) -> str | None:
    """The first of our ancestors that belongs to an agent: it uses handrail, or its program has one of these names."""
    processes = processes or Processes()
    family = (processes.ancestors(os.getpid()) or []) if sys.platform.startswith("linux") else []
    agent = agents.first_agent(family[1:], processes) or next(
        (each for each in family[1:] if _is_named(each, names)), None
    )
    return None if agent is None else f"an agent's process ({agent.name or 'process'} {agent.pid})"


def _is_named(process: Process, names: Collection[str]) -> bool:
    """Compares the names with its program and, for an interpreter, with its script."""
    words = (process.name, *process.arguments[:2])
    return any(os.path.splitext(os.path.basename(word))[0] in names for word in words)


def _check_keyboard(this: Process, keyboard: int) -> None:
    try:
        status = os.fstat(keyboard)
        is_terminal = os.isatty(keyboard) and stat.S_ISCHR(status.st_mode)
    except OSError:
        raise _refused("there is no terminal here") from None
    if not is_terminal or this.terminal == 0:
        raise _refused("there is no terminal here")
    if status.st_rdev != this.terminal:
        raise _refused("the input is another terminal than the one that this command belongs to")


def _checked_ancestors(processes: Processes, this: Process, agents: AgentProcesses) -> list[Process]:
    """Our ancestors, after a check that they include the session leader and no agent's process."""
    family = processes.ancestors(this.pid)
    if family is None:
        raise _refused("the system doesn't show which process started this one")
    if this.session not in [process.pid for process in family]:
        raise _refused("this command doesn't descend from the shell of its terminal")
    if (agent := agents.first_agent(family, processes)) is not None:
        raise _refused(f"it was started by an agent's process ({agent.name or 'process'} {agent.pid})")
    return family


def _check_clients(processes: Processes, this: Process, family: list[Process], agents: AgentProcesses) -> None:
    """For `ssh localhost`: a process that may have signed in from this machine must itself have a valid terminal."""
    for clients in clients_of(family, this.uid, processes):
        if not clients:
            raise _refused("a program that can't be inspected may have signed in from this machine itself")
        for client in clients:
            _check_client(processes, client, agents)


def _check_client(processes: Processes, client: Process, agents: AgentProcesses) -> None:
    may = f"{client.name or 'process'} {client.pid} may have signed in from this machine itself"
    family = processes.ancestors(client.pid)
    if family is None or client.terminal == 0:
        raise _refused(f"{may}, and it has no terminal")
    if (agent := agents.first_agent(family, processes)) is not None:
        raise _refused(f"{may}, and an agent's process has started it ({agent.name or 'process'} {agent.pid})")
    if client.session not in [process.pid for process in family]:
        raise _refused(f"{may}, and it has left the shell of its terminal")
    if os.major(client.terminal) != _CONSOLE:
        _showing_program(processes, client, family, agents, None)


def _showing_program(
    processes: Processes, process: Process, family: list[Process], agents: AgentProcesses, file_system: int | None
) -> str:
    """The name of the program that shows this process's terminal."""
    holders = processes.masters_of(process.terminal, file_system)
    if not holders:
        return _sign_in_program(
            processes, family, process
        )  # sshd can't be inspected, and neither can a program that hides
    for holder in holders:
        above = processes.ancestors(holder.pid)
        if above is None:
            raise _refused("the system doesn't show what is behind this terminal")
        if (agent := agents.first_agent(above, processes)) is not None:
            raise _refused(f"an agent's process is behind this terminal ({agent.name or 'process'} {agent.pid})")
        if holder.name in _MULTIPLEXERS:
            raise _refused_in(holder.name)
        if holder.name not in TERMINALS and not _is_ssh(holder):
            raise _refused(f"other programs can type into this terminal: it is shown by {holder.name or 'a process'}")
        if _is_handed_over(holder):
            raise _refused("another program has opened this terminal and may type into it")
        if _is_orphan(above) and (culprit := agents.possible_starter(holder, processes)) is not None:
            raise _refused(
                f"this terminal was opened after an agent had started ({culprit}), and the system doesn't tell by whom"
            )
        if not processes.is_system_program(holder):
            raise _refused(f"the program behind this terminal isn't the system's own: {holder.exe}")
    return holders[0].name


def _file_system(keyboard: int) -> int | None:
    """The file system of our terminal; None if the kernel doesn't confirm that it is our controlling terminal."""
    try:
        os.tcgetpgrp(keyboard)
    except OSError:
        return None
    return os.fstat(keyboard).st_dev


def _sign_in_program(processes: Processes, family: list[Process], process: Process) -> str:
    """The program of root through which a person signed in, directly above the terminal's first process."""
    leader = next(at for at, ancestor in enumerate(family) if ancestor.pid == process.session)
    for ancestor in family[leader + 1 : leader + 1 + _STEPS_TO_SIGN_IN]:
        if process.uid != 0 and (name := processes.root_program_name(ancestor.pid)) in _SIGN_INS:
            return name or ""
    raise _refused("the system doesn't show what is behind this terminal")


def _is_handed_over(holder: Process) -> bool:
    """Whether it is `xterm -S`, which shows a terminal that another program has opened and may still type into."""
    return holder.name == "xterm" and any(word.startswith("-S") for word in holder.arguments[1:])


def _is_orphan(ancestors: list[Process]) -> bool:
    """Whether the process that started it has ended, so that init has become its parent."""
    return len(ancestors) < 2 or ancestors[1].pid == 1 or ancestors[1].name in ("systemd", "init")


def _is_ssh(process: Process) -> bool:
    return process.name in _SSH and process.uid == 0


def _refused_in(multiplexer: str) -> PresenceNeeded:
    why = f"any program of your account can type into {multiplexer}"
    leave = f"Leave it with {_MULTIPLEXERS[multiplexer]} and run the command in the terminal window itself"
    return PresenceNeeded(f"{why}.", hint=f"{leave}, or use a passkey in the console.", reason="presence", why=why)


def _refused(why: str) -> PresenceNeeded:
    return PresenceNeeded(f"{why}.", hint=_ELSEWHERE, reason="presence", why=why)
