"""Connections between programs of this machine of which root has accepted one end: a sign-in over SSH may be one."""

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
    """For each connection of the user's to root that one of `family` may have accepted: who holds the user's end.

    Nobody, where that can't be looked at. Root's end often can't: then it may be one of `family`.
    """
    found = _pairs(uid)
    held = _held({*found, *found.values()}, processes)
    for inode, accepted in found.items():
        holders = held[accepted]
        is_hidden = not holders and uid != 0  # root can look at every process
        if not is_hidden and not any(holder in family for holder in holders):
            continue
        if held[inode] or inode in _pairs(uid):  # others end all the time
            yield held[inode]


def _pairs(uid: int) -> dict[str, str]:
    """The user's ends of connections to root, each with root's."""
    rows = [row for name in ("tcp", "tcp6") for row in _rows(_FOLDER / "self/net" / name)]
    roots = {(row[_REMOTE], row[_LOCAL]): row[_INODE] for row in rows if row[_UID] == "0"}
    ends = {row[_INODE]: roots.get((row[_LOCAL], row[_REMOTE])) for row in rows if row[_UID] == str(uid)}
    return {inode: accepted for inode, accepted in ends.items() if accepted is not None}


def _rows(file: Path) -> Iterator[list[str]]:
    with suppress(OSError):
        for line in file.read_text().splitlines()[1:]:
            row = line.replace(_MAPPED, "").split()  # an IPv4 address in IPv6 as the one that it is
            if row[_STATE] == _ESTABLISHED:
                yield row


def _held(inodes: Collection[str], processes: Processes) -> dict[str, list[Process]]:
    """Which processes hold each of these sockets."""
    names = {f"socket:[{inode}]": inode for inode in inodes}
    held: dict[str, list[Process]] = {inode: [] for inode in inodes}
    for process in processes.all() if names else ():
        for name in _descriptors(_FOLDER / str(process.pid) / "fd") & names.keys():
            held[names[name]].append(process)
    return held


def _descriptors(folder: Path) -> set[str]:
    found = set()
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                found.add(os.readlink(folder / name))
    return found
