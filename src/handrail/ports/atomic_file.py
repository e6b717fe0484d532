"""Replaces a file atomically: readers see the old or the new content, and a failure leaves the old content.

It is here because every layer uses it; it imports only the standard library. Files of a project, whose folders others
may change at the same time, are written by `stores/local/files/atomic.py`.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Replacement:
    """New content for a file, written to a temporary file next to it."""

    def __init__(self, path: Path, mode: int = 0o600) -> None:
        self._path = path
        self._new = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        self._descriptor = os.open(self._new, _NEW, mode)

    def write(self, data: bytes) -> None:
        remaining = memoryview(data)
        while remaining:
            remaining = remaining[os.write(self._descriptor, remaining) :]

    def commit(self, *, is_durable: bool = True) -> None:
        """The new content is in place when this returns, and if `is_durable` also on disk."""
        if is_durable:
            os.fsync(self._descriptor)
        os.replace(self._new, self._path)
        if is_durable:
            sync_folder(self._path.parent)

    def close(self) -> None:
        """Removes the temporary file if nothing was committed."""
        os.close(self._descriptor)
        with suppress(OSError):
            os.unlink(self._new)


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """OSError."""
    new = Replacement(path, mode)
    try:
        new.write(data)
        new.commit()
    finally:
        new.close()


def sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
