"""Applying the hunks to the old lines gives the new lines, with and without GNU diff."""

import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.features.workspace import line_diff
from handrail.features.workspace.gnu_diff import gnu_diff
from handrail.features.workspace.line_diff import Hunk
from handrail.features.workspace.unified_diff import unified

texts = st.lists(st.sampled_from(["a", "b", "", "c\r", "\0", "é", "-- x"]), max_size=12).map("\n".join)


def apply_hunks(old: str, new: str, hunks: list[Hunk]) -> str:
    lines, new_lines = old.encode().split(b"\n"), new.encode().split(b"\n")
    for hunk in reversed(hunks):
        assert new_lines[hunk.start_new - 1 :][: len(hunk.lines_new)] == hunk.lines_new
        replaced = slice(hunk.start_old - 1, hunk.start_old - 1 + len(hunk.lines_old))
        assert lines[replaced] == hunk.lines_old
        lines[replaced] = hunk.lines_new
    return b"\n".join(lines).decode()


@pytest.mark.parametrize("by", [line_diff.hunks, line_diff._by_gnu_diff])
@given(old=texts, new=texts)
def test_hunks_lead_from_the_old_text_to_the_new_one(
    by: Callable[[bytes, bytes], list[Hunk]], old: str, new: str
) -> None:
    hunks = by(old.encode(), new.encode())
    assert apply_hunks(old, new, hunks) == new
    assert all(hunk.start_old >= 1 and hunk.start_new >= 1 for hunk in hunks)


@given(texts, texts)
def test_without_gnu_diff_the_hunks_are_right_too(old: str, new: str) -> None:
    lines = [text.encode().split(b"\n") for text in (old, new)]
    assert apply_hunks(old, new, line_diff._hunks_without_diff(*lines)) == new


@pytest.mark.parametrize(("unchanged", "added"), [(slice(500), ["x"]), (slice(3, None), []), (slice(None), ["x"])])
def test_a_long_text_without_gnu_diff_gives_one_hunk(
    unchanged: slice, added: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    old = [str(number) for number in range(3000)]
    new = [*old[unchanged], *added]
    hunks = line_diff.hunks("\n".join(old).encode(), "\n".join(new).encode())
    assert len(hunks) == 1
    assert apply_hunks("\n".join(old), "\n".join(new), hunks) == "\n".join(new)


@pytest.mark.trial("regexes", is_long=True)
def test_texts_that_have_little_in_common_take_bounded_time() -> None:
    chance = random.Random(1)
    old = [str(chance.randrange(5000)) for _ in range(40_000)]
    new = chance.sample(old, len(old))
    hunks = line_diff.hunks("\n".join(old).encode(), "\n".join(new).encode())
    assert apply_hunks("\n".join(old), "\n".join(new), hunks) == "\n".join(new)


lines = st.lists(st.sampled_from(["a", "b", "", "c\r", "é"]), max_size=30)
whole_texts = st.builds(lambda lines, last: ("\n".join(lines) + last).encode(), lines, st.sampled_from(["", "\n"]))


@given(whole_texts, whole_texts)
def test_a_unified_diff_can_be_applied_and_is_as_short_as_gnu_diff_s(old: bytes, new: bytes) -> None:
    diff = unified("a.txt", old, new)
    by_gnu = gnu_diff(["--unified", "--minimal"], old, new, 10)
    assert by_gnu is not None
    assert changed_lines(diff.encode()) == changed_lines(by_gnu)
    assert apply_patch(old, diff) == new


def changed_lines(diff: bytes) -> tuple[int, int]:
    lines = diff.split(b"\n")[2:]
    return sum(line[:1] == b"-" for line in lines), sum(line[:1] == b"+" for line in lines)


def apply_patch(old: bytes, diff: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.txt")
        file.write_bytes(old)
        if diff:
            subprocess.run(["git", "apply", "-"], cwd=folder, input=diff.encode(), check=True)
        return file.read_bytes() if file.exists() else b""


def test_a_unified_diff_marks_a_missing_last_newline() -> None:
    diff = unified("a.txt", b"one\ntwo", b"one\ntwo\n")
    assert diff.startswith("--- a/a.txt\n+++ b/a.txt\n")
    assert "\\ No newline at end of file" in diff
