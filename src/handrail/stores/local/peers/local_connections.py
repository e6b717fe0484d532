"""Finds the programs at the ends of this machine's own connections: of a sign-in over SSH, of an agent over HTTP."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from handrail.stores.local.peers.processes import Process, Processes
from handrail.stores.local.peers.socket_diag import Address, inode_of

_ESTABLISHED = "01"
_LOCAL, _REMOTE, _STATE, _UID, _INODE = 1, 2, 3, 7, 9  # columns of /proc/net/tcp
_MAPPED = "0000000000000000FFFF0000"
_FOLDER = Path("/proc")


def clients_of(family: Collection[Process], uid: int, processes: Processes) -> Iterator[list[Process]]:
    """Yields, for each connection from the user to root that one of `family` may have accepted, the user's processes.

    The list is empty if they can't be inspected. If root's end can't be inspected, it may be one of `family`.
    """
    pairs = _pairs(uid)
    holders_of = _holders({*pairs, *pairs.values()}, processes)
    for inode, accepted in pairs.items():
        accepting = holders_of[accepted]
        is_hidden = not accepting and uid != 0  # root can inspect every process
        if not is_hidden and not any(holder in family for holder in accepting):
            continue
        if holders_of[inode] or inode in _pairs(uid):  # other connections end all the time
            yield holders_of[inode]


def client_at(client: Address, server: Address, likely: Collection[int]) -> int | None:
    """This user's process at the client's end of a connection between these two addresses of this machine.

    Looks at the `likely` ones first, then at the newest.
    """
    if (inode := _inode_at(client, server)) is None:
        return None
    name, own = f"socket:[{inode}]", os.getuid()
    others = sorted((int(name) for name in os.listdir(_FOLDER) if name.isdigit()), reverse=True)
    for pid in (*likely, *others):
        with suppress(OSError):
            if os.stat(f"{_FOLDER}/{pid}").st_uid == own and name in _descriptors(f"{_FOLDER}/{pid}/fd"):
                return pid
    return None


def _inode_at(client: Address, server: Address) -> int | None:
    with suppress(OSError):
        return inode_of(client, server)
    ports = (f":{client[1]:04X}", f":{server[1]:04X}")  # a kernel without sock_diag
    rows = (row for name in ("tcp", "tcp6") for row in _rows(_FOLDER / "self/net" / name))
    ends = (row for row in rows if row[_LOCAL].endswith(ports[0]) and row[_REMOTE].endswith(ports[1]))
    return next((int(row[_INODE]) for row in ends), None)


def _pairs(uid: int) -> dict[str, str]:
    """Maps the user's ends of connections to root's ends."""
    rows = [row for name in ("tcp", "tcp6") for row in _rows(_FOLDER / "self/net" / name)]
    roots = {(row[_REMOTE], row[_LOCAL]): row[_INODE] for row in rows if row[_UID] == "0"}
    ends = {row[_INODE]: roots.get((row[_LOCAL], row[_REMOTE])) for row in rows if row[_UID] == str(uid)}
    return {inode: accepted for inode, accepted in ends.items() if accepted is not None}


def _rows(file: Path) -> Iterator[list[str]]:
    with suppress(OSError):
        for line in file.read_text().splitlines()[1:]:
            row = line.replace(_MAPPED, "").split()  # an IPv4 address that is mapped to IPv6
            if row[_STATE] == _ESTABLISHED:
                yield row


def _holders(inodes: Collection[str], processes: Processes) -> dict[str, list[Process]]:
    """The processes that have each of these sockets open."""
    names = {f"socket:[{inode}]": inode for inode in inodes}
    holders: dict[str, list[Process]] = {inode: [] for inode in inodes}
    for process in processes.all() if names else ():
        for name in _descriptors(f"{_FOLDER}/{process.pid}/fd") & names.keys():
            holders[names[name]].append(process)
    return holders


def _descriptors(folder: str) -> set[str]:
    targets = set()
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                targets.add(os.readlink(f"{folder}/{name}"))
    return targets
