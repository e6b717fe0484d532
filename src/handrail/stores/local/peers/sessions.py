"""Identities of callers without a token, taken from the kernel: the program that started this process, and the session.

An MCP client over stdio is identified by its parent process and this process, which serves only this client. So two
sessions of one parent are two identities, and neither can use the other's. The lasting part of the identity is the
parent's program: its file (for an interpreter, the script and the arguments before it) and the user.
"""

import os
import re
import secrets
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from handrail.ports.identity import Identity
from handrail.stores.local.peers.linux import start_ticks
from handrail.stores.local.peers.processes import Processes

_INTERPRETER = re.compile(r"(node|nodejs|bun|deno|python|pypy|ruby|perl|php|java|sh|bash|dash|zsh|fish)[0-9.]*")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "busybox"})
_OWN_PROCESS = re.compile(r"(?:stdio:[0-9a-f.]+|process):([0-9]+)\.([0-9]+)")


def stdio_identity(pid: int | None = None) -> Identity:
    """The identity of the client at a process's stdin, by default our own."""
    own_pid = os.getpid() if pid is None else pid
    own_start, process = _started(own_pid), Processes().find(own_pid)
    parent = os.getppid() if pid is None else process.parent if process is not None else 0
    started = _started(parent)
    if started is None or own_start is None:
        session = f"stdio:{parent}:{secrets.token_hex(8)}"
        return Identity(session, session)
    connection = f"stdio:{parent}.{started}:{own_pid}.{own_start}"
    program = _program(parent)
    return Identity(connection, connection if program is None else f"program:{_uid(parent)}:{program}")


def agent_identity(pid: int | None = None) -> Identity:
    """The identity of the agent that has started a process, by default our own; shells in between are skipped.

    All processes that an agent starts have the same identity, so its hooks share a session.
    """
    processes = Processes()
    process = processes.find(os.getpid() if pid is None else pid)
    agent = None if process is None else processes.find(process.parent)
    while agent is not None and agent.name in _SHELLS and "-c" in agent.arguments[1:3]:
        agent = processes.find(agent.parent)
    if agent is None or agent.pid <= 1:
        session = f"process:{secrets.token_hex(8)}"
        return Identity(session, session)
    connection = f"process:{agent.pid}.{agent.started}"
    program = _program(agent.pid)
    return Identity(connection, connection if program is None else f"program:{agent.uid}:{program}")


def terminal_identity() -> Identity:
    """The identity of a person's commands, which is the same for all commands of a terminal session."""
    uid, leader = os.getuid(), os.getsid(0)
    return Identity(f"terminal:{uid}:{leader}.{_started(leader) or 0}", f"person:{uid}")


def has_ended(connection: str) -> bool:
    """Whether this identity is certainly no longer in use, because its process has ended."""
    match = _OWN_PROCESS.fullmatch(connection)
    return match is not None and _started(int(match[1])) != int(match[2])


def _uid(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return os.getuid()


def _started(pid: int) -> int | None:
    try:
        return start_ticks(Path(f"/proc/{pid}/stat").read_bytes())
    except (OSError, ValueError, IndexError):
        return None


def _program(pid: int) -> str | None:
    try:
        file = os.readlink(f"/proc/{pid}/exe")
        if not _INTERPRETER.fullmatch(os.path.basename(file)):
            return file
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")[1:]
        folder = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None
    for at, argument in enumerate(arguments):
        script = os.path.join(folder, os.fsdecode(argument))
        if not argument.startswith(b"-") and os.path.isfile(script):
            # Arguments before the script may be a program, too: `sh -c 'anything' script`.
            return " ".join((file, os.path.realpath(script), *([_digest(arguments[:at])] if at else [])))
    return f"{file} {_digest(arguments)}"


def _digest(arguments: Sequence[bytes]) -> str:
    return sha256(b"\0".join(arguments)).hexdigest()[:16]
