"""`python desktop_keeper.py FOLDER`: starts programs for a test, and outlives it just long enough to clean up.

Orders come as JSON lines on standard input; when it ends, however the test ended, every program that was started here,
whatever it started in turn, and the folder are gone. Knows nothing of desktops, and nothing but the standard library.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_CHILD_SUBREAPER = 36
GRACE = 0.6


def main() -> None:
    # Orphans are re-parented to this process, so that daemons are found too.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, _reap)
    for line in sys.stdin:
        print(json.dumps(_obey(json.loads(line))), flush=True)
    _end(below({os.getpid()}))
    shutil.rmtree(sys.argv[1], ignore_errors=True)


def _obey(order: dict[str, Any]) -> dict[str, Any]:
    if "end" in order:
        _end({order["end"]} | below({order["end"]}))
        return {}
    try:
        with open(order["log"], "wb") as log:
            process = subprocess.Popen(
                order["argv"],
                env=order["env"],
                cwd=order["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as refused:
        return {"error": str(refused)}
    return {"pid": process.pid}


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _end(pids: set[int]) -> None:
    """Sends SIGTERM first, because most programs clean up on it."""
    sockets = _sockets(pids)
    _send(signal.SIGTERM, pids)
    _send(signal.SIGCONT, pids)
    survivors = _living_after(pids, GRACE)
    while survivors:
        survivors |= below(survivors)
        _send(signal.SIGKILL, survivors)
        survivors = _living_after(survivors, GRACE)
    for socket in sockets:
        socket.unlink(missing_ok=True)


def _send(number: signal.Signals, pids: Iterable[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _sockets(pids: set[int]) -> list[Path]:
    """Returns the sockets that they listen on; some are outside the folder and remain if their owner is killed."""
    held = set()
    for pid in pids:
        with suppress(OSError):
            held |= {os.readlink(handle) for handle in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    return [Path(row[7]) for row in rows if len(row) == 8 and row[7][0] == "/" and f"socket:[{row[6]}]" in held]


def _living_after(pids: set[int], seconds: float) -> set[int]:
    """Returns those still running after so many seconds; returns earlier once all have ended."""
    poll, handles = select.poll(), dict[int, int]()
    for pid in pids:
        with suppress(ProcessLookupError):
            handles[os.pidfd_open(pid)] = pid
    for handle in handles:
        poll.register(handle, select.POLLIN)
    deadline = time.monotonic() + seconds
    while handles and (remaining := deadline - time.monotonic()) > 0:
        for handle, _ in poll.poll(remaining * 1000):
            poll.unregister(handle)
            os.close(handle)
            del handles[handle]
    for handle in handles:
        os.close(handle)
    return set(handles.values())


def living(pids: set[int]) -> set[int]:
    return pids & _parents().keys()


def below(roots: set[int]) -> set[int]:
    parents, matches, layer = _parents(), set[int](), roots
    while layer := {pid for pid, parent in parents.items() if parent in layer} - matches:
        matches |= layer
    return matches


def _parents() -> dict[int, int]:
    """Returns the parent of every running process."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(stat.parent.name)] = int(parent)
    return parents


if __name__ == "__main__":
    main()
