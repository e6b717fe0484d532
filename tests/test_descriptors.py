"""Descriptors left open by the tests of one file are detected at its end."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests.descriptors import Descriptors

def pytest_configure(config):
    config.pluginmanager.register(Descriptors(patience=0))
"""
LEAKING = """
import os

def test_of_a_file_that_leaks():
    for _ in range(250):
        os.open(__file__, os.O_RDONLY)
"""
CLEAN = """
def test_of_another_file():
    with open(__file__):
        pass
"""


def test_a_file_of_tests_that_leaves_descriptors_open_fails_and_the_next_does_not(tmp_path: Path) -> None:
    for name, text in {
        "conftest.py": CONFTEST,
        "test_a.py": LEAKING,
        "test_b.py": CLEAN,
        "pytest.ini": "[pytest]",
    }.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    path = {"PYTHONPATH": str(ROOT), "PATH": ""}
    result = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, check=False)
    assert "2 passed, 1 error" in result.stdout
    assert "test_a.py to close what it opened" in result.stdout
    assert "test_a.py': 250" in result.stdout
