"""The pytest plugin of a campaign: lists the trials, picks the tests of one, and writes down what came of them."""

import json
from collections import Counter
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--trial", help="only the tests of this trial")
    parser.addoption("--list-trials", type=Path, metavar="FILE", help="write the trials and their files there")
    parser.addoption("--outcome", type=Path, metavar="FILE", help="write there what came of the tests")


def pytest_configure(config: pytest.Config) -> None:
    if file := config.getoption("--outcome"):
        config.pluginmanager.register(_Outcome(file))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if file := config.getoption("--list-trials"):
        trials: dict[str, dict[str, list[str]]] = {}
        for item in items:
            for mark in item.iter_markers("trial"):
                files = trials.setdefault(mark.args[0], {"together": [], "alone": []})
                way = files["alone" if item.get_closest_marker("alone") else "together"]
                if (path := item.nodeid.partition("::")[0]) not in way:
                    way.append(path)
        file.write_text(json.dumps(trials))
    if trial := config.getoption("--trial"):
        is_of_it = [any(mark.args[0] == trial for mark in item.iter_markers("trial")) for item in items]
        config.hook.pytest_deselected(items=[item for item, wanted in zip(items, is_of_it, strict=True) if not wanted])
        items[:] = [item for item, wanted in zip(items, is_of_it, strict=True) if wanted]


class _Outcome:
    """Counted by the process that others report to, if there are several."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._passed = Counter[str]()
        self._failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.append(report.nodeid)
        elif report.when == "call" and report.passed:
            self._passed[report.nodeid] += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not hasattr(session.config, "workerinput"):
            failed = sorted(set(self._failed))
            outcome = {"passed": len(self._passed.keys() - set(failed)), "failed": failed}
            self._file.write_text(json.dumps(outcome))
