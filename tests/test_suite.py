"""What `scripts/test` runs a second time."""

from pathlib import Path

import pytest

from scripts import reruns
from scripts.suite import ROOT, files_alone, finish
from tests.schedule import SECONDS, unit_of

TESTS = ["tests/x.py::test_y", "tests/x.py::test_z", "tests/web/test_units.py::test_units[one]"]


class Runs:
    def __init__(self, *statuses: int) -> None:
        self.tests: list[str] = []
        self._statuses = list(statuses)

    def __call__(self, test: str) -> int:
        self.tests.append(test)
        return self._statuses.pop(0)


@pytest.fixture(autouse=True)
def _noted_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the file in which a surrounding run of `.ci/run` records its repeated tests."""
    monkeypatch.delenv(reruns.RECORDED_IN, raising=False)


def test_in_ci_three_are_named_and_run_once_more(capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs(0, 0, 0)
    assert finish(TESTS, most=3, run=runs) == 0
    assert runs.tests == TESTS
    message = capsys.readouterr().out
    assert all(f"Failed, running once more: {test}\n" in message for test in TESTS)


def test_a_test_that_fails_twice_has_failed() -> None:
    runs = Runs(1, 0)
    assert finish(TESTS[:2], most=3, run=runs) == 1
    assert len(runs.tests) == 2


@pytest.mark.parametrize(("failed", "most"), [([*TESTS, "tests/x.py::test_a"], 3), (TESTS[:1], 0)])
def test_more_than_may_be_run_again_are_not_run_again(failed: list[str], most: int) -> None:
    runs = Runs()
    assert finish(failed, most=most, run=runs) == 1
    assert runs.tests == []


def test_where_none_failed_nothing_is_run_again() -> None:
    assert finish([], most=3, run=Runs()) == 0


def test_up_to_three_tests_may_be_repeated_in_ci_and_none_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert reruns.remaining() == 0
    monkeypatch.setenv("CI", "true")
    assert reruns.remaining() == 3
    recorded = tmp_path / "noted"
    recorded.touch()
    monkeypatch.setenv(reruns.RECORDED_IN, str(recorded))
    reruns.record(TESTS[:2])
    assert reruns.remaining() == 1


def test_files_with_exclusive_tests_are_found_by_their_marks() -> None:
    assert {"tests/e2e/test_held_locks.py", "tests/stores/files/test_lock.py"} <= set(files_alone())
    assert "tests/wire/test_reading.py" not in files_alone()


def test_a_file_is_a_workers_and_a_spec_of_the_web_goes_to_any() -> None:
    assert unit_of("tests/x.py::test_y[z]") == "tests/x.py"
    assert unit_of(TESTS[2]) == TESTS[2]


def test_the_files_that_run_first_exist() -> None:
    assert [unit for unit in SECONDS if not (ROOT / unit.partition("::")[0]).exists()] == []
