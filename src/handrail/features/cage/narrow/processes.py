"""The processes in a narrow cage: all descendants of the supervisor, which adopts orphans."""

import os
from contextlib import suppress

from handrail.features.cage.listening import listening_sockets


def descendants(process: int | None = None) -> list[int]:
    """Of a process, by default of this one."""
    pids: list[int] = []
    pending = [os.getpid() if process is None else process]
    while pending:
        for pid in children(pending.pop()):
            pids.append(pid)
            pending.append(pid)
    return pids


def is_own_server(port: int) -> bool:
    """Whether only processes below us listen on this port."""
    sockets = {f"socket:[{inode}]" for number, inode in listening_sockets() if number == port}
    return bool(sockets) and sockets <= {name for pid in descendants() for name in _open_files(pid)}


def children(pid: int) -> list[int]:
    """Of all its threads, oldest first."""
    pids = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                pids += [int(word) for word in file.read().split()]
    return pids


def _open_files(pid: int) -> list[str]:
    """Returns the targets of its descriptors."""
    targets = []
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                targets.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return targets
