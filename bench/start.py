"""How long `handrail --help` takes, compared with Python's own start."""

import subprocess
import sys
from pathlib import Path

from bench.comparison import Comparison, in_turns

_ROUNDS = 60
_HANDRAIL = str(Path(sys.executable).with_name("handrail"))


def measure() -> list[Comparison]:
    ours, theirs = in_turns(lambda: _run(_HANDRAIL, "--help"), lambda: _run(sys.executable, "-c", ""), _ROUNDS)
    return [Comparison("`handrail --help`", "starting Python", ours, theirs, target=2.5)]


def _run(*command: str) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
