"""Distributes the tests to the workers: file by file, the longest first. Each spec of the web is a unit of its own."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

SLOW = {"desktop_session", "browser", "linux_ground", "sway_ground", "ground_name", "web"}
"""Fixtures of slow tests. Their files run before other files that long_files.toml doesn't list."""
SECONDS: dict[str, float] = tomllib.loads(Path(__file__).with_name("long_files.toml").read_text())


def unit_of(test: str) -> str:
    """The part of the suite that one worker runs completely: tests of a file share what they start."""
    return test if test.startswith("tests/web/") else test.partition("::")[0]


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Longest first, so that no worker still has a long file when the others are done."""
    tests = list(items)
    slow = {item.path for item in tests if SLOW & set(getattr(item, "fixturenames", ()))}
    return sorted(tests, key=lambda item: (-SECONDS.get(unit_of(item.nodeid), 0), item.path not in slow))


class ByUnit(LoadFileScheduling):  # type: ignore[misc]
    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)
