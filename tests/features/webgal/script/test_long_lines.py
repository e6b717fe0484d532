"""Checking a line takes linear time, however long it is: a backtracking expression would take minutes."""

import pytest

from handrail.features.webgal.script.config_file import check_config
from handrail.features.webgal.script.listing import Listing
from handrail.features.webgal.script.parser import CONDITIONS
from tests.features.webgal.script.game import findings

_LONG = 200_000
# How a line begins, what it repeats, and how it ends so that what was begun comes to nothing.
HOSTILE = [
    ("choose a", ":", " x;"),
    ("choose a", ":b", " x;"),
    ("if (", "<", ";"),
    ("if (", "==", ""),
    ("changeFigure:a.png", "—", ";"),
    ("changeFigure:a.png", " ", "—x;"),
    ("choose:去：", " ", "x y;"),
    ("choose:(", ")[", ":x;"),
    ("choose:(a)[", "]", ":x;"),
    ("setVar:a+=", " ", "=1;"),
    ('setTransform:{"', '\\"', ";"),
    ("jumpLabel:x -when='", "\"'", ";"),
    ("label:a", "ba", ";\njumpLabel:" + "ab" * (_LONG // 2) + "a;"),
]


@pytest.mark.parametrize(("begin", "again", "end"), HOSTILE, ids=[f"{each[0]}{each[1]}" for each in HOSTILE])
def test_a_line_that_repeats_itself_is_judged_at_once(begin: str, again: str, end: str) -> None:
    findings(begin + again * (_LONG // len(again)) + end)


def test_a_setting_of_only_blanks_is_checked_in_linear_time() -> None:
    blanks = " " * _LONG
    findings = check_config(f"Game_name{blanks}x:y;\nGame_key{blanks}x", Listing(), "game/")
    assert [finding.code for finding in findings] == ["WG405"]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("(a>1)[b]->去", ("a>1", "b")),
        ("(a>1)->去", ("a>1", None)),
        (" [b]->去", (None, "b")),
        ("->去", (None, None)),
        ("(random(1)>0)->去", ("random(1)>0", None)),
        ("(f(a)[0]>1)->去", ("f(a)[0]>1", None)),
        ("(a)->b)[c]->去", ("a", None)),
    ],
)
def test_conditions_end_at_the_next_one_or_the_arrow(option: str, expected: tuple[str | None, str | None]) -> None:
    conditions = CONDITIONS.match(option)
    assert conditions is not None
    assert conditions.groups() == expected


@pytest.mark.parametrize("option", ["去", "(a>1)去", "[b]去", "(a->去", "a(b)->去"])
def test_an_option_without_an_arrow_has_no_conditions(option: str) -> None:
    assert CONDITIONS.match(option) is None
