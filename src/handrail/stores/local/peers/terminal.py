"""Whether the terminal that this process reads from is one that a person sits at, and no agent is behind.

An agent can start `handrail` itself, in a terminal that it made. So this counts only where everything fits: our own
terminal, a session that we descend from, no agent among our ancestors, and a program at the other end of the terminal
that shows it to a person and that no other program can type into. Whatever can't be told doesn't count.
"""

import os
import stat
import sys
from collections.abc import Collection

from handrail.ports.presence import PresenceNeeded, TerminalProof
from handrail.stores.local.peers.agents import KnownAgents
from handrail.stores.local.peers.local_connections import clients_of
from handrail.stores.local.peers.processes import Process, Processes

# Programs that show a terminal on a screen. tmux, screen, editors and terminals with a remote control (wezterm, kitty,
# konsole, urxvt, terminology) are not among them: another program of the same user can type into theirs and read them.
TERMINALS = frozenset(
    {
        "alacritty", "foot", "footclient", "ghostty", "gnome-terminal-server", "kgx", "lxterminal", "mate-terminal",
        "mate-terminal.wrapper", "ptyxis-agent", "qterminal", "st", "tilix", "xfce4-terminal", "xterm",
    }
)  # fmt: skip
_MULTIPLEXERS = {"tmux": "Ctrl-B D", "screen": "Ctrl-A D", "zellij": "Ctrl-O D"}
"""Any program of this account may type into their terminals (`tmux send-keys`), whoever is attached to them."""
_SIGN_INS = frozenset({"login", "sshd", "sshd-session", "dropbear"})
"""What lets a person in. Other programs of root's start what somebody has left for later: atd, cron."""
_SSH = frozenset({"sshd", "sshd-session", "sshd-auth", "dropbear"})
_CONSOLE = 4
"""The number of terminals of the machine itself, which have no other end."""
_STEPS_TO_SIGN_IN = 2
"""From a terminal's first process up: `sshd` has one of the user's own between."""
_ELSEWHERE = (
    "Run the command in a plain terminal window that you opened before the agent, or use a passkey in the console."
)


def person_at_terminal(agents: KnownAgents, processes: Processes | None = None, keyboard: int = 0) -> TerminalProof:
    """PresenceNeeded, with the reason."""
    if not sys.platform.startswith("linux"):
        raise _refused("this system doesn't tell who is behind a terminal")
    processes = processes or Processes()
    own = processes.find(os.getpid())
    if own is None:
        raise _refused("the system doesn't tell about this process")
    _check_keyboard(own, keyboard)
    family = _family(processes, own, agents)
    if os.major(own.terminal) == _CONSOLE:
        name, program = f"tty{os.minor(own.terminal)}", _entered_through(processes, family, own)
    else:
        name, program = os.ttyname(keyboard), _holder(processes, own, family, agents, _file_system(keyboard))
    if program in _SSH:
        _check_clients(processes, own, family, agents)
    return TerminalProof(name, own.pid, program, _who_else(processes, own, family))


def agent_above(agents: KnownAgents, names: Collection[str], processes: Processes | None = None) -> str | None:
    """The first of our ancestors that is an agent's: it uses handrail, or is a program of one of these names."""
    processes = processes or Processes()
    family = (processes.ancestors(os.getpid()) or []) if sys.platform.startswith("linux") else []
    found = agents.among(family[1:], processes) or next((each for each in family[1:] if _is_named(each, names)), None)
    return None if found is None else f"an agent's process ({found.name or 'process'} {found.pid})"


def _is_named(process: Process, names: Collection[str]) -> bool:
    """By its program or, where that is an interpreter, by its script."""
    words = (process.name, *process.arguments[:2])
    return any(os.path.splitext(os.path.basename(word))[0] in names for word in words)


def _check_keyboard(own: Process, keyboard: int) -> None:
    try:
        status = os.fstat(keyboard)
        is_terminal = os.isatty(keyboard) and stat.S_ISCHR(status.st_mode)
    except OSError:
        raise _refused("there is no terminal here") from None
    if not is_terminal or own.terminal == 0:
        raise _refused("there is no terminal here")
    if status.st_rdev != own.terminal:
        raise _refused("the input is another terminal than the one that this command belongs to")


def _family(processes: Processes, own: Process, agents: KnownAgents) -> list[Process]:
    """Our ancestors, the session's leader among them, and none of them an agent's process."""
    family = processes.ancestors(own.pid)
    if family is None:
        raise _refused("the system doesn't show which process started this one")
    if own.session not in [process.pid for process in family]:
        raise _refused("this command doesn't descend from the shell of its terminal")
    if (found := agents.among(family, processes)) is not None:
        raise _refused(f"it was started by an agent's process ({found.name or 'process'} {found.pid})")
    return family


