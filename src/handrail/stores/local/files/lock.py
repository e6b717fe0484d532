"""Exclusive locks between threads and processes, with flock(2) on a new open file description.

The kernel releases the lock when its holder ends, so a killed process blocks no one.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from handrail.ports.errors import Conflict
from handrail.stores.local.files.refusal import translate_errors

_POLL_S = 0.005


def try_lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def hold_lock(
    open_file: Callable[[], int], path: str, timeout: float, on_wait: Callable[[], None] = lambda: None
) -> Iterator[int]:
    """Opens the file with `open_file` and locks it; Conflict after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while (fd := _attempt(open_file, path)) is None:
        if time.monotonic() >= deadline:
            raise Conflict(f"Another process holds the lock {path!r}.", path=path)
        on_wait()
        time.sleep(_POLL_S)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def lock_file(open_file: Callable[[], int], path: str, timeout: float, on_wait: Callable[[], None]) -> Iterator[None]:
    with hold_lock(open_file, path, timeout, on_wait):
        yield


def _attempt(open_file: Callable[[], int], path: str) -> int | None:
    fd = open_file()
    try:
        # A lock on a file that has just been removed would exclude no one.
        with translate_errors(path):
            is_ours = try_lock(fd) and os.fstat(fd).st_nlink > 0
    except BaseException:
        os.close(fd)
        raise
    if is_ours:
        return fd
    os.close(fd)
    return None
