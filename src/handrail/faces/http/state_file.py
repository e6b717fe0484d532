"""Reads small files of the HTTP face in the state directory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.ports.errors import InputOutput

_MAX_BYTES = 64 * 1024


def read(path: Path) -> bytes | None:
    """None if there is no regular file; links are not followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(handle, _MAX_BYTES)
        finally:
            os.close(handle)
    except OSError:
        return None


@contextmanager
def os_errors(state: Path) -> Iterator[None]:
    """Turns errors of the operating system into InputOutput."""
    try:
        yield
    except OSError as refusal:
        raise InputOutput(f"Can't write to the state directory {state}: {refusal.strerror}.") from None
