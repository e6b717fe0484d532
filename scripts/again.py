"""In CI up to three failed tests of a whole run of `.ci/run` may run once more, alone. Elsewhere none may."""

import os
from collections.abc import Iterable
from pathlib import Path

MOST = 3
NOTED_IN = "RAN_AGAIN"
"""Names the file in which a run of `.ci/run` notes them, a line each."""


def left() -> int:
    """How many may still run once more."""
    if not os.environ.get("CI"):
        return 0
    file = os.environ.get(NOTED_IN)
    return MOST - len(Path(file).read_text().splitlines()) if file else MOST


def note(names: Iterable[str]) -> None:
    """Says it in the log, too: each of them is a defect to fix."""
    for name in names:
        print(f"Failed, and run once more, alone: {name}", flush=True)
        if file := os.environ.get(NOTED_IN):
            with Path(file).open("a") as noted:
                print(name, file=noted)
