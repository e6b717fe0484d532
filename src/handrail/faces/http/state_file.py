"""A small file of this face's own in the state directory: its owner's alone, read and replaced as a whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.ports.errors import InputOutput

_MAX_BYTES = 64 * 1024


def read(path: Path) -> bytes | None:
    """None when there is none, or something else has its name; no link is followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(handle, _MAX_BYTES)
        finally:
            os.close(handle)
    except OSError:
        return None


@contextmanager
def spelled(state: Path) -> Iterator[None]:
    """What the operating system refuses here, as a condition of ours."""
    try:
        yield
    except OSError as refusal:
        raise InputOutput(f"Can't write in the state directory {state}: {refusal.strerror}.") from None
