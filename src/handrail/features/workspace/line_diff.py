"""Line hunks as contract 3 §0.4 shows them."""

from itertools import compress, groupby
from operator import ne

import msgspec

from handrail.features.workspace.diffing import Hunk, LineDiffer


class HunkLines(msgspec.Struct, frozen=True, rename="camel"):
    start_old: int
    len_old: int
    start_new: int
    len_new: int
    lines_old: list[str]
    lines_new: list[str]


class LineDiff(msgspec.Struct, frozen=True):
    hunks: list[HunkLines]
    type: str = "line"

    @property
    def changed_lines(self) -> int:
        return sum(max(hunk.len_old, hunk.len_new) for hunk in self.hunks)


def diff(differ: LineDiffer, old: bytes, new: bytes) -> LineDiff:
    """Of UTF-8 texts; line endings and a missing last newline are content."""
    if old == new:
        return LineDiff([])
    hunks = None
    if old.count(b"\n") == new.count(b"\n"):
        hunks = _replaced_in_place(old.split(b"\n"), new.split(b"\n"))
    return LineDiff([_shown(hunk) for hunk in (differ.hunks(old, new) if hunks is None else hunks)])


def _replaced_in_place(old: list[bytes], new: list[bytes]) -> list[Hunk] | None:
    """The hunks where lines were replaced by others, one for one; None where it is not that simple.

    When no replaced line comes back among the new ones, no differ could keep more lines: each line occurs
    among the kept ones as often as it occurs in both texts.
    """
    places = list(compress(range(len(old)), map(ne, old, new)))
    if not {old[at] for at in places}.isdisjoint(new[at] for at in places):
        return None
    # Neighbours have the same distance from their rank.
    runs = ([at for _, at in run] for _, run in groupby(enumerate(places), lambda ranked: ranked[1] - ranked[0]))
    return [Hunk(run[0] + 1, run[0] + 1, old[run[0] : run[-1] + 1], new[run[0] : run[-1] + 1]) for run in runs]


def _shown(hunk: Hunk) -> HunkLines:
    return HunkLines(
        start_old=hunk.start_old,
        len_old=len(hunk.lines_old),
        start_new=hunk.start_new,
        len_new=len(hunk.lines_new),
        lines_old=[line.decode() for line in hunk.lines_old],
        lines_new=[line.decode() for line in hunk.lines_new],
    )
