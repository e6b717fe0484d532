"""Finds connections between programs of this machine that root has accepted, such as a sign-in over SSH."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from handrail.stores.local.peers.processes import Process, Processes

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
        for name in _descriptors(_FOLDER / str(process.pid) / "fd") & names.keys():
            holders[names[name]].append(process)
    return holders


def _descriptors(folder: Path) -> set[str]:
    targets = set()
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                targets.add(os.readlink(folder / name))
    return targets
