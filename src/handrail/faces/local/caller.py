"""Identifies the process behind a connection to the local socket."""

import socket
from pathlib import Path

from handrail.kernel.local_service import LocalCaller
from handrail.ports.errors import InputOutput
from handrail.ports.machine import Machine


def local_caller(machine: Machine, state: Path, registered: set[str], connection: socket.socket) -> LocalCaller:
    """Registers the caller's agent, so that no command that it starts may answer in a person's name."""
    caller = machine.identify(connection)
    try:
        pid, uid = caller.peer.pid, caller.peer.uid
        local = LocalCaller(pid, uid, machine.agent_identity(pid), machine.stdio_identity(pid))
        if not caller.is_alive():  # its pid may belong to another process by now
            raise InputOutput("The caller has ended.")
        if local.identity.connection not in registered:
            machine.register_agent(state, pid)
            registered.add(local.identity.connection)
        return local
    finally:
        caller.close()
