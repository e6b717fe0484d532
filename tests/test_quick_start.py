"""A quickly started program is independent: arguments, environment, folder, streams, status and signals."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests import desktop_environment, quick_start
from tests.waiting import until

ECHO = [sys.executable, "-m", "tests.quick_start_echo"]


def is_quick(process: "subprocess.Popen[str]") -> bool:
    return b"quick_start import serve" in Path(f"/proc/{process.pid}/cmdline").read_bytes()


def test_it_has_its_own_arguments_environment_folder_and_streams(tmp_path: Path) -> None:
    env = {**os.environ, "OWN": "yes"}
    process = subprocess.Popen(
        [*ECHO, "a", "b"], cwd=tmp_path, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert is_quick(process)
    out, _ = process.communicate("typed\n", timeout=60)
    assert json.loads(out) == {"words": ["a", "b"], "own": "yes", "folder": str(tmp_path), "typed": "typed"}
    assert process.returncode == 7


def test_it_is_a_child_that_can_be_killed_and_waited_for() -> None:
    process = subprocess.Popen([quick_start.SCRIPT, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert is_quick(process)
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    until(lambda: not Path(f"/proc/{process.pid}").exists())


def test_it_is_quick_on_a_desktop_of_the_tests_too(tmp_path: Path) -> None:
    env = desktop_environment.make(tmp_path)
    process = subprocess.Popen(ECHO, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert is_quick(process)
    process.communicate("", timeout=60)


def test_scripts_for_another_interpreter_use_the_normal_start() -> None:
    env = {**os.environ, "PYTHONWARNINGS": "default"}
    process = subprocess.Popen(ECHO, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert not is_quick(process)
    process.communicate("", timeout=60)
    assert process.returncode == 7
