"""On which TCP ports a program and its children take connections, as Linux tells it."""

import os
from contextlib import suppress

from handrail.features.webgal.backends.programs.keeper import descendants

_LISTENS = "0A"
_SOCKET = "socket:["


def ports_below(root: int) -> list[int]:
    """Sorted, each once."""
    processes = descendants(root)
    sockets = {inode for pid in processes for inode in _sockets(pid)}
    found: set[int] = set()
    for pid in processes:
        for table in ("tcp", "tcp6"):
            with suppress(OSError), open(f"/proc/{pid}/net/{table}", encoding="ascii") as lines:
                found |= {port for port, inode in map(_listener, lines) if inode in sockets and port is not None}
        if found:
            break  # its children share the network with it
    return sorted(found)


def _sockets(pid: int) -> set[str]:
    found = set()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith(_SOCKET):
                    found.add(target.removeprefix(_SOCKET).rstrip("]"))
    return found


def _listener(line: str) -> tuple[int | None, str]:
    fields = line.split()
    if len(fields) < 10 or fields[3] != _LISTENS:
        return None, ""
    return int(fields[1].rpartition(":")[2], 16), fields[9]
