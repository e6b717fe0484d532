"""One line of any length is judged in time that grows with it: a backtracking expression would take minutes."""

import pytest

from tests.core.webgal.game import findings

_LONG = 200_000
# How a line begins, what it repeats, and how it ends so that what was begun comes to nothing.
HOSTILE = [
    ("choose a", ":", " x;"),
    ("choose a", ":b", " x;"),
    ("if (", "<", ";"),
    ("if (", "==", ""),
    ("changeFigure:a.png", "—", ";"),
    ("changeFigure:a.png", " ", "—x;"),
]


@pytest.mark.parametrize(("begin", "again", "end"), HOSTILE, ids=[f"{each[0]}{each[1]}" for each in HOSTILE])
def test_a_line_that_repeats_itself_is_judged_at_once(begin: str, again: str, end: str) -> None:
    findings(begin + again * (_LONG // len(again)) + end)
