"""A file that is kept open for long and belongs to its owner alone: 0600, in a folder that is 0700.

Follows no link at its end. Knows nothing of what is inside.
"""

import errno
import os
import stat
from pathlib import Path

from handrail.ports.atomic_file import sync_folder
from handrail.ports.errors import InputOutput

_NO_ROOM = "Make room on the disk."
_NO_FOLDER = "Name a folder, not a file."
_HINTS = {
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: _NO_ROOM,
    errno.EEXIST: _NO_FOLDER,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EROFS: "Name a folder that you may write to, with --state or $HANDRAIL_STATE.",
    errno.EACCES: "Name a folder that you may write to, with --state or $HANDRAIL_STATE.",
}

fdatasync = getattr(os, "fdatasync", os.fsync)


class PrivateFile:
    """Opened when first needed, and again once its name leads elsewhere: moved, removed or replaced."""

    def __init__(self, path: Path, flags: int = os.O_RDWR) -> None:
        self.path = path
        self._name = os.fspath(path)
        self._flags = flags
        self._descriptor: int | None = None
        self._identity = (0, 0)

    @property
    def descriptor(self) -> int:
        """Of the file, which is made where it is missing."""
        return self._open(os.O_CREAT) if self._descriptor is None else self._descriptor

    @property
    def known_descriptor(self) -> int | None:
        """Of the file when it is open already."""
        return self._descriptor

    def status(self) -> os.stat_result | None:
        """None when the name does not lead to what is open here."""
        try:
            status = os.lstat(self._name)
        except FileNotFoundError:
            return None
        return status if (status.st_dev, status.st_ino) == self._identity else None

    def read(self, limit: int) -> bytes | None:
        """What the name leads to now; None when nothing is there, or nothing is in it."""
        if self.status() is None:
            self.close()
            try:
                self._open(0)
            except FileNotFoundError:
                return None
        return os.pread(self.descriptor, limit, 0) or None

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._identity = None, (0, 0)

    def _open(self, creation: int) -> int:
        self._descriptor = descriptor = open_private(self.path, self._flags | creation)
        status = os.fstat(descriptor)
        self._identity = (status.st_dev, status.st_ino)
        return descriptor


def open_private(path: Path, flags: int) -> int:
    """A descriptor of the regular file; with O_CREAT it and its folders are made where they are missing."""
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # nobody waits for the other end of a fifo
    try:
        descriptor = os.open(path, flags & ~os.O_CREAT)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
        make_private_folder(path.parent)
        descriptor = os.open(path, flags, 0o600)
        sync_folder(path.parent)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return descriptor


def sync_file(path: Path) -> None:
    """What anybody has written to it is on disk when this returns; where there is none, nothing is done."""
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fdatasync(descriptor)
    finally:
        os.close(descriptor)


def read_plain(path: Path) -> bytes:
    """What a person may keep anywhere, behind a link too; only a regular file, so that nobody waits for a fifo."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


def make_private_folder(path: Path) -> None:
    """Makes what is missing for the owner alone; what exists keeps its mode."""
    if not path.is_dir():
        make_private_folder(path.parent)
        path.mkdir(0o700, exist_ok=True)


def write_whole(descriptor: int, data: bytes, at: int | None = None) -> None:
    """One write, and an error when it was a short one: the disk is full."""
    written = os.write(descriptor, data) if at is None else os.pwrite(descriptor, data, at)
    if written != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refused(path: Path, error: OSError) -> InputOutput:
    """What the operating system said, as a condition of ours."""
    return InputOutput(
        f"{path}: {error.strerror or error}.",
        hint=_HINTS.get(error.errno or 0),
    )
