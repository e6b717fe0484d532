"""Tells whether a person is watching the queue: every view holds a shared lock, which ends with its process."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.stores.local import locks
from handrail.stores.local.private_file import open_private, os_failure

_FILE = "watching.lock"


@contextmanager
def watching(state: Path) -> Iterator[None]:
    """Until left, `is_watched` is true in every process."""
    descriptor = _open(state)
    try:
        locks.acquire(descriptor, is_shared=True)
        yield
    finally:
        os.close(descriptor)


def is_watched(state: Path) -> bool:
    descriptor = _open(state)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(state: Path) -> int:
    try:
        return open_private(state / _FILE, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise os_failure(state / _FILE, error) from error
