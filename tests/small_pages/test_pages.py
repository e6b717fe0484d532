"""How many of the pages in bench/browser/miniwob.toml scripts solve with nothing but the browser's tools."""

import tomllib
from math import sqrt
from pathlib import Path

import pytest

from tests.effort import SEED, chance, count, tries
from tests.small_pages.player import Lost, Player
from tests.small_pages.scripts import SCRIPTS
from tests.small_pages.site import all_pages

LISTED = tomllib.loads(Path(__file__).parents[2].joinpath("bench/browser/miniwob.toml").read_text())
SHARE = 0.95


def test_every_page_of_the_package_is_listed_or_left_out_with_a_reason() -> None:
    assert set(LISTED["pages"]) | set(LISTED["left_out"]) == all_pages()
    assert not set(LISTED["pages"]) & set(LISTED["left_out"])
    assert set(LISTED["pages"]) <= set(SCRIPTS)
    assert all(LISTED["left_out"].values())


@pytest.mark.trial("miniwob", is_long=True)
def test_nearly_all_pages_are_solved(player: Player) -> None:
    every = [(name, SEED + more) for more in range(3) for name in LISTED["pages"]]
    episodes = chance().sample(every, tries(40, len(every)))
    count(len(episodes))
    failed = {(name, seed): why for name, seed in episodes if (why := played(player, name, seed)) is not None}
    print(f"{len(episodes) - len(failed)} of {len(episodes)} episodes were solved.", *failed.items(), sep="\n")
    assert len(failed) <= most_failures(len(episodes), len(every)), failed


@pytest.mark.trial("miniwob", is_long=True)
def test_a_page_is_begun_read_solved_and_rewarded(player: Player) -> None:
    assert played(player, "enter-text", 1) is None


def most_failures(episodes: int, every: int) -> float:
    """The required share of the episodes. Samples may contain more hard ones: two standard deviations are allowed."""
    expected = episodes * (1 - SHARE)
    return expected if episodes == every else expected + 2 * sqrt(expected * SHARE)


def played(player: Player, name: str, seed: int) -> str | None:
    """Returns why it failed, None if it succeeded."""
    try:
        player.begin(name, seed)
        SCRIPTS[name](player)
        reward = player.reward()
    except (Lost, TypeError, LookupError, ValueError, StopIteration) as error:  # something unexpected
        return repr(error)[:400]
    return None if reward is not None and reward.value > 0 else f"reward: {reward}"
