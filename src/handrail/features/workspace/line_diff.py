"""Compares two texts line by line, in the format of contract 3 §0.4. GNU diff does it if many lines differ."""

import difflib
import re
from collections.abc import Iterator

import msgspec

from handrail.features.workspace.gnu_diff import gnu_diff
from handrail.features.workspace.line_walk import Hunk as Hunk
from handrail.features.workspace.line_walk import certain_hunks
from handrail.features.workspace.myers import gaps

_HEADING = re.compile(rb"(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?")
# Finding the smallest set of changes takes quadratic time on texts with little in common.
_EXACT_BELOW_BYTES = 1_000_000
_EXACT_SECONDS = 1.0
_SECONDS = 15.0
_DIFFLIB_BELOW_LINES = 2_000


def hunks(old: bytes, new: bytes) -> list[Hunk]:
    """Returns the runs of different lines in order: the smallest set of them, except in large texts."""
    a, b = old.split(b"\n"), new.split(b"\n")
    if (differences := gaps(a, b)) is None:
        return _by_gnu_diff(old, new)
    return [Hunk(x + 1, y + 1, a[x:to_x], b[y:to_y]) for (x, to_x), (y, to_y) in differences]


def _by_gnu_diff(old: bytes, new: bytes) -> list[Hunk]:
    output = None
    if len(old) + len(new) < _EXACT_BELOW_BYTES:
        output = gnu_diff(["--minimal"], old, new, _EXACT_SECONDS, last=b"\n")
    if output is None:
        output = gnu_diff([], old, new, _SECONDS, last=b"\n")
    if output is None:
        return _hunks_without_diff(old.split(b"\n"), new.split(b"\n"))
    return list(_read_hunks(output.split(b"\n")))


def _read_hunks(lines: list[bytes]) -> Iterator[Hunk]:
    """Parses diff's normal format: a heading such as `2,3c2`, `< ` old lines, `---`, `> ` new lines."""
    at = 0
    while heading := _HEADING.fullmatch(lines[at]):
        old_first, old_last, kind, new_first, new_last = heading.groups()
        start_old, len_old = _run_of_lines(old_first, old_last, is_empty=kind == b"a")
        start_new, len_new = _run_of_lines(new_first, new_last, is_empty=kind == b"d")
        middle = at + 1 + len_old
        after = middle + (kind == b"c")
        at = after + len_new
        yield Hunk(
            start_old,
            start_new,
            [line[2:] for line in lines[middle - len_old : middle]],
            [line[2:] for line in lines[after:at]],
        )


def _run_of_lines(first: bytes, last: bytes | None, *, is_empty: bool) -> tuple[int, int]:
    """Returns start and length. diff gives an empty run the number of the line before it."""
    start = int(first)
    return (start + 1, 0) if is_empty else (start, int(last or first) - start + 1)


def _hunks_without_diff(old: list[bytes], new: list[bytes]) -> list[Hunk]:
    """Uses difflib for short texts.

    For long texts that would take too long: everything between the first and the last difference is one hunk.
    """
    if len(old) + len(new) < _DIFFLIB_BELOW_LINES:
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        return [
            Hunk(old_from + 1, new_from + 1, old[old_from:old_to], new[new_from:new_to])
            for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes()
            if tag != "equal"
        ]
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    end = next((at for at in range(shorter - start) if old[-1 - at] != new[-1 - at]), shorter - start)
    return [Hunk(start + 1, start + 1, old[start : len(old) - end], new[start : len(new) - end])]


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


def diff(old: bytes, new: bytes) -> LineDiff:
    """Compares UTF-8 texts. Line endings and a missing last newline count as content."""
    if old == new:
        return LineDiff([])
    smallest = certain_hunks(old.split(b"\n"), new.split(b"\n"))
    return LineDiff([_hunk_lines(hunk) for hunk in (hunks(old, new) if smallest is None else smallest)])


def _hunk_lines(hunk: Hunk) -> HunkLines:
    return HunkLines(
        start_old=hunk.start_old,
        len_old=len(hunk.lines_old),
        start_new=hunk.start_new,
        len_new=len(hunk.lines_new),
        lines_old=[line.decode() for line in hunk.lines_old],
        lines_new=[line.decode() for line in hunk.lines_new],
    )
