"""Advisory locks between processes. The kernel releases them when the holder ends, even after kill -9."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.ports.errors import Conflict

PATIENCE = 10.0
_SHORTEST_NAP = 0.0002
_LONGEST_NAP = 0.01


def acquire(descriptor: int, *, is_shared: bool = False, patience: float = PATIENCE) -> None:
    """Waits at most `patience` seconds, because the holder may be stopped; then raises Conflict."""
    operation = (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    deadline: float | None = None
    nap = _SHORTEST_NAP
    while True:
        try:
            fcntl.flock(descriptor, operation)
            return
        except BlockingIOError:
            now = time.monotonic()
            deadline = now + patience if deadline is None else deadline
            if now >= deadline:
                raise Conflict(
                    f"Another process has held a lock for more than {patience:g} seconds.",
                    hint="Look for a handrail process that is stopped or hangs.",
                ) from None
        time.sleep(nap)
        nap = min(nap * 2, _LONGEST_NAP)


def release(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def exclusive(path: Path, *, patience: float = PATIENCE) -> Iterator[None]:
    """Holds a lock on its own file, which isn't removed."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        acquire(descriptor, patience=patience)
        yield
    finally:
        os.close(descriptor)
