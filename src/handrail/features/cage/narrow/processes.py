"""The processes in a narrow cage: everything below the keeper, which is their last parent."""

import os
from contextlib import suppress

from handrail.features.cage.listening import listening_sockets


def descendants(process: int | None = None) -> list[int]:
    """Of a process, ours by default."""
    found: list[int] = []
    pending = [os.getpid() if process is None else process]
    while pending:
        for pid in children(pending.pop()):
            found.append(pid)
            pending.append(pid)
    return found


def is_own_server(port: int) -> bool:
    """Whether processes below us listen there, and none else does."""
    wanted = {f"socket:[{inode}]" for number, inode in listening_sockets() if number == port}
    return bool(wanted) and wanted <= {name for pid in descendants() for name in _opened(pid)}


def children(pid: int) -> list[int]:
    """Of all its threads, the oldest first."""
    found = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    return found


def _opened(pid: int) -> list[str]:
    """What its descriptors lead to."""
    found = []
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                found.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return found
