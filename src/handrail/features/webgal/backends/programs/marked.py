"""Processes that carry a mark in their environment, which whatever they start inherits: found and ended by it.

For what has lost its keeper; a process that has cleared its environment is found by nobody.
"""

import os
import signal
import time
from contextlib import suppress

NAME = "HANDRAIL_RUN"
_WITHIN_SECONDS = 5.0
_PAUSE_SECONDS = 0.01


def marked(mark: str) -> list[int]:
    wanted = f"{NAME}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(name))
    return found


def end_marked(mark: str) -> None:
    """Held before they are killed, so that none starts another meanwhile; waits until none is left, for a while."""
    until = time.monotonic() + _WITHIN_SECONDS
    while (left := marked(mark)) and time.monotonic() < until:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left:
                with suppress(OSError):
                    os.kill(pid, number)
        time.sleep(_PAUSE_SECONDS)
