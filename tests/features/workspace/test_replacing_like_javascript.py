"""replace_in_file gives the same result as JavaScript's `replace`, for the syntax that RE2 and JavaScript share."""

import json
import random
import subprocess

import pytest

from handrail.features.workspace.replacement import replace_all
from handrail.ports.errors import InvalidParams
from tests.effort import count as count_tries
from tests.effort import tries

_SCRIPT = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([pattern, flags, text, replacement]) => {
  const regex = new RegExp(pattern, "gu" + flags);
  return [text.replace(regex, replacement), [...text.matchAll(regex)].length];
})));
"""
_ATOMS = [
    *("a", "b", "c", "[ab]", "[^a]", "(a)", "(?:ab|b)", "(a|)", "\\b", "\\B", "^", "$", "é", "\\d", "(?<n>b)", "()"),
    *(".", "(.)", "\\s", "\\S", "\\w", "\\W", "\\D", "[\\s]", "[^\\s]", "[\\w-]", "[\\d\\s]", "[^\\n]", "[\\b]", "[.]"),
    *("k", "\\n", "\\r", "\\t", "\\v", "\\0", "\\x41", "\\u0041", "\\u{1F600}", "\\.", "\\/", "\\p{L}", "[a-z]"),
    *("[^]", "[]", "\\cJ", "[\\cm]", "\\p{Script=Han}", "\\p{gc=Lu}", "\\P{L}"),
]
_REPEATS = ["", "", "", "*", "+", "?", "*?", "{0,2}", "{2}", "{1,}"]
_CHARACTERS = "aabbbc1 \né\r\r\n\u2028\t\v\xa0\ufeff_-./Ak"
_PIECES = [";", "$1", "$&", "$$", "$2", "$10", "$01", "$<n>", "$<n", "$>", "$<", "$`", "$'", "$0", "x", ""]


def pattern(chance: random.Random) -> str:
    parts = []
    has_name = False
    for _ in range(chance.randrange(1, 4)):
        atom = chance.choice([each for each in _ATOMS if not (has_name and "<n>" in each)])
        has_name = has_name or "<n>" in atom
        # Repeated, what may be empty is captured differently in both.
        is_single = atom in ("\\b", "\\B", "^", "$", "(a|)", "()")
        parts.append(atom + ("" if is_single else chance.choice(_REPEATS)))
    return "".join(parts) + chance.choice(["", "", "", "|", "|c"])


def text_for(find: str, chance: random.Random) -> str:
    """Leaves out what Node does differently for a reason: with `i`, \\b counts two foreign letters as word characters,
    and \\B matches in the middle of a character.
    """
    characters = _CHARACTERS if "\\b" in find.lower() else _CHARACTERS + "ſ\u212a😀"
    return "".join(chance.choice(characters) for _ in range(chance.randrange(12)))


def in_javascript(cases: list[tuple[str, str, str, str]]) -> list[tuple[str, int]]:
    result = subprocess.run(["node", "-e", _SCRIPT], input=json.dumps(cases).encode(), capture_output=True, check=True)
    return [(text, count) for text, count in json.loads(result.stdout)]


@pytest.mark.trial("regexes")
def test_generated_patterns_replace_as_in_javascript() -> None:
    chance = random.Random(19)
    cases = []
    for _ in range(tries(10_000, 100_000)):
        find, flags = pattern(chance), chance.choice(["", "m", "i", "s", "im"])
        pieces = [chance.choice(_PIECES) for _ in range(chance.randrange(1, 3))]
        cases.append((find, flags, text_for(find, chance), "".join(pieces)))
    for case, expected in zip(cases, in_javascript(cases), strict=True):
        find, flags, text, replacement = case
        after, count = replace_all(text.encode(), find, replacement, flags, lambda: None)
        assert (after.decode(), count) == expected, case
    count_tries(len(cases))


@pytest.mark.parametrize(
    ("find", "expected", "count"),
    [("(?m)$", "ab;\ncd;\nef;\n;", 4), ("(?m)^", ";ab\n;cd\n;ef\n;", 4), ("(?-s)\\b", ";ab;\n;cd;\n;ef;\n", 6)],
)
def test_an_empty_match_is_replaced_once(find: str, expected: str, count: int) -> None:
    assert replace_all(b"ab\ncd\nef\n", find, ";", None, lambda: None) == (expected.encode(), count)


@pytest.mark.parametrize(
    ("find", "flags", "text", "expected"),
    [
        ("$", "m", "ab\r\ncd\r\n", "ab;\r;\ncd;\r;\n;"),
        (".+", "", "ab\r\ncd", ";\r\n;"),
        ("\\s+", "", "a\xa0\u3000b", "a;b"),
        ("^.", "m", "a\u2028b", ";\u2028;"),
        ("[^a]$", "m", "ab\rac", "a;\ra;"),
        ("^\\P{L}+", "m", "a:\r--b", "a:\r;b"),
    ],
)
def test_line_ends_and_white_space_match_javascript(find: str, flags: str, text: str, expected: str) -> None:
    assert replace_all(text.encode(), find, ";", flags, lambda: None)[0].decode() == expected


@pytest.mark.parametrize("find", ["[[:alpha:]]+", "\\Qb.\\E", "\\Aa"])
def test_syntax_that_only_re2_knows_is_read_by_re2(find: str) -> None:
    assert replace_all(b"ab.\r\n", find, ";", "m", lambda: None)[1] >= 1


def test_without_named_groups_a_name_in_the_replacement_is_text() -> None:
    assert replace_all(b"ab", "a", "$<x$$&$<y>", "", lambda: None) == (b"$<x$&$<y>b", 1)


def test_a_bracket_after_an_empty_class_is_read_by_re2() -> None:
    assert replace_all(b"[ab] c", r"\[[^]]*\]", ";", "", lambda: None) == (b"; c", 1)


@pytest.mark.parametrize("find", ["(?<=a)b", "a(?=b)", "(a)\\1", "(?<n>a)\\k<n>"])
def test_what_re2_lacks_is_refused_with_the_pattern_as_it_was_written(find: str) -> None:
    with pytest.raises(InvalidParams) as refusal:
        replace_all(b"ab", find, ";", "", lambda: None)
    assert "no lookbehind" in str(refusal.value.hint)
    assert refusal.value.details["find"] == find
    with pytest.raises(InvalidParams, match=r"missing \): a\($"):
        replace_all(b"ab", "a(", ";", "", lambda: None)
