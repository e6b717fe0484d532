"""replace_in_file on the syntax that RE2 and JavaScript share: the result is that of JavaScript's `replace`."""

import json
import random
import subprocess

import pytest

from handrail.features.workspace.replacement import replace_all
from tests.effort import tries

_SCRIPT = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([pattern, flags, text, replacement]) => {
  const regex = new RegExp(pattern, "gu" + flags);
  return [text.replace(regex, replacement), [...text.matchAll(regex)].length];
})));
"""
_ATOMS = ["a", "b", "c", "[ab]", "[^a]", "(a)", "(?:ab|b)", "(a|)", "\\b", "\\B", "^", "$", "é", "\\d", "(?<n>b)", "()"]
_REPEATS = ["", "", "", "*", "+", "?", "*?", "{0,2}"]
_PIECES = [";", "$1", "$&", "$$", "$2", "$10", "$01", "$<n>", "$`", "$'", "$0", "x", ""]


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


def in_javascript(cases: list[tuple[str, str, str, str]]) -> list[tuple[str, int]]:
    done = subprocess.run(["node", "-e", _SCRIPT], input=json.dumps(cases).encode(), capture_output=True, check=True)
    return [(text, count) for text, count in json.loads(done.stdout)]


@pytest.mark.trial("regexes")
def test_generated_patterns_replace_as_in_javascript() -> None:
    chance = random.Random(19)
    cases = [
        (
            pattern(chance),
            chance.choice(["", "m", "i", "s", "im"]),
            "".join(chance.choice("aabbc1 \né") for _ in range(chance.randrange(10))),
            "".join(chance.choice(_PIECES) for _ in range(chance.randrange(1, 3))),
        )
        for _ in range(tries(3000, 10_000))
    ]
    for case, expected in zip(cases, in_javascript(cases), strict=True):
        find, flags, text, replacement = case
        after, count = replace_all(text.encode(), find, replacement, flags, lambda: None)
        assert (after.decode(), count) == expected, case


@pytest.mark.parametrize(
    ("find", "expected", "count"),
    [("(?m)$", "ab;\ncd;\nef;\n;", 4), ("(?m)^", ";ab\n;cd\n;ef\n;", 4), ("(?-s)\\b", ";ab;\n;cd;\n;ef;\n", 6)],
)
def test_an_empty_match_is_replaced_once(find: str, expected: str, count: int) -> None:
    assert replace_all(b"ab\ncd\nef\n", find, ";", None, lambda: None) == (expected.encode(), count)
