"""Fails a test during which something blocked an event loop, in this process or in a program that it started."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.watchdog import blocking

_VARIABLE = "HANDRAIL_TEST_WATCHDOG"
_SITE = Path(__file__).parent / "site"


class Watchdog:
    def __init__(self) -> None:
        self._noted: list[str] = []
        handle, name = tempfile.mkstemp(prefix="handrail-watchdog-")
        os.close(handle)
        self._told = Path(name)
        blocking.watch(self._noted.append)
        os.environ[_VARIABLE] = name
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_SITE), os.environ.get("PYTHONPATH"))))

    def pytest_unconfigure(self) -> None:
        self._told.unlink(missing_ok=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        self._take_reports()  # reports of shared fixtures don't count
        result = yield
        if recorded := self._take_reports():
            pytest.fail("This blocked on an event loop's thread:\n" + "\n".join(dict.fromkeys(recorded)), pytrace=False)
        return result

    def _take_reports(self) -> list[str]:
        recorded = [*self._noted]
        self._noted.clear()
        if self._told.exists() and self._told.stat().st_size:
            recorded += self._told.read_text().splitlines()
            os.truncate(self._told, 0)
        return recorded
