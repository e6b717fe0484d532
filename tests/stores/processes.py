"""Real processes for tests: their code is a string, their end may be kill -9."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import handrail

_SOURCES = str(Path(handrail.__file__).parent.parent)


def start(code: str, *args: object) -> subprocess.Popen[str]:
    """Python that runs `code` with `args` in sys.argv[1:]; it speaks on stdout."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": _SOURCES},
    )


def release_together(processes: list[subprocess.Popen[str]]) -> None:
    """Lets processes go on that said `ready` and wait for a line."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def finish(process: subprocess.Popen[str]) -> str:
    """What it said; it must have ended well."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return output


def finish_killed(process: subprocess.Popen[str]) -> str:
    """What it said before it died of kill -9."""
    output, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    return output
