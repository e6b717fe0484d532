"""File patterns: what they match, and that no pattern of any shape takes more than linear time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.kernel.glob import escape_pattern, matcher, unescape_pattern
from handrail.ports.errors import InvalidParams


@pytest.mark.parametrize(
    ("pattern", "matches", "others"),
    [
        ("a.txt", ["a.txt"], ["a_txt", "b/a.txt", "a.txt/b", "A.txt", "a.txt\n"]),
        ("*.txt", ["a.txt", ".txt", "a b.txt", "线.txt", "a\nb.txt"], ["d/a.txt", "a.txt2"]),
        ("*", ["a", ".hidden", ""], ["a/b"]),
        ("?", ["a", "线"], ["", "ab", "/"]),
        ("a?c", ["abc", "a.c"], ["a/c", "ac"]),
        ("**", ["a", "a/b", "a/b/c.txt", ""], []),
        ("**/*.txt", ["a.txt", "d/a.txt", "d/e/a.txt"], ["a.md", "a.txt/b"]),
        ("d/**", ["d/a", "d/e/a"], ["d", "dd/a", "e/d/a"]),
        ("d/**/x", ["d/x", "d/a/x", "d/a/b/x"], ["d", "dx", "d/ax"]),
        ("**/d/**", ["d/a", "a/d/b", "a/b/d/e/f"], ["d", "ad/b"]),
        ("a**", ["a", "ab", "a/b"], ["ba"]),
        ("**b", ["b", "a/b"], ["a", "ba"]),
        ("[abc].txt", ["a.txt", "c.txt"], ["d.txt", "ab.txt", ".txt", "X.txt"]),
        ("[X]", ["X"], ["a"]),
        ("[a-c]", ["a", "b"], ["d", "-"]),
        ("[a-cx]", ["b", "x"], ["d", "-"]),
        ("[!a]", ["b", "!"], ["a", "/", ""]),
        ("[^a]", ["b", "^"], ["a", "/"]),
        ("[]]", ["]"], ["["]),
        ("[!]]", ["a"], ["]", "/"]),
        ("[^]]", ["a"], ["]", "/", "a]"]),
        ("[!]", ["[!]"], ["a"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[-a]", ["a", "-"], ["b"]),
        ("[+-9]", ["+", "-", ".", "0", "9"], ["/", "*", ":"]),
        ("[[]", ["["], ["]"]),
        ("[\\]", ["\\"], ["a"]),
        ("[a^]", ["a", "^"], ["b"]),
        ("[", ["["], ["a"]),
        ("[a", ["[a"], ["a"]),
        ("{a,b}.txt", ["a.txt", "b.txt"], ["c.txt", "{a,b}.txt", "a,b.txt"]),
        ("{a,{b,c}d}", ["a", "bd", "cd"], ["b", "ad"]),
        ("{,a}b", ["b", "ab"], ["a"]),
        ("{a}", ["a"], ["{a}"]),
        ("{a},b", ["a,b"], ["a", "b"]),
        ("{a}}", ["a}"], ["a"]),
        ("a,b", ["a,b"], ["a", "b"]),
        ("{", ["{"], [""]),
        ("}", ["}"], [""]),
        ("*.{md,txt}", ["a.md", ".txt"], ["d/a.md"]),
        ("a.b+c(d)|e$^", ["a.b+c(d)|e$^"], ["aXb+c(d)|e$^", "e"]),
        ("(?s)", ["(?s)", "(xs)"], ["s", ""]),
        ("\\d", ["\\d"], ["1"]),
        ("", [""], ["a"]),
    ],
)
def test_a_pattern_matches_whole_paths(pattern: str, matches: list[str], others: list[str]) -> None:
    test = matcher(pattern)
    assert [path for path in matches if not test(path)] == []
    assert [path for path in others if test(path)] == []


@pytest.mark.parametrize("members", ["a/b", "/", "+-9", "/-/", "/-9", "+-/", " -~", "!a", "^a"])
def test_a_class_never_matches_a_separator(members: str) -> None:
    assert not matcher(f"x[{members}]y")("x/y")


@pytest.mark.parametrize("pattern", ["[z-a]", "{a,{b}", "a" * 1001, "{" * 400 + "}"])
def test_a_pattern_that_makes_no_sense_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidParams):
        matcher(pattern)


HOSTILE = [
    "*" * 999,
    "**/" * 333,
    "*a" * 499 + "b",
    "**a" * 333,
    "{a,a}" * 199 + "b",
    "{a,aa}" * 166 + "*",
    "{*,*}" * 199,
    "?" * 1000,
    "[!a]" * 250,
    "{" * 150 + "a" + ",b}" * 150,
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_pattern_takes_linear_time(pattern: str) -> None:
    """Backtracking would take longer than the sun has left; a linear matcher takes milliseconds."""
    test = matcher(pattern)
    started = time.process_time()
    for path in ("a" * 4096, "a/" * 2048, "a" * 4095 + "b", "/" * 4096):
        test(path)
    assert time.process_time() - started < 5


@given(st.text(alphabet="ab/*?[]{},!^-\\.\n线", max_size=30), st.text(alphabet="ab/[]{},!^-\\.\n线", max_size=20))
def test_any_pattern_is_read_or_refused(pattern: str, path: str) -> None:
    try:
        test = matcher(pattern)
    except InvalidParams:
        return
    assert test(path) in (True, False)


@given(st.text(alphabet="ab/.-+()|$ 线\n\\^", max_size=30))
def test_a_pattern_without_wildcards_matches_itself_alone(text: str) -> None:
    assert matcher(text)(text)
    assert not matcher(text)(text + "x")


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("src/a.md", "src/a.md"),
        ("~/a", "[~]/a"),
        ("a~", "a~"),
        ("[id]{a,b}*?.tsx", "[[]id][{]a[,]b[}][*][?].tsx"),
    ],
)
def test_the_pattern_of_one_path_matches_it_alone_and_can_be_read_back(path: str, pattern: str) -> None:
    assert escape_pattern(path) == pattern
    assert unescape_pattern(pattern) == path
    assert path.startswith("~") or matcher(pattern)(path)
    assert unescape_pattern("*.md") is None
    assert unescape_pattern("[a]") is None, "no path is spelled so"
