"""The campaign's pytest plugin: selects the tests of the trials, orders them and writes their results to disk."""

import json
import math
import re
import shlex
import time
from collections import Counter
from collections.abc import Collection, Generator, Sequence
from pathlib import Path

import pytest

from tests import effort
from tests.campaign.outcome import OUTCOME, TRIALS, Outcome

BEGUN = "begun"

REPLAY = """#!/bin/sh
# Runs this test again, with the same seed and as many tries.
cd {root} && exec env HANDRAIL_CAMPAIGN_SEED={seed} HANDRAIL_CAMPAIGN_MINUTES={minutes:g} \\
  .venv/bin/python -m pytest -p no:cacheprovider --hypothesis-seed={seed} {test}
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--trial", action="append", default=[], help="only the tests of this trial, or of several")
    parser.addoption(
        "--until",
        type=float,
        default=math.inf,
        metavar="SECONDS",
        help="start no test after this monotonic time",
    )
    parser.addoption("--done", type=Path, metavar="FOLDER", help="leave out tests with a result in this folder")
    parser.addoption("--outcome", type=Path, metavar="FOLDER", help="write the selected trials and their results here")


def pytest_configure(config: pytest.Config) -> None:
    folder = config.getoption("--outcome")
    if folder and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Outcomes(folder, config.rootpath))
    if folder:
        config.pluginmanager.register(_Deadline(config.getoption("--until"), folder / BEGUN))


@pytest.hookimpl(trylast=True)  # the project's own hook marks properties
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted: Collection[str] = config.getoption("--trial")
    done = _ended(config.getoption("--done"))
    chosen, others, sizes = list[pytest.Item](), list[pytest.Item](), Counter[str]()
    for item in items:
        names = {mark.args[0] for mark in item.iter_markers("trial")}
        if wanted:
            names &= set(wanted)
        sizes.update(names)
        item.user_properties += [("trial", name) for name in sorted(names)]
        (chosen if names and item.nodeid not in done else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = in_turn(chosen)
    if folder := config.getoption("--outcome"):
        (folder / TRIALS).write_text(json.dumps(sizes))  # all worker processes write the same


def in_turn(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """One file of each trial, then a second file of each, and so on. The seed decides the order of a trial's files."""
    trial_of = {item.path: _trials(item)[0] for item in items}
    files = sorted(trial_of)
    effort.chance().shuffle(files)
    so_far, turns = Counter[str](), dict[Path, tuple[int, int]]()
    for place, file in enumerate(files):
        turns[file] = (so_far[trial_of[file]], place)
        so_far[trial_of[file]] += 1
    return sorted(items, key=lambda item: turns[item.path])


def _trials(item: pytest.Item) -> list[str]:
    return [str(value) for key, value in item.user_properties if key == "trial"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    effort.take_count()
    try:
        return (yield)
    finally:
        examples = re.search(r"(\d+) passing examples", getattr(item, "hypothesis_statistics", ""))
        counted = effort.take_count() or (int(examples[1]) if examples else 1)
        item.user_properties.append(("tried", counted))


def _ended(folder: Path | None) -> set[str]:
    file = folder / OUTCOME if folder else None
    outcomes = json.loads(file.read_text()) if file and file.exists() else {}
    return {test for one in outcomes.values() for test in (*one["passed"], *one["failed"])}


class _Deadline:
    """Skips tests when the time is over, except the first of each trial."""

    def __init__(self, until: float, folder: Path) -> None:
        self._until = until
        self._folder = folder
        """Contains a file for each trial that any of the processes has begun."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        begun = [self._folder / name for name in _trials(item)]
        if time.monotonic() > self._until and all(file.exists() for file in begun):
            # The previous test kept its fixtures for this one.
            item.session._setupstate.teardown_exact(nextitem)
            return True  # tells pytest that the test is done; nothing is reported
        self._folder.mkdir(exist_ok=True)
        for file in begun:
            file.touch()
        return None


class _Outcomes:
    """Counts results in the controlling process. They are written after each test, because it may be killed."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._root = root
        self._of: dict[str, Outcome] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        properties = [(key, value) for key, value in report.user_properties]
        for name in (str(value) for key, value in properties if key == "trial"):
            of = self._of.setdefault(name, Outcome())
            of.seconds += report.duration
            if report.when == "call":
                of.tried += sum(int(str(value)) for key, value in properties if key == "tried")
            if report.failed:
                of.failed.add(report.nodeid)
            elif report.when == "call" and report.passed:
                of.passed.add(report.nodeid)
        if report.failed:
            self._keep(report)
        if report.when == "teardown":
            self._write()

    def pytest_sessionfinish(self) -> None:
        self._write()

    def _write(self) -> None:
        written = self._folder / f"{OUTCOME}.new"
        written.write_text(json.dumps({name: of.to_json() for name, of in self._of.items()}))
        written.replace(self._folder / OUTCOME)

    def _keep(self, report: pytest.TestReport) -> None:
        """Keeps a failure's output and a script that repeats it."""
        folder = self._folder / "failed" / re.sub(r"[^\w.-]+", "-", report.nodeid)[-120:].strip("-")
        folder.mkdir(parents=True, exist_ok=True)
        said = [report.longreprtext, *(f"--- {title}\n{text}" for title, text in report.sections)]
        (folder / f"{report.when}.txt").write_text("\n".join(said))
        script = folder / "replay"
        root, test = shlex.quote(str(self._root)), shlex.quote(report.nodeid)
        script.write_text(REPLAY.format(root=root, seed=effort.SEED, minutes=effort.MINUTES, test=test))
        script.chmod(0o755)
