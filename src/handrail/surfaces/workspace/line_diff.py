"""Line hunks as contract 3 §0.4 shows them."""

import msgspec

from handrail.contract.diffing import LineDiffer


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


def diff(differ: LineDiffer, old: str, new: str) -> LineDiff:
    """A text's lines are what stands between its LFs, so endings and a missing last newline are content."""
    if old == new:
        return LineDiff([])
    old_lines, new_lines = old.split("\n"), new.split("\n")
    return LineDiff(
        [
            HunkLines(*hunk, lines_old=_run(old_lines, *hunk[:2]), lines_new=_run(new_lines, *hunk[2:]))
            for hunk in differ.hunks(old.encode(), new.encode())
        ]
    )


def _run(lines: list[str], start: int, length: int) -> list[str]:
    return lines[start - 1 : start - 1 + length]
