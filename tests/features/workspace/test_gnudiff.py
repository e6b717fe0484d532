"""Hunks applied to the old lines give the new lines, whoever made them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.features.workspace import line_diff
from handrail.features.workspace.line_diff import Hunk

texts = st.lists(st.sampled_from(["a", "b", "", "c\r", "\0", "é", "-- x"]), max_size=12).map("\n".join)


def applied(old: str, new: str, hunks: list[Hunk]) -> str:
    lines, new_lines = old.encode().split(b"\n"), new.encode().split(b"\n")
    for hunk in reversed(hunks):
        assert new_lines[hunk.start_new - 1 :][: len(hunk.lines_new)] == hunk.lines_new
        replaced = slice(hunk.start_old - 1, hunk.start_old - 1 + len(hunk.lines_old))
        assert lines[replaced] == hunk.lines_old
        lines[replaced] = hunk.lines_new
    return b"\n".join(lines).decode()


@given(texts, texts)
def test_hunks_lead_from_the_old_text_to_the_new_one(old: str, new: str) -> None:
    hunks = line_diff.hunks(old.encode(), new.encode())
    assert applied(old, new, hunks) == new
    assert all(hunk.start_old >= 1 and hunk.start_new >= 1 for hunk in hunks)


@given(texts, texts)
def test_without_gnu_diff_the_hunks_are_right_too(old: str, new: str) -> None:
    lines = [text.encode().split(b"\n") for text in (old, new)]
    assert applied(old, new, line_diff._hunks_without_diff(*lines)) == new


@pytest.mark.parametrize(("kept", "added"), [(slice(500), ["x"]), (slice(3, None), []), (slice(None), ["x"])])
def test_a_long_text_without_gnu_diff_gives_one_hunk(
    kept: slice, added: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    old = [str(number) for number in range(3000)]
    new = [*old[kept], *added]
    hunks = line_diff.hunks("\n".join(old).encode(), "\n".join(new).encode())
    assert len(hunks) == 1
    assert applied("\n".join(old), "\n".join(new), hunks) == "\n".join(new)


def test_texts_that_have_little_in_common_take_bounded_time() -> None:
    chance = random.Random(1)
    old = [str(chance.randrange(5000)) for _ in range(40_000)]
    new = chance.sample(old, len(old))
    hunks = line_diff.hunks("\n".join(old).encode(), "\n".join(new).encode())
    assert applied("\n".join(old), "\n".join(new), hunks) == "\n".join(new)


def test_a_unified_diff_tells_of_a_missing_last_newline() -> None:
    shown = line_diff.unified("a.txt", b"one\ntwo", b"one\ntwo\n")
    assert shown.startswith("--- a/a.txt\n+++ b/a.txt\n")
    assert "\\ No newline at end of file" in shown
