"""Tests that run in copies of one process: each runs once, what came of it is told, and none is lost unheard."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BOTH = """
import os, pathlib, pytest
from tests.waiting import until
here = pathlib.Path(__file__).parent
def comes(): (here / str(os.getpid())).touch()
def meets(): comes(), until(lambda: len(list(here.glob("[0-9]*"))) == 2)
"""
"""What `meets` ends only where two processes run tests at the same time."""


def run(folder: Path, *words: str) -> tuple[int, str]:
    """pytest with two workers in this folder, as it is without the project's own settings."""
    command = [sys.executable, "-m", "pytest", "-p", "scripts.side_by_side", "--workers", "2", "-c", "/dev/null"]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), "-o", f"cache_dir={folder}/cache", *words, str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_each_file_is_run_once_by_one_of_several_processes(tmp_path: Path) -> None:
    for number in (1, 2):
        text = f"{BOTH}def test_first(): meets()\ndef test_second(): comes()\n"
        (tmp_path / f"test_{number}.py").write_text(text)
    status, said = run(tmp_path)
    assert (status, len(list(tmp_path.glob("[0-9]*")))) == (0, 2), said
    assert "4 passed" in said


def test_what_fails_is_told_with_its_output_and_remembered(tmp_path: Path) -> None:
    for name in ("one", "two"):
        text = f"def test_{name}():\n    print('words of {name}')\n    assert '{name}' == ''\ndef test_good(): pass\n"
        (tmp_path / f"test_{name}.py").write_text(text)
    status, said = run(tmp_path)
    assert status == 1
    assert "2 failed, 2 passed" in said
    assert said.count("words of one") == said.count("words of two") > 0
    remembered = json.loads((tmp_path / "cache/v/cache/lastfailed").read_text())
    assert set(remembered) == {"test_one.py::test_one", "test_two.py::test_two"}


@pytest.mark.parametrize("ending", ["os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_process_that_ends_in_a_test_fails_the_run_and_the_others_go_on(tmp_path: Path, ending: str) -> None:
    (tmp_path / "test_bad.py").write_text(f"import os\ndef test_bad(): {ending}\ndef test_lost(): pass\n")
    (tmp_path / "test_good.py").write_text("def test_good(): pass\n")
    status, said = run(tmp_path)
    assert status == pytest.ExitCode.INTERNAL_ERROR
    assert "test_bad.py::test_bad" in said
    assert "1 failed, 1 passed" in said


def test_tests_that_share_nothing_may_be_run_apart(tmp_path: Path) -> None:
    each = "@pytest.mark.apart\ndef test_{}(): meets()\n"
    (tmp_path / "test_both.py").write_text(BOTH + each.format("one") + each.format("two"))
    status, said = run(tmp_path)
    assert status == 0, said


def test_what_a_process_shares_is_closed_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import pathlib, pytest\n@pytest.fixture(scope='session')\ndef shared():\n    yield\n"
        "    (pathlib.Path(__file__).parent / 'closed').open('a').write('.')\n"
    )
    for name in ("one", "two", "three"):
        (tmp_path / f"test_{name}.py").write_text("def test_it(shared): pass\n")
    status, said = run(tmp_path, "--workers", "1")
    assert (status, (tmp_path / "closed").read_text()) == (0, "."), said


def test_each_process_has_folders_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"test_{name}.py").write_text("def test_same(tmp_path): assert not list(tmp_path.iterdir())\n")
    status, said = run(tmp_path)
    assert status == 0, said
