"""How much a test tries: a quick instance in `make test`, all of it in `make campaign`.

A test that belongs to a trial of the campaign is marked `@pytest.mark.trial("name")`. Both runs have it, with as many
`tries` as each can afford; where the suite should leave it to the campaign, the mark says `is_long=True`.
"""

import os
import random
from typing import Any

import pytest
from hypothesis import settings

_SEED = os.environ.get("HANDRAIL_CAMPAIGN_SEED")
IS_CAMPAIGN = _SEED is not None
SEED = int(_SEED or 1)


def tries(suite: int, campaign: int) -> int:
    return campaign if IS_CAMPAIGN else suite


def first_of(trial: str, *cases: tuple[Any, ...], suite: int = 1) -> list[Any]:
    """For `parametrize`: all of them in the campaign, the first ones in the suite too."""
    return [
        pytest.param(*case, marks=pytest.mark.trial(trial, is_long=number >= suite))
        for number, case in enumerate(cases)
    ]


def chance() -> random.Random:
    """The same in every run of the suite, and with the same seed in every campaign."""
    return random.Random(SEED)


def set_up_hypothesis() -> None:
    """How many examples a property is tried with that doesn't say so itself."""
    settings.register_profile("suite", max_examples=30, deadline=None, derandomize=True, database=None)
    settings.register_profile("campaign", max_examples=500, deadline=None, database=None)
    settings.load_profile("campaign" if IS_CAMPAIGN else "suite")
