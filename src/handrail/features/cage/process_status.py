"""A process as `/proc` has it: its state, and how it ended while nobody has taken notice of that."""

from __future__ import annotations

import os


def state_of(pid: int) -> str:
    """`T` is stopped, `Z` ended; empty where there is no such process."""
    return (_fields(pid) or [""])[0]


def exit_code_of(pid: int) -> int | None:
    """As shells have it; None while it runs, and where it is gone."""
    fields = _fields(pid)
    if not fields or fields[0] != "Z":
        return None
    code = os.waitstatus_to_exitcode(int(fields[-1]))
    return 128 - code if code < 0 else code


def _fields(pid: int) -> list[str]:
    """Those after its name, which may have spaces and brackets in it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []
