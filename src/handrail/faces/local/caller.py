"""Who is behind a connection to the local socket."""

import socket
from pathlib import Path

from handrail.kernel.local_service import LocalCaller
from handrail.ports.errors import InputOutput
from handrail.ports.machine import Machine


def local_caller(machine: Machine, state: Path, known: set[str], connection: socket.socket) -> LocalCaller:
    """The agent behind it is known as one from now on: no command that it starts may answer in a person's name."""
    caller = machine.identify(connection)
    try:
        pid, uid = caller.peer.pid, caller.peer.uid
        found = LocalCaller(pid, uid, machine.agent_identity(pid), machine.stdio_identity(pid))
        if not caller.is_alive():  # then what was read may be of another process
            raise InputOutput("The caller has ended.")
        if found.identity.connection not in known:
            machine.register_agent(state, pid)
            known.add(found.identity.connection)
        return found
    finally:
        caller.close()
