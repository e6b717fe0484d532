"""Real processes for tests: their code is a string, and they may be ended by kill -9."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import handrail

_SOURCES = str(Path(handrail.__file__).parent.parent)


def start(code: str, *args: object) -> subprocess.Popen[str]:
    """Runs `code` in Python with `args` in sys.argv[1:]; it writes to stdout."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": _SOURCES},
    )


def release_together(processes: list[subprocess.Popen[str]]) -> None:
    """Releases processes that printed `ready` and wait for a line."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def finish(process: subprocess.Popen[str]) -> str:
    """Returns its output; it must have succeeded."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return output


def finish_killed(process: subprocess.Popen[str]) -> str:
    """Returns its output before it was killed by kill -9."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    return output
