"""What a campaign finds among marked tests, and what it tells of them."""

import math
import os
import random
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import effort
from tests.campaign.__main__ import in_time, table
from tests.campaign.outcome import Outcome, read
from tests.campaign.page import ABOUT, write
from tests.campaign.plugin import BEGUN, in_turn
from tests.campaign.trials import Round, forget_cut_off, run_pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

@pytest.mark.trial("one")
def test_good(): pass

@pytest.mark.trial("one")
def test_bad():
    from tests import effort
    effort.count(5)
    assert 0, "broken"

@pytest.mark.alone
@pytest.mark.trial("two", is_long=True)
def test_long(): pass

def test_of_no_trial(): pass
"""
NONE_RUN = {"one": Outcome(selected=2), "two": Outcome(selected=1)}


def pytest_with(folder: Path, *options: str) -> int:
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  trial(name, is_long)\n  alone\n")
    (folder / "test_all.py").write_text(TESTS)
    plugins = ["-p", "xdist", "-p", "tests.campaign.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, *options]
    # Other plugins take a second to load.
    environ = {"PYTHONPATH": str(ROOT), "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environ, check=False, capture_output=True, timeout=60).returncode


def test_trials_are_listed_by_their_marks(tmp_path: Path) -> None:
    assert pytest_with(tmp_path, "--collect-only", f"--outcome={tmp_path}") == 0
    assert read(tmp_path) == NONE_RUN


@pytest.mark.parametrize("side_by_side", [(), ("-n", "2")], ids=["alone", "side by side"])
def test_the_tests_of_every_trial_are_run_and_counted(tmp_path: Path, side_by_side: Sequence[str]) -> None:
    assert pytest_with(tmp_path, f"--outcome={tmp_path}", *side_by_side) == pytest.ExitCode.TESTS_FAILED
    outcomes = read(tmp_path)
    assert {name: (one.passed, one.failed) for name, one in outcomes.items()} == {
        "one": ({"test_all.py::test_good"}, {"test_all.py::test_bad"}),
        "two": ({"test_all.py::test_long"}, set()),
    }
    assert outcomes["one"].seconds > 0
    assert {name: one.tried for name, one in outcomes.items()} == {"one": 6, "two": 1}


def test_a_failure_leaves_what_it_said_and_a_script_that_repeats_it(tmp_path: Path) -> None:
    pytest_with(tmp_path, f"--outcome={tmp_path}")
    (folder,) = (tmp_path / "failed").iterdir()
    assert "broken" in (folder / "call.txt").read_text()
    script = (folder / "replay").read_text()
    assert "HANDRAIL_CAMPAIGN_SEED=1 " in script
    assert "test_all.py::test_bad" in script
    assert os.access(folder / "replay", os.X_OK)


def test_what_an_earlier_run_has_done_is_not_done_again(tmp_path: Path) -> None:
    before = tmp_path / "before"
    before.mkdir()
    assert pytest_with(tmp_path, f"--outcome={before}") == pytest.ExitCode.TESTS_FAILED
    assert pytest_with(tmp_path, f"--outcome={tmp_path}", f"--done={before}") == pytest.ExitCode.NO_TESTS_COLLECTED
    assert read(tmp_path) == NONE_RUN


def test_a_trial_whose_first_test_was_cut_off_has_its_turn_when_the_campaign_is_resumed(tmp_path: Path) -> None:
    """Killed while it ran the first test of `two`; the resumed campaign has no time left."""
    for name in ("one", "two"):
        (tmp_path / BEGUN).mkdir(exist_ok=True)
        (tmp_path / BEGUN / name).touch()
    done = {"one": Outcome(passed={"test_all.py::test_good"}), "two": Outcome(seconds=0.1)}
    forget_cut_off(tmp_path / BEGUN, done)
    assert pytest_with(tmp_path, f"--outcome={tmp_path}", "--until=0") == 0
    assert {name: one.passed for name, one in read(tmp_path).items()} == {
        "one": set(),
        "two": {"test_all.py::test_long"},
    }


@pytest.mark.parametrize("side_by_side", [(), ("-n", "2")], ids=["alone", "side by side"])
def test_when_the_time_is_over_one_test_of_each_trial_is_run(tmp_path: Path, side_by_side: Sequence[str]) -> None:
    together = ("--dist", "loadfile") if side_by_side else ()
    assert pytest_with(tmp_path, f"--outcome={tmp_path}", "--until=0", *side_by_side, *together) == 0
    outcomes = read(tmp_path)
    assert {name: (one.passed, one.selected) for name, one in outcomes.items()} == {
        "one": ({"test_all.py::test_good"}, 2),
        "two": ({"test_all.py::test_long"}, 1),
    }


def test_what_a_left_out_test_would_have_used_is_taken_down(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "import pytest\n@pytest.fixture(scope='module')\ndef it(): yield\n"
        "@pytest.mark.trial('a')\ndef test_1(it): pass\n@pytest.mark.trial('a')\ndef test_2(it): pass\n"
    )
    others = "bcdefg"  # some of them come later, whatever the order
    for name in others:
        (tmp_path / f"test_{name}.py").write_text(f"import pytest\n@pytest.mark.trial('{name}')\ndef test_3(): pass\n")
    assert pytest_with(tmp_path, f"--outcome={tmp_path}", "--until=0") == 0
    passed = {name: len(one.passed) for name, one in read(tmp_path).items()}
    assert passed == dict.fromkeys(("a", *others, "one", "two"), 1)


def test_each_trial_has_its_turn_before_one_has_a_second() -> None:
    def test(file: str, trial: str) -> Any:
        return SimpleNamespace(path=Path(file), user_properties=[("trial", trial)])

    files = {f"test_{trial}_{number}.py": trial for trial in "abc" for number in range(3)}
    tests = in_turn([test(file, trial) for file, trial in files.items() for _ in range(2)])
    trials = [files[str(one.path)] for one in tests]
    assert [sorted(trials[at : at + 6]) for at in (0, 6, 12)] == [list("aabbcc")] * 3
    assert [one.path for one in tests[::2]] == [one.path for one in tests[1::2]]


def test_one_trial_may_be_picked(tmp_path: Path) -> None:
    assert pytest_with(tmp_path, "--trial", "two", f"--outcome={tmp_path}") == 0
    assert read(tmp_path).keys() == {"two"}


def test_a_trial_without_a_test_that_was_run_is_told(tmp_path: Path) -> None:
    assert pytest_with(tmp_path, f"--outcome={tmp_path}", "--exitfirst") == pytest.ExitCode.TESTS_FAILED
    assert read(tmp_path)["two"] == NONE_RUN["two"]


def test_the_table_says_what_was_tried_and_how_to_try_it_again() -> None:
    first = Round(1, 20, {"kill": Outcome({"a", "b"}, set(), 1_500, 30, 7)}, 20)
    second = Round(2, 20, {"kill": Outcome({"a"}, {"tests/x.py::test_y"}, 2, 31.4, 2)}, 20, ["race: no test was run"])
    head, row, fault, failed = table([first, second]).strip().splitlines()
    assert head.split() == ["trial", "times", "tests", "of", "tried", "failed", "seconds"]
    assert row.split() == ["kill", "2", "4", "9", "1,502", "1", "61"]
    assert fault == "seed 2: race: no test was run"
    again = "make campaign ARGS=\"--minutes 20 --only 'kill' --seed 2 --once\""
    assert failed == f"failed: tests/x.py::test_y; again: {again}"


def test_the_totals_of_a_version_add_up_over_several_campaigns(tmp_path: Path) -> None:
    page, totals = tmp_path / "reliability.md", tmp_path / "reliability.json"
    page.write_text("# Reliability\n<!-- totals -->\nold\n<!-- end of totals -->\nMore.\n")
    for seed, failed in ((1, set[str]()), (2, {"tests/x.py::test_y"})):
        write([Round(seed, 20, {"kill": Outcome({"a"}, failed, 1_500, 30)}, 20)], page, totals)
    text = page.read_text()
    assert "| 3,000 | 1 | 2 |" in text
    assert "- failed at least once: `tests/x.py::test_y`" in text
    assert "old" not in text
    assert text.startswith("# Reliability\n")
    assert text.endswith("<!-- end of totals -->\nMore.\n")


def test_the_page_says_what_each_trial_is(request: pytest.FixtureRequest) -> None:
    about = tomllib.loads(ABOUT.read_text())
    marks = (mark.args[0] for item in request.session.items for mark in item.iter_markers("trial"))
    assert {*marks} <= about.keys()


def test_only_what_will_be_done_in_time_is_begun_again() -> None:
    outcomes = {name: Outcome(seconds=seconds) for name, seconds in (("short", 10), ("middle", 30), ("long", 160))}
    first = Round(1, 20, outcomes, 100)  # two at a time

    def begun(left: float) -> set[str]:
        return set(in_time(first, left, random.Random(1)))

    assert [begun(left) for left in (1, 15, 30, 140)] == [set(), {"short"}, {"short", "middle"}, outcomes.keys()]


def test_what_hangs_is_ended_when_the_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    test = tmp_path / "test_hanging.py"
    test.write_text("import pytest, signal\n@pytest.mark.trial('x')\ndef test_hanging(): signal.pause()\n")
    assert run_pytest([f"--rootdir={tmp_path}", str(test)], 1, 1, ends=time.monotonic() + 2) is None


def test_each_test_of_a_campaign_has_an_end(tmp_path: Path) -> None:
    test = tmp_path / "test_ends.py"
    tests = ["import pytest"]
    for number, (own, most) in enumerate(
        (("", 600), ("@pytest.mark.timeout(30)", 30), ("@pytest.mark.timeout(1800)", 600))
    ):
        tests += [own, "@pytest.mark.trial('one')", f"def test_{number}(request):"]
        tests.append(f" assert request.node.get_closest_marker('timeout').args == ({most},)")
    test.write_text("\n".join(tests))
    options = ["-p", "tests.conftest", f"--rootdir={ROOT}", str(test)]
    assert run_pytest(options, 1, 20, ends=math.inf) == 0


def test_a_longer_campaign_tries_more(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    for minutes in (0, 1, 30, 500):
        monkeypatch.setattr(effort, "MINUTES", minutes)
        tried.append(effort.tries(3, 40))
    assert tried == [3, 3, 10, 40]
