"""RE2 replaces the same in a thread and in a child process, and a slow child is stopped."""

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.features.workspace import replacement as replacing
from handrail.features.workspace.backends import regex_program
from handrail.features.workspace.replacement import replace_regex
from handrail.ports.errors import Aborted, InputOutput, InvalidParams, TooLarge
from tests.effort import tries

MILLION = b"abc def 123\n" * 90_000


def never_stop() -> None:
    """A checkpoint of a call that isn't stopped."""


def children() -> list[str]:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


@pytest.fixture(params=["thread", "child"])
def replace(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, str, bytes], object]:
    if request.param == "child":
        monkeypatch.setattr(replacing, "_SMALL", -1)
    return lambda text, pattern, replacement: replace_regex(text, pattern, replacement, never_stop)


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "result"),
    [
        (b"abcabc", "b", b"x", (b"axcaxc", 2)),
        (b"", "^$", b"x", (b"x", 1)),
        (b"", "a", b"x", (b"", 0)),
        ("线中".encode(), "", b"-", ("-线-中-".encode(), 3)),
        (b"ab", "(?P<n>a)(b)", b"$2$1$<n>$&$$$3$<m>", (b"baaab$$3", 1)),
        (b"a\0b", "\0", b"\0\0", (b"a\0\0b", 1)),
        (MILLION, "[0-9]+", b"#", (MILLION.replace(b"123", b"#"), 90_000)),
    ],
)
def test_every_match_is_replaced_wherever_it_is_done(
    replace: Callable[[bytes, str, bytes], object],
    text: bytes,
    pattern: str,
    replacement: bytes,
    result: tuple[bytes, int],
) -> None:
    assert replace(text, pattern, replacement) == result


@given(st.binary(max_size=30), st.text("ab.*?+()[]|^$", max_size=10), st.binary(max_size=10))
@settings(max_examples=tries(40, 3000), deadline=None)
def test_every_pattern_is_either_refused_or_replaced(text: bytes, pattern: str, replacement: bytes) -> None:
    try:
        result, count = replace_regex(text, pattern, replacement, never_stop)
    except InvalidParams:
        return
    assert (count > 0) or result == text


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", r"(a)\1", "(?=a)", "a{1001}", "(a{1000}){1000}", "[z-a]", "*"])
def test_invalid_patterns_are_refused_with_a_hint(pattern: str) -> None:
    with pytest.raises(InvalidParams) as caught:
        replace_regex(b"a", pattern, b"", never_stop)
    assert "RE2" in (caught.value.hint or "")


def test_a_result_without_bounds_is_too_large(replace: Callable[[bytes, str, bytes], object]) -> None:
    with pytest.raises(TooLarge):
        replace(b"a" * 90_000, "a", b"x" * 1000)


@pytest.mark.parametrize("pattern", ["(a?){500}a{500}b", "x*"])
def test_long_searches_are_stopped_at_the_next_checkpoint(pattern: str) -> None:
    checkpoints = itertools.count(1)

    def checkpoint() -> None:
        if next(checkpoints) == 5:
            raise Aborted("enough")

    before = children()
    with pytest.raises(Aborted):
        replace_regex(b"a" * 9_000_000, pattern, b"-", checkpoint)
    assert next(checkpoints) == 6, "nothing came after it"
    assert children() == before, "the child is gone"


def test_a_child_that_dies_is_an_error_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    crash = tmp_path / "crash.py"
    crash.write_text("import os; os.abort()")
    monkeypatch.setattr(regex_program, "__file__", str(crash))
    with pytest.raises(InputOutput):
        replace_regex(MILLION, "a", b"b", never_stop)
