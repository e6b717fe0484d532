"""Opens and writes private files: mode 0600, in folders of mode 0700, without following a link."""

import errno
import os
import stat
from pathlib import Path

from handrail.ports.atomic_file import sync_folder
from handrail.ports.errors import InputOutput

_NO_ROOM = "Free some disk space."
_NO_FOLDER = "Name a folder, not a file."
_HINTS = {
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: _NO_ROOM,
    errno.EEXIST: _NO_FOLDER,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EROFS: "Use a writable folder with --state or $HANDRAIL_STATE.",
    errno.EACCES: "Use a writable folder with --state or $HANDRAIL_STATE.",
}

fdatasync = getattr(os, "fdatasync", os.fsync)


class PrivateFile:
    """A file that stays open. It is reopened when its name refers to another file: moved, removed or replaced."""

    def __init__(self, path: Path, flags: int = os.O_RDWR) -> None:
        self.path = path
        self._name = os.fspath(path)
        self._flags = flags
        self._descriptor: int | None = None
        self._identity = (0, 0)

    @property
    def descriptor(self) -> int:
        """The descriptor; the file is created if it is missing."""
        return self._open(os.O_CREAT) if self._descriptor is None else self._descriptor

    @property
    def open_descriptor(self) -> int | None:
        """The descriptor if the file is already open."""
        return self._descriptor

    def status(self) -> os.stat_result | None:
        """The status; None if the name doesn't refer to the open file."""
        try:
            status = os.lstat(self._name)
        except FileNotFoundError:
            return None
        return status if (status.st_dev, status.st_ino) == self._identity else None

    def read(self, limit: int) -> bytes | None:
        """The current content under this name; None if it is missing or empty."""
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
    """A descriptor of the regular file; with O_CREAT, creates it and its folders if they are missing."""
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # don't wait for the other end of a fifo
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
    """Syncs what any process has written to the file, if it exists."""
    try:
        descriptor = open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fdatasync(descriptor)
    finally:
        os.close(descriptor)


def read_plain(path: Path) -> bytes:
    """Reads a file that a person may have replaced with a link; only a regular file, because a fifo would block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


def make_private_folder(path: Path) -> None:
    """Creates missing folders for the owner only; existing folders keep their mode."""
    if not path.is_dir():
        make_private_folder(path.parent)
        path.mkdir(0o700, exist_ok=True)


def write_all(descriptor: int, data: bytes, at: int | None = None) -> None:
    """Writes in one call; a short write is an error, because the disk is full."""
    count = os.write(descriptor, data) if at is None else os.pwrite(descriptor, data, at)
    if count != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def os_failure(path: Path, error: OSError) -> InputOutput:
    """Translates an OSError into InputOutput with a hint."""
    return InputOutput(
        f"{path}: {error.strerror or error}.",
        hint=_HINTS.get(error.errno or 0),
    )
