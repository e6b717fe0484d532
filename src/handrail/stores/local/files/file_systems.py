"""Tells whether a file system has a new file's name on disk once the file itself is synced."""

import os
from functools import cache

_WITH_THE_FILE = frozenset({"ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "tmpfs", "overlay"})
"""Their journals include the name. An overlay forwards the sync to one of these."""
_MOUNTS = "/proc/self/mountinfo"


def keeps_names(folder: int) -> bool:
    """False if unknown; then the folder has to be synced, too."""
    return _keeps_names(os.fstat(folder).st_dev)


@cache
def _keeps_names(device: int) -> bool:
    return _kind(f"{os.major(device)}:{os.minor(device)}") in _WITH_THE_FILE


def _kind(device: str) -> str | None:
    try:
        with open(_MOUNTS, encoding="utf-8", errors="replace") as mounts:
            for line in mounts:
                fields, _, more = line.partition(" - ")
                if fields.split(" ", 3)[2] == device:
                    return more.split(" ", 1)[0]
    except (OSError, IndexError):
        return None
    return None