def _who_else(processes: Processes, own: Process, family: list[Process]) -> str:
    """A program beside us in this terminal that the kernel lets type into it, such as a job of the same shell."""
    if not processes.lets_programs_type():
        return ""
    known = {process.pid for process in family}
    for process in processes.all():
        if process.terminal == own.terminal and process.pid not in known and process.parent != own.pid:
            return f"{process.name or 'process'} {process.pid}"
    return ""


def _check_clients(processes: Processes, own: Process, family: list[Process], agents: KnownAgents) -> None:
    """`ssh localhost`: whoever may have signed in from this machine itself has to sit at a terminal that counts."""
    for clients in clients_of(family, own.uid, processes):
        if not clients:
            raise _refused("a program that can't be looked at may have signed in from this machine itself")
        for client in clients:
            _check_client(processes, client, agents)


def _check_client(processes: Processes, client: Process, agents: KnownAgents) -> None:
    may = f"{client.name or 'process'} {client.pid} may have signed in from this machine itself"
    family = processes.ancestors(client.pid)
    if family is None or client.terminal == 0:
        raise _refused(f"{may}, and it has no terminal")
    if (found := agents.among(family, processes)) is not None:
        raise _refused(f"{may}, and an agent's process has started it ({found.name or 'process'} {found.pid})")
    if client.session not in [process.pid for process in family]:
        raise _refused(f"{may}, and it has left the shell of its terminal")
    if os.major(client.terminal) != _CONSOLE:
        _holder(processes, client, family, agents, None)


def _holder(
    processes: Processes, own: Process, family: list[Process], agents: KnownAgents, file_system: int | None
) -> str:
    """The name of the program at the other end of this process's terminal."""
    holders = processes.masters_of(own.terminal, file_system)
    if not holders:
        return _entered_through(processes, family, own)  # sshd's can't be looked at; nor can one that hides
    for holder in holders:
        above = processes.ancestors(holder.pid)
        if above is None:
            raise _refused("the system doesn't show what is behind this terminal")
        if (found := agents.among(above, processes)) is not None:
            raise _refused(f"an agent's process is behind this terminal ({found.name or 'process'} {found.pid})")
        if holder.name in _MULTIPLEXERS:
            raise _refused_in(holder.name)
        if holder.name not in TERMINALS and not _is_ssh(holder):
            raise _refused(f"other programs can type into this terminal: it is shown by {holder.name or 'a process'}")
        if _is_lent(holder):
            raise _refused("another program has given this terminal its other end, and may type into it")
        if _is_left_behind(above) and (culprit := agents.who_could_have_started(holder, processes)) is not None:
            raise _refused(
                f"this terminal was opened after an agent had started ({culprit}), and the system doesn't tell by whom"
            )
        if not processes.is_the_systems_own(holder):
            raise _refused(f"the program behind this terminal isn't the system's own: {holder.exe}")
    return holders[0].name


def _file_system(keyboard: int) -> int | None:
    """In which our terminal is; None where the kernel doesn't confirm that it is the one that controls us."""
    try:
        os.tcgetpgrp(keyboard)
    except OSError:
        return None
    return os.fstat(keyboard).st_dev


def _entered_through(processes: Processes, family: list[Process], own: Process) -> str:
    """The program of root's that somebody has signed in through, right above the first process of the terminal."""
    leader = next(at for at, process in enumerate(family) if process.pid == own.session)
    for process in family[leader + 1 : leader + 1 + _STEPS_TO_SIGN_IN]:
        if own.uid != 0 and (name := processes.name_if_roots(process.pid)) in _SIGN_INS:
            return name or ""
    raise _refused("the system doesn't show what is behind this terminal")


def _is_lent(holder: Process) -> bool:
    """`xterm -S` shows a terminal whose other end it was handed: who handed it over may have kept it."""
    return holder.name == "xterm" and any(word.startswith("-S") for word in holder.arguments[1:])


def _is_left_behind(ancestors: list[Process]) -> bool:
    """What has started it is gone, and somebody who takes in orphans is its parent now."""
    return len(ancestors) < 2 or ancestors[1].pid == 1 or ancestors[1].name in ("systemd", "init")


def _is_ssh(process: Process) -> bool:
    return process.name in _SSH and process.uid == 0


def _refused_in(multiplexer: str) -> PresenceNeeded:
    why = f"any program of your account can type into {multiplexer}"
    leave = f"Leave it with {_MULTIPLEXERS[multiplexer]} and run the command in the terminal window itself"
    return PresenceNeeded(f"{why}.", hint=f"{leave}, or use a passkey in the console.", reason="presence", why=why)


def _refused(why: str) -> PresenceNeeded:
    return PresenceNeeded(f"{why}.", hint=_ELSEWHERE, reason="presence", why=why)
