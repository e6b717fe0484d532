"""Fails a test file that leaves descriptors open, because hundreds of them in one process break later tests."""

import gc
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.waiting import PATIENCE, until

MOST_LEFT = 200
"""Browsers, desktops and other things shared by a process's tests are opened in one file and stay open."""


class Descriptors:
    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._at_start: Counter[str] | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        if self._at_start is None:
            self._at_start = _open()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        result = yield
        if (nextitem is None or nextitem.path != item.path) and (at_start := self._at_start) is not None:
            self._at_start = None
            if _left(at_start) > MOST_LEFT:
                gc.collect()
                until(
                    lambda: _left(at_start) <= MOST_LEFT,
                    lambda: f"{item.path.name} to close what it opened: {_open() - at_start}",
                    within=self._patience,
                )
        return result


def _left(at_start: Counter[str]) -> int:
    return (_open() - at_start).total()


def _open() -> Counter[str]:
    """Counts open descriptors by target; those without a name, such as pipes, by kind."""
    result = Counter[str]()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the list itself
            result[os.readlink(f"/proc/self/fd/{number}").partition(":[")[0]] += 1
    return result
