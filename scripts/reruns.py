"""Reruns of failed tests: up to three in one run of `.ci/run`, each once and by itself. None outside CI."""

import os
from collections.abc import Iterable
from pathlib import Path

MOST_RERUNS = 3
RECORDED_IN = "RERUNS"
"""The environment variable with the path of the file that lists the reruns so far, one per line."""


def remaining() -> int:
    """How many more reruns are allowed."""
    if not os.environ.get("CI"):
        return 0
    file = os.environ.get(RECORDED_IN)
    return MOST_RERUNS - len(Path(file).read_text().splitlines()) if file else MOST_RERUNS


def record(names: Iterable[str]) -> None:
    """Counts reruns, and names the tests in the log: each of them is a defect to fix."""
    for name in names:
        print(f"Failed, running once more: {name}", flush=True)
        if file := os.environ.get(RECORDED_IN):
            with Path(file).open("a") as noted:
                print(name, file=noted)
