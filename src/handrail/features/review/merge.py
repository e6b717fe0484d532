"""Merges single hunks of the agent's into the project's file, which the person may have edited meanwhile."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from handrail.features.workspace.offers import Hunk, hunks

MINE, MIDDLE, THEIRS = b"<<<<<<< yours", b"=======", b">>>>>>> the agent's"
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
        self._yours = _spelled(hunks(base, project), self._base) if project != base else []
        self.hunks = [self._placed(hunk) for hunk in _spelled(hunks(base, agents), self._base)]

    def _placed(self, hunk: Hunk) -> MergeHunk:
        touching = [yours for yours in self._yours if _touch(hunk, yours)]
        if not touching:
            return MergeHunk(hunk, "open")
        if hunk in touching:
            return MergeHunk(hunk, "taken")
        return MergeHunk(hunk, "conflict", touching)

    def result(self, chosen: Collection[int], theirs: Collection[int] = ()) -> bytes:
        """The project's content with these hunks, by their places in `hunks`.

        Of `chosen` only open ones count; those of `theirs` replace the person's own edits at their place.
        """
        taken = [each.hunk for place, each in enumerate(self.hunks) if place in chosen and each.state == "open"]
        replacing = [each for place, each in enumerate(self.hunks) if place in theirs and each.state == "conflict"]
        replaced = [yours for each in replacing for yours in each.yours]
        kept = [yours for yours in self._yours if yours not in replaced]
        return b"\n".join(self._applied([*kept, *taken, *(each.hunk for each in replacing)], 0, len(self._base)))

    def draft(self) -> bytes:
        """Everything merged that can be, and conflicts marked as git marks them, for a person to edit."""
        groups: list[tuple[list[Hunk], list[Hunk]]] = []
        for each in self.hunks:
            if each.state != "conflict":
                continue
            if groups and any(yours in groups[-1][0] for yours in each.yours):
                groups[-1][0].extend(yours for yours in each.yours if yours not in groups[-1][0])
                groups[-1][1].append(each.hunk)
            else:
                groups.append((list(each.yours), [each.hunk]))
        marked = [self._marked(mine, agents) for mine, agents in groups]
        contested = [hunk for mine, _ in groups for hunk in mine]
        plain = [hunk for hunk in self._yours if hunk not in contested]
        plain += [each.hunk for each in self.hunks if each.state == "open"]
        return b"\n".join(self._applied([*plain, *marked], 0, len(self._base)))

    def _marked(self, mine: Sequence[Hunk], agents: Sequence[Hunk]) -> Hunk:
        start = min(_start(hunk) for hunk in (*mine, *agents)) - 1
        end = max(_end(hunk) for hunk in (*mine, *agents)) - 1
        sides = [self._applied(side, start, end) for side in (mine, agents)]
        lines = [MINE, *sides[0], MIDDLE, *sides[1], THEIRS]
        return Hunk(start + 1, start + 1, self._base[start:end], lines)

    def _applied(self, hunks: Sequence[Hunk], at: int, end: int) -> list[bytes]:
        """The base's lines from `at` to `end`, with these hunks."""
        lines: list[bytes] = []
        for hunk in sorted(hunks, key=lambda each: (each.start_old, len(each.lines_old))):
            start = hunk.start_old - 1
            lines += self._base[at:start]
            lines += hunk.lines_new
            at = start + len(hunk.lines_old)
        return lines + self._base[at:end]


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
