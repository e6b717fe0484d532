"""Line hunks of texts that have most lines in common, found by walking through both at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, count, groupby
from operator import ne

_FURTHEST = 40
_FIRST_STRIDE = 16


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of different lines, counted from 1, without context. Lines are what is between LFs."""

    start_old: int
    start_new: int
    lines_old: list[bytes]
    lines_new: list[bytes]


def certain_hunks(old: list[bytes], new: list[bytes]) -> list[Hunk] | None:
    """The smallest set of changes, or None where that isn't certain.

    If no removed line is among the added ones, no diff can keep more lines: each line occurs among the kept ones as
    often as in both texts.
    """
    found = _replaced_in_place(old, new) if len(old) == len(new) else None
    if found is None or not _is_smallest(found):
        found = _walked(old, new)
    return found if found is not None and _is_smallest(found) else None


def _is_smallest(found: Sequence[Hunk]) -> bool:
    removed = {line for hunk in found for line in hunk.lines_old}
    return removed.isdisjoint(line for hunk in found for line in hunk.lines_new)


def _replaced_in_place(old: list[bytes], new: list[bytes]) -> list[Hunk]:
    """Line by line."""
    places = list(compress(range(len(old)), map(ne, old, new)))
    # Neighbours have the same distance from their rank.
    runs = ([at for _, at in run] for _, run in groupby(enumerate(places), lambda ranked: ranked[1] - ranked[0]))
    return [Hunk(run[0] + 1, run[0] + 1, old[run[0] : run[-1] + 1], new[run[0] : run[-1] + 1]) for run in runs]


def _walked(old: list[bytes], new: list[bytes]) -> list[Hunk] | None:
    """From one line that both have to the next; None where they are too far apart."""
    found, at, to = list[Hunk](), 0, 0
    while True:
        same = _same(old, at, new, to)
        at, to = at + same, to + same
        if at == len(old) and to == len(new):
            return found
        if (again := _meeting(old, at, new, to)) is None:
            return None
        found.append(Hunk(at + 1, to + 1, old[at : again[0]], new[to : again[1]]))
        at, to = again


def _same(old: Sequence[bytes], at: int, new: Sequence[bytes], to: int) -> int:
    """How many lines are the same from here on: in strides that grow, so that most are compared in one go."""
    passed, stride, most = 0, _FIRST_STRIDE, min(len(old) - at, len(new) - to)
    while passed < most:
        stride = min(stride, most - passed)
        mine, theirs = old[at + passed : at + passed + stride], new[to + passed : to + passed + stride]
        if mine != theirs:
            return passed + next(compress(count(), map(ne, mine, theirs)))
        passed += stride
        stride *= 2
    return passed


def _meeting(old: Sequence[bytes], at: int, new: Sequence[bytes], to: int) -> tuple[int, int] | None:
    """The next places at which the texts have a line in common, with as few lines skipped as possible."""
    for skipped in range(1, _FURTHEST):
        for mine in range(skipped + 1):
            one, other = at + mine, to + skipped - mine
            if one < len(old) and other < len(new) and old[one] == new[other]:
                return one, other
            if one == len(old) and other == len(new):
                return one, other
    return None
