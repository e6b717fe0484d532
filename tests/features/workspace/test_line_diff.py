"""Hunks are correct and minimal, whether they needed a process or not."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.features.workspace import line_diff
from handrail.features.workspace.line_diff import Hunk, LineDiff, diff

lines = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "é"]), min_size=1, max_size=9)


def no_process(old: bytes, new: bytes) -> list[Hunk]:
    raise AssertionError("no process was needed for this")


def most_kept_lines(old: list[str], new: list[str]) -> int:
    @cache
    def common_lines(i: int, j: int) -> int:
        if i == len(old) or j == len(new):
            return 0
        same = common_lines(i + 1, j + 1) + 1 if old[i] == new[j] else 0
        return max(same, common_lines(i + 1, j), common_lines(i, j + 1))

    return common_lines(0, 0)


def check(changes: LineDiff, old: list[str], new: list[str]) -> None:
    result = list(old)
    for hunk in reversed(changes.hunks):
        replaced = slice(hunk.start_old - 1, hunk.start_old - 1 + hunk.len_old)
        assert result[replaced] == hunk.lines_old
        assert new[hunk.start_new - 1 :][: hunk.len_new] == hunk.lines_new
        result[replaced] = hunk.lines_new
    assert result == new
    assert len(old) - sum(hunk.len_old for hunk in changes.hunks) == most_kept_lines(old, new)


@given(lines, lines)
def test_hunks_of_any_two_texts_are_right_and_minimal(old: list[str], new: list[str]) -> None:
    check(diff("\n".join(old).encode(), "\n".join(new).encode()), old, new)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "", "x", "y"])), min_size=1, max_size=12))
def test_lines_replaced_in_their_place_need_no_process(edits: list[tuple[str, str]]) -> None:
    old, new = [line for line, _ in edits], [replacement or line for line, replacement in edits]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "_by_gnu_diff", no_process)
        check(diff("\n".join(old).encode(), "\n".join(new).encode()), old, new)
