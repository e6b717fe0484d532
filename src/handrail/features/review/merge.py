"""Merges single hunks of the agent's into the project's file, which the person may have edited meanwhile."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from handrail.features.workspace.offers import Hunk, quick_hunks

HunkState = Literal["open", "taken", "conflict"]


@dataclass(frozen=True, slots=True)
class MergeHunk:
    """One change of the agent's, in lines of the base. `yours` are the person's changes at the same place."""

    hunk: Hunk
    state: HunkState
    yours: Sequence[Hunk] = ()


class Merge:
    """Base, the project's content now and the agent's."""

    def __init__(self, base: bytes, project: bytes, agents: bytes) -> None:
        self._base = base.split(b"\n")
        self._yours = _spelled(quick_hunks(base, project), self._base) if project != base else []
        self.hunks = [self._placed(hunk) for hunk in _spelled(quick_hunks(base, agents), self._base)]

    def _placed(self, hunk: Hunk) -> MergeHunk:
        touching = [yours for yours in self._yours if _touch(hunk, yours)]
        if not touching:
            return MergeHunk(hunk, "open")
        if hunk in touching:
            return MergeHunk(hunk, "taken")
        return MergeHunk(hunk, "conflict", touching)

    def result(self, chosen: Collection[int]) -> bytes:
        """The project's content with these hunks, by their places in `hunks`; others than open ones don't count."""
        taken = [each.hunk for place, each in enumerate(self.hunks) if place in chosen and each.state == "open"]
        lines: list[bytes] = []
        at = 0
        for hunk in sorted([*self._yours, *taken], key=lambda each: (each.start_old, len(each.lines_old))):
            start = hunk.start_old - 1
            lines += self._base[at:start]
            lines += hunk.lines_new
            at = start + len(hunk.lines_old)
        return b"\n".join(lines + self._base[at:])


def _touch(first: Hunk, second: Hunk) -> bool:
    """Overlapping or side by side, as git sees it: nobody knows in which order two neighbours belong."""
    return _start(first) <= _end(second) and _start(second) <= _end(first)


def _start(hunk: Hunk) -> int:
    return hunk.start_old


def _end(hunk: Hunk) -> int:
    return hunk.start_old + len(hunk.lines_old)


def _spelled(hunks: Sequence[Hunk], base: Sequence[bytes]) -> list[Hunk]:
    limits = [*(hunk.start_old - 2 for hunk in hunks[1:]), len(base)]
    return [_slid(hunk, base, limit) for hunk, limit in zip(hunks, limits, strict=False)]


def _slid(hunk: Hunk, base: Sequence[bytes], limit: int) -> Hunk:
    """The one spelling of a pure insertion or removal: as far down as it goes. `{`, `}` and blank lines repeat."""
    at, old, new = hunk.start_old, list(hunk.lines_old), list(hunk.lines_new)
    if old and new:
        return hunk
    block = old or new
    while (following := at - 1 + len(old)) < limit and base[following] == block[0]:
        block.append(block.pop(0))
        at += 1
    return Hunk(at, hunk.start_new + at - hunk.start_old, old and block, new and block)
