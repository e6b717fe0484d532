"""Merges single hunks of the agent's into the project's file, which the person may have edited since the start."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from handrail.features.workspace.offers import Hunk, hunks

MINE, MIDDLE, THEIRS = b"<<<<<<< yours", b"=======", b">>>>>>> the agent's"
HunkState = Literal["open", "taken", "conflict"]


@dataclass(frozen=True, slots=True)
class MergeHunk:
    """One change by the agent, in lines of the base. `yours`: the person's changes at the same place."""

    hunk: Hunk
    state: HunkState
    yours: Sequence[Hunk] = ()


class Merge:
    """Compares the base with the project's current content and with the agent's."""

    def __init__(self, base: bytes, project: bytes, agents: bytes) -> None:
        self._base = base.split(b"\n")
        self._yours = _normalize(hunks(base, project), self._base) if project != base else []
        self.hunks = [self._to_merge_hunk(hunk) for hunk in _normalize(hunks(base, agents), self._base)]

    def _to_merge_hunk(self, hunk: Hunk) -> MergeHunk:
        touching = [yours for yours in self._yours if _touch(hunk, yours)]
        if not touching:
            return MergeHunk(hunk, "open")
        if hunk in touching:
            return MergeHunk(hunk, "taken")
        return MergeHunk(hunk, "conflict", touching)

    def result(self, chosen: Collection[int], theirs: Collection[int] = ()) -> bytes:
        """The project's content with some hunks, named by their index in `hunks`.

        `chosen`: open hunks to add. `theirs`: conflicting hunks that replace the person's edits.
        """
        taken = [each.hunk for place, each in enumerate(self.hunks) if place in chosen and each.state == "open"]
        replacing = [each for place, each in enumerate(self.hunks) if place in theirs and each.state == "conflict"]
        replaced = [yours for each in replacing for yours in each.yours]
        kept = [yours for yours in self._yours if yours not in replaced]
        return b"\n".join(self._apply([*kept, *taken, *(each.hunk for each in replacing)], 0, len(self._base)))

    def draft(self) -> bytes:
        """Everything merged, with conflicts marked like in git, for a person to edit."""
        groups: list[tuple[list[Hunk], list[Hunk]]] = []
        for each in self.hunks:
            if each.state != "conflict":
                continue
            if groups and any(yours in groups[-1][0] for yours in each.yours):
                groups[-1][0].extend(yours for yours in each.yours if yours not in groups[-1][0])
                groups[-1][1].append(each.hunk)
            else:
                groups.append((list(each.yours), [each.hunk]))
        marked = [self._conflict_hunk(mine, agents) for mine, agents in groups]
        contested = [hunk for mine, _ in groups for hunk in mine]
        plain = [hunk for hunk in self._yours if hunk not in contested]
        plain += [each.hunk for each in self.hunks if each.state == "open"]
        return b"\n".join(self._apply([*plain, *marked], 0, len(self._base)))

    def _conflict_hunk(self, mine: Sequence[Hunk], agents: Sequence[Hunk]) -> Hunk:
        start = min(_start(hunk) for hunk in (*mine, *agents)) - 1
        end = max(_end(hunk) for hunk in (*mine, *agents)) - 1
        sides = [self._apply(side, start, end) for side in (mine, agents)]
        lines = [MINE, *sides[0], MIDDLE, *sides[1], THEIRS]
        return Hunk(start + 1, start + 1, self._base[start:end], lines)

    def _apply(self, hunks: Sequence[Hunk], at: int, end: int) -> list[bytes]:
        """The base's lines from `at` to `end`, with these hunks."""
        lines: list[bytes] = []
        for hunk in sorted(hunks, key=lambda each: (each.start_old, len(each.lines_old))):
            start = hunk.start_old - 1
            lines += self._base[at:start]
            lines += hunk.lines_new
            at = start + len(hunk.lines_old)
        return lines + self._base[at:end]


def _touch(first: Hunk, second: Hunk) -> bool:
    """Whether two hunks overlap or are adjacent. As in git, adjacent ones conflict, since their order is unclear."""
    return _start(first) <= _end(second) and _start(second) <= _end(first)


def _start(hunk: Hunk) -> int:
    return hunk.start_old


def _end(hunk: Hunk) -> int:
    return hunk.start_old + len(hunk.lines_old)


def _normalize(hunks: Sequence[Hunk], base: Sequence[bytes]) -> list[Hunk]:
    limits = [*(hunk.start_old - 2 for hunk in hunks[1:]), len(base)]
    return [_slide_down(hunk, base, limit) for hunk, limit in zip(hunks, limits, strict=False)]


def _slide_down(hunk: Hunk, base: Sequence[bytes], limit: int) -> Hunk:
    """Moves a pure insertion or removal down as far as possible, so that equal changes have equal hunks.

    They can be described at several places where lines repeat, such as `}` and blank lines.
    """
    at, old, new = hunk.start_old, list(hunk.lines_old), list(hunk.lines_new)
    if old and new:
        return hunk
    block = old or new
    while (following := at - 1 + len(old)) < limit and base[following] == block[0]:
        block.append(block.pop(0))
        at += 1
    return Hunk(at, hunk.start_new + at - hunk.start_old, old and block, new and block)
