"""How much a test tries: a little in `make test`, everything in `make campaign`.

Tests of the campaign are marked `@pytest.mark.trial("name")`. They also run in `make test`, with fewer `tries`, unless
the mark has `is_long=True`.
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
"""A campaign of this length makes all attempts that a test asks for, a shorter one proportionally fewer."""
_counted = 0


def tries(suite: int, campaign: int) -> int:
    return max(suite, round(campaign * min(1.0, MINUTES / MINUTES_FOR_ALL)))


def most_seconds() -> int:
    """A campaign's timeout per test: enough for a busy machine, but a test that hangs must end."""
    return max(600, round(MINUTES * 10))


def count(tried: int = 1) -> None:
    """Adds to this test's number of attempts in the campaign's table. A test that never calls this counts as one."""
    global _counted
    _counted += tried


def take_count() -> int:
    """Returns the attempts counted since the last call."""
    global _counted
    count, _counted = _counted, 0
    return count


def first_of(trial: str, *cases: tuple[Any, ...], suite: int = 1) -> list[Any]:
    """For `parametrize`: all cases in the campaign, only the first ones in `make test`."""
    return [
        pytest.param(*case, marks=pytest.mark.trial(trial, is_long=number >= suite))
        for number, case in enumerate(cases)
    ]


def one_of(trial: str, test: str, cases: Sequence[str]) -> list[Any]:
    """For `parametrize`: all cases in the campaign, one in `make test`, chosen by the test's name."""
    choice = zlib.crc32(test.encode()) % len(cases)
    return [
        pytest.param(case, marks=pytest.mark.trial(trial, is_long=number != choice))
        for number, case in enumerate(cases)
    ]


def chance() -> random.Random:
    """Random numbers that are the same in every `make test`, and in campaigns with the same seed."""
    return random.Random(SEED)


def set_up_hypothesis() -> None:
    """Sets how many examples properties are tested with by default."""
    settings.register_profile("suite", max_examples=30, deadline=None, derandomize=True, database=None)
    settings.register_profile("campaign", max_examples=tries(30, 500), deadline=None, database=None)
    settings.load_profile("campaign" if IS_CAMPAIGN else "suite")
