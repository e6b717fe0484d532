"""Processor time, which other work on the machine changes only a little."""

import os
from collections.abc import Sequence
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def spent_ms(roots: Sequence[int]) -> float:
    """Of these processes and their running descendants, in milliseconds."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended in the meantime
            continue
        pid = int(folder.name)
        parents[pid] = int(fields[1])
        ticks[pid] = int(fields[11]) + int(fields[12])
    return sum(spent for pid, spent in ticks.items() if _is_below(pid, roots, parents)) * 1000 / _TICKS


def _is_below(pid: int, roots: Sequence[int], parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid in roots:
            return True
        pid = parents.get(pid, 0)
    return False
