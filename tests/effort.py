"""How much a test tries: a quick instance in `make test`, all of it in `make campaign`.

A test that belongs to a trial of the campaign is marked `@pytest.mark.trial("name")`. Both runs have it, with as many
`tries` as each can afford; where the suite should leave it to the campaign, the mark says `is_long=True`.
"""

import os
import random
import zlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings

_SEED = os.environ.get("HANDRAIL_CAMPAIGN_SEED")
IS_CAMPAIGN = _SEED is not None
SEED = int(_SEED or 1)
MINUTES = float(os.environ.get("HANDRAIL_CAMPAIGN_MINUTES", 0))
MINUTES_FOR_ALL = 120
"""A campaign that is as long tries as much as each test names for it, a shorter one its part of that."""
_counted = 0


def tries(suite: int, campaign: int) -> int:
    return max(suite, round(campaign * min(1.0, MINUTES / MINUTES_FOR_ALL)))


def most_seconds() -> int:
    """What a test of a campaign may take: minutes, and on a busy machine many, but one that hangs must end."""
    return max(600, round(MINUTES * 10))


def count(tried: int = 1) -> None:
    """Says how much this test has tried so far, for the campaign's table. A test that says nothing counts as one."""
    global _counted
    _counted += tried


def take_count() -> int:
    """What was counted since the last call."""
    global _counted
    counted, _counted = _counted, 0
    return counted


def first_of(trial: str, *cases: tuple[Any, ...], suite: int = 1) -> list[Any]:
    """For `parametrize`: all of them in the campaign, the first ones in the suite too."""
    return [
        pytest.param(*case, marks=pytest.mark.trial(trial, is_long=number >= suite))
        for number, case in enumerate(cases)
    ]


def one_of(trial: str, test: str, cases: Sequence[str]) -> list[Any]:
    """For `parametrize`: all of them in the campaign, in the suite the one that the test's name picks."""
    picked = zlib.crc32(test.encode()) % len(cases)
    return [
        pytest.param(case, marks=pytest.mark.trial(trial, is_long=number != picked))
        for number, case in enumerate(cases)
    ]


def chance() -> random.Random:
    """The same in every run of the suite, and with the same seed in every campaign."""
    return random.Random(SEED)


def set_up_hypothesis() -> None:
    """How many examples a property is tried with that doesn't say so itself."""
    settings.register_profile("suite", max_examples=30, deadline=None, derandomize=True, database=None)
    settings.register_profile("campaign", max_examples=tries(30, 500), deadline=None, database=None)
    settings.load_profile("campaign" if IS_CAMPAIGN else "suite")
