"""Computes what the hunks of a diff mean, in the slow and obvious way."""

from functools import cache
from typing import Any

Hunks = list[dict[str, Any]]


def applied(hunks: Hunks, old: list[str]) -> list[str]:
    """Returns the new lines, and checks every claim of every hunk on the way."""
    new: list[str] = []
    at = 0
    for hunk in hunks:
        assert hunk["startOld"] >= 1
        assert hunk["startNew"] >= 1
        start = hunk["startOld"] - 1
        assert start > at or (start == at == 0), "hunks stand in order, with a common line between them"
        assert hunk["lenOld"] == len(hunk["linesOld"])
        assert hunk["lenNew"] == len(hunk["linesNew"])
        assert hunk["linesOld"] or hunk["linesNew"], "no hunk is empty"
        assert old[start : start + hunk["lenOld"]] == hunk["linesOld"]
        new += old[at:start]
        assert hunk["startNew"] == len(new) + 1
        new += hunk["linesNew"]
        at = start + hunk["lenOld"]
    return new + old[at:]


def fewest_changed_lines(old: list[str], new: list[str]) -> int:
    """Returns the minimal number of removed and added lines: all that are not in a longest common subsequence."""

    @cache
    def common(i: int, j: int) -> int:
        if i == len(old) or j == len(new):
            return 0
        if old[i] == new[j]:
            return 1 + common(i + 1, j + 1)
        return max(common(i + 1, j), common(i, j + 1))

    return len(old) + len(new) - 2 * common(0, 0)


def changed_lines(hunks: Hunks) -> int:
    return sum(hunk["lenOld"] + hunk["lenNew"] for hunk in hunks)
