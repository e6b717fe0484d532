"""What a campaign finds among marked tests, and what it tells of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaign.__main__ import table
from tests.campaign.trials import Outcome, Trial

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

@pytest.mark.trial("one")
def test_good(): pass

@pytest.mark.trial("one")
def test_bad(): assert 0

@pytest.mark.alone
@pytest.mark.trial("two", is_long=True)
def test_long(): pass

def test_of_no_trial(): pass
"""


def pytest_with(folder: Path, *options: str) -> int:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  trial(name, is_long)\n  alone\n")
    (folder / "test_all.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.campaign.plugin", "-p", "no:cacheprovider", *options]
    path = {"PYTHONPATH": str(ROOT), "PATH": ""}
    return subprocess.run(command, cwd=folder, env=path, check=False, capture_output=True, timeout=60).returncode


def test_trials_are_listed_by_their_marks_with_their_files(tmp_path: Path) -> None:
    file = tmp_path / "trials"
    assert pytest_with(tmp_path, "--collect-only", "--list-trials", str(file)) == 0
    assert json.loads(file.read_text()) == {
        "one": {"together": ["test_all.py"], "alone": []},
        "two": {"together": [], "alone": ["test_all.py"]},
    }


def test_the_tests_of_one_trial_are_run_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "outcome"
    assert pytest_with(tmp_path, "--trial", "one", "--outcome", str(file)) == pytest.ExitCode.TESTS_FAILED
    assert json.loads(file.read_text()) == {"passed": 1, "failed": ["test_all.py::test_bad"]}


def test_the_table_says_what_was_tried_and_how_to_try_it_again() -> None:
    trial = Trial("kill", {}, [Outcome(1, 30, 2, []), Outcome(2, 31.4, 1, ["tests/x.py::test_y"])])
    head, row, failed = table([trial]).strip().splitlines()
    assert head.split() == ["trial", "times", "tests", "failed", "seconds"]
    assert row.split() == ["kill", "2", "4", "1", "61"]
    assert failed == 'failed: tests/x.py::test_y; again: make campaign ARGS="--minutes 0 --only kill --seed 2"'
