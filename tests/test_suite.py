"""What `scripts/test` runs once more, and what not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts import again
from scripts.suite import Failed, failed_of_vitest, files_alone, finish

PYTHON = Failed("tests/x.py::test_y", ("pytest", "tests/x.py::test_y"))
SPEC = [Failed(f"chat.spec.mjs: {name}", ("node", "chat")) for name in ("one", "two")]
EXTENSION = Failed("click.spec.ts: a click", ("vitest", "click.spec.ts"))


class Runs:
    def __init__(self, *statuses: int) -> None:
        self.commands: list[Sequence[str]] = []
        self._statuses = list(statuses)

    def __call__(self, command: Sequence[str]) -> int:
        self.commands.append(command)
        return self._statuses.pop(0)


@pytest.fixture(autouse=True)
def _noted_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where a run of `.ci/run` around these tests notes what it ran again."""
    monkeypatch.delenv(again.NOTED_IN, raising=False)


def test_in_ci_three_of_whatever_kind_are_named_and_run_once_more(capsys: pytest.CaptureFixture[str]) -> None:
    runs = Runs(0, 0)
    assert finish([PYTHON, *SPEC], most=3, run=runs) == 0
    assert runs.commands == [PYTHON.again, SPEC[0].again]
    told = capsys.readouterr().out
    assert all(f"Failed, and run once more, alone: {one.name}\n" in told for one in [PYTHON, *SPEC])


def test_what_fails_again_has_failed() -> None:
    runs = Runs(1, 0)
    assert finish([PYTHON, EXTENSION], most=3, run=runs) == 1
    assert len(runs.commands) == 2


@pytest.mark.parametrize(("failed", "most"), [([PYTHON, *SPEC, EXTENSION], 3), ([PYTHON], 0)])
def test_more_than_may_be_run_again_are_not_run_again(failed: list[Failed], most: int) -> None:
    runs = Runs()
    assert finish(failed, most=most, run=runs) == 1
    assert runs.commands == []


def test_where_none_failed_nothing_is_run_again() -> None:
    assert finish([], most=3, run=Runs()) == 0


def test_three_of_all_that_one_run_of_ci_tries_may_run_again_and_none_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    assert again.left() == 0
    monkeypatch.setenv("CI", "true")
    assert again.left() == 3
    noted = tmp_path / "noted"
    noted.touch()
    monkeypatch.setenv(again.NOTED_IN, str(noted))
    again.note(["tests/x.py::test_y", "chat.spec.mjs: one"])
    assert again.left() == 1


def test_vitest_tells_tests_and_files_that_failed() -> None:
    tests = [{"status": "passed", "fullName": "good"}, {"status": "failed", "fullName": "bad"}]
    report = {
        "testResults": [
            {"name": "/web/e2e/click.spec.ts", "status": "failed", "assertionResults": tests},
            {"name": "/web/e2e/broken.spec.ts", "status": "failed", "assertionResults": []},
            {"name": "/web/e2e/form.spec.ts", "status": "passed", "assertionResults": tests[:1]},
        ]
    }
    assert failed_of_vitest(report, ["vitest"]) == [
        Failed("click.spec.ts: bad", ("vitest", "click.spec.ts")),
        Failed("broken.spec.ts: the whole file", ("vitest", "broken.spec.ts")),
    ]


def test_files_with_tests_that_run_alone_are_found_by_their_marks() -> None:
    assert {"tests/e2e/test_held_locks.py", "tests/stores/files/test_lock.py"} <= set(files_alone())
    assert "tests/wire/test_reading.py" not in files_alone()
