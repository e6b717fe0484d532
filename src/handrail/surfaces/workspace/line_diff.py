"""Line hunks as contract 3 §0.4 shows them."""

import msgspec

from handrail.contract.diffing import Hunk, LineDiffer


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
    return LineDiff([_shown(hunk) for hunk in differ.hunks(old, new)] if old != new else [])


def _shown(hunk: Hunk) -> HunkLines:
    return HunkLines(
        start_old=hunk.start_old,
        len_old=len(hunk.lines_old),
        start_new=hunk.start_new,
        len_new=len(hunk.lines_new),
        lines_old=[line.decode() for line in hunk.lines_old],
        lines_new=[line.decode() for line in hunk.lines_new],
    )
