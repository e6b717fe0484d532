"""A process's state in `/proc`, and its exit code while its parent hasn't read that yet."""

from __future__ import annotations

import os


def state_of(pid: int) -> str:
    """`T` means stopped, `Z` ended; empty if there is no such process."""
    return (_fields(pid) or [""])[0]


def exit_code_of(pid: int) -> int | None:
    """As shells report it; None while it runs, and after it is gone."""
    fields = _fields(pid)
    if not fields or fields[0] != "Z":
        return None
    code = os.waitstatus_to_exitcode(int(fields[-1]))
    return 128 - code if code < 0 else code


def _fields(pid: int) -> list[str]:
    """Returns the fields after the name, which may contain spaces and brackets."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []
