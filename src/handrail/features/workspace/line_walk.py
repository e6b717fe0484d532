"""Finds the hunks of two texts that have most lines in common, by walking through both at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, count, groupby
from operator import ne

_MAX_SKIPPED = 40
_FIRST_STRIDE = 16


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of different lines, counted from 1, without context. Lines are the text between LFs."""

    start_old: int
    start_new: int
    lines_old: list[bytes]
    lines_new: list[bytes]


def certain_hunks(old: list[bytes], new: list[bytes]) -> list[Hunk] | None:
    """Returns the smallest set of changes, or None if that can't be guaranteed.

    If no removed line is among the added ones, no diff can keep more lines: each line occurs among the kept ones as
    often as in both texts.
    """
    hunks = _hunks_in_place(old, new) if len(old) == len(new) else None
    if hunks is None or not _is_smallest(hunks):
        hunks = _walk(old, new)
    return hunks if hunks is not None and _is_smallest(hunks) else None


def _is_smallest(hunks: Sequence[Hunk]) -> bool:
    removed = {line for hunk in hunks for line in hunk.lines_old}
    return removed.isdisjoint(line for hunk in hunks for line in hunk.lines_new)


def _hunks_in_place(old: list[bytes], new: list[bytes]) -> list[Hunk]:
    """Compares texts with the same number of lines, line by line."""
    changed_lines = list(compress(range(len(old)), map(ne, old, new)))
    # Consecutive lines have the same difference between number and rank.
    runs = ([at for _, at in run] for _, run in groupby(enumerate(changed_lines), lambda ranked: ranked[1] - ranked[0]))
    return [Hunk(run[0] + 1, run[0] + 1, old[run[0] : run[-1] + 1], new[run[0] : run[-1] + 1]) for run in runs]


def _walk(old: list[bytes], new: list[bytes]) -> list[Hunk] | None:
    """Goes from one common line to the next; returns None if they are too far apart."""
    hunks, at, to = list[Hunk](), 0, 0
    while True:
        same = _count_same(old, at, new, to)
        at, to = at + same, to + same
        if at == len(old) and to == len(new):
            return hunks
        if (common := _next_common(old, at, new, to)) is None:
            return None
        hunks.append(Hunk(at + 1, to + 1, old[at : common[0]], new[to : common[1]]))
        at, to = common


def _count_same(old: Sequence[bytes], at: int, new: Sequence[bytes], to: int) -> int:
    """Counts the equal lines from here on, in growing strides, so that most lines are compared at once."""
    same, stride, limit = 0, _FIRST_STRIDE, min(len(old) - at, len(new) - to)
    while same < limit:
        stride = min(stride, limit - same)
        mine, theirs = old[at + same : at + same + stride], new[to + same : to + same + stride]
        if mine != theirs:
            return same + next(compress(count(), map(ne, mine, theirs)))
        same += stride
        stride *= 2
    return same


def _next_common(old: Sequence[bytes], at: int, new: Sequence[bytes], to: int) -> tuple[int, int] | None:
    """Returns the next positions at which the texts have a line in common, skipping as few lines as possible."""
    for skipped in range(1, _MAX_SKIPPED):
        for mine in range(skipped + 1):
            one, other = at + mine, to + skipped - mine
            if one < len(old) and other < len(new) and old[one] == new[other]:
                return one, other
            if one == len(old) and other == len(new):
                return one, other
    return None
