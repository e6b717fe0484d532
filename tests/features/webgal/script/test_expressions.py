"""Expressions that the engine can't read are reported, and others are not, compared with its own library."""

import random
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests import effort
from tests.features.webgal.script.game import game
from tests.features.webgal.script.real_parser import RealParser

_VALUES = ("a", "b", "s", "1", "2.5", "0", '"x"', "'Tom'", "true", "false")
_OPERATORS = ("+", "-", "*", "/", ">", "<", ">=", "<=", "==", "!=", "&&", "||")
_SLIPS = ("&", "|", "%", "===", "?", "!", ",", "(", ")", '"', "'", "^", "++", "@", "=>", "<>", " and ", " ")
_UNREADABLE = {"WG117", "WG131"}
_MISTAKEN = {*_UNREADABLE, "WG110", "WG115"}
_VARIABLES = "setVar:a=1;\nsetVar:b=2;\nsetVar:s=x;\n"


@pytest.fixture(scope="module")
def engine() -> Iterator[RealParser]:
    library = RealParser("webgal_expressions.mjs")
    yield library
    library.close()


def _expression(chance: random.Random, depth: int = 0) -> str:
    if depth > 2 or chance.random() < 0.4:
        return chance.choice(_VALUES)
    if chance.random() < 0.2:
        return f"({_expression(chance, depth + 1)})"
    if chance.random() < 0.1:
        return f"!({_expression(chance, depth + 1)})"
    blank = chance.choice(("", "", " "))
    operator = chance.choice(_OPERATORS)
    return f"{_expression(chance, depth + 1)}{blank}{operator}{blank}{_expression(chance, depth + 1)}"


def _with_slip(chance: random.Random, text: str) -> str:
    at = chance.randrange(len(text) + 1)
    if chance.random() < 0.3 and at < len(text):
        return text[:at] + text[at + 1 :]
    return text[:at] + chance.choice((*_SLIPS, *_OPERATORS)) + text[at:]


def _is_left_open(text: str) -> bool:
    """Numbers with letters, and words side by side, may be names; what is called may be missing."""
    words = text.split()
    is_spaced = any(one[-1].isalnum() and other[0].isalnum() for one, other in pairwise(words))
    is_odd = re.search(r"\d[a-z]|\.\.|\d\.\d*\.|[a-z] ?\(| -|\?", text) is not None
    return is_spaced or is_odd or not text


@pytest.mark.trial("expressions")
def test_conditions_and_assignments_that_the_engine_cannot_read_are_reported(engine: RealParser) -> None:
    chance = effort.chance()
    for _ in range(effort.tries(600, 20_000)):
        text = _expression(chance)
        if chance.random() < 0.6:
            text = _with_slip(chance, text).strip().replace("  ", " ")
        if _is_left_open(text):
            continue
        is_condition = chance.random() < 0.6 or "=" in text
        line = f"jumpLabel:x -when={text};" if is_condition else f"setVar:c={text};"
        findings = game(f"{_VARIABLES}{line}\nlabel:x;").findings("start.txt")
        codes = {each.code for each in findings if each.line == 4}
        answers = engine.ask("condition" if is_condition else "assignment", text)
        assert codes & _MISTAKEN or not all(answers), line
        assert not codes & _UNREADABLE or any(answers), line
        effort.count()
