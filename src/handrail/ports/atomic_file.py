"""Replaces a file as a whole: a reader sees the old content or the new one, and a failure leaves the old one.

Every layer writes such files, so this is here; it imports the standard library alone. Files of a project, in folders
that others may change meanwhile, are written by `stores/local/files/atomic.py`.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Replacement:
    """A new content for a file, in a file beside it until it is complete."""

    def __init__(self, path: Path, mode: int = 0o600) -> None:
        self._path = path
        self._new = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
        self._descriptor = os.open(self._new, _NEW, mode)

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]

    def commit(self, *, is_durable: bool = True) -> None:
        """The new content is in place when this returns, and on disk unless a power cut may take it."""
        if is_durable:
            os.fsync(self._descriptor)
        os.replace(self._new, self._path)
        if is_durable:
            sync_folder(self._path.parent)

    def close(self) -> None:
        """Without a commit, nothing is left of it."""
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
