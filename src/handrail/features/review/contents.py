"""Reads many files of one tree: the folder of the last one stays open, because the next one is mostly beside it."""

import os
import stat
from contextlib import AbstractContextManager

from handrail.ports.errors import NotFound
from handrail.ports.files import Folder, Status

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Contents:
    """No link is followed, neither in a path nor at its end. Paths are names that were found, joined by `/`."""

    def __init__(self, folder: Folder, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._held: tuple[str, AbstractContextManager[int], int] | None = None

    def close(self) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            held[1].__exit__(None, None, None)

    def read(self, path: str) -> tuple[Status | None, bytes | None]:
        """What is there, if anything, and its content if it is a regular file. Failure; TooLarge."""
        above, _, name = path.rpartition("/")
        try:
            found = self._quick(self._at(above), name.encode("utf-8", "surrogateescape"))
        except NotFound:
            return None, None
        if found is not None:
            return found
        status = self._folder.status(path)
        is_file = status is not None and status.kind == "file"
        return status, self._folder.read(path, self._limit) if is_file else None

    def _at(self, folder: str) -> int:
        if self._held is not None and self._held[0] == folder:
            return self._held[2]
        self.close()
        opened = self._folder.open_descriptor(folder or ".")
        self._held = folder, opened, opened.__enter__()
        return self._held[2]

    def _quick(self, folder: int, name: bytes) -> tuple[Status, bytes] | None:
        """None for everything but a regular file that can be read in one go."""
        try:
            fd = os.open(name, _FLAGS, dir_fd=folder)
        except OSError:
            return None
        try:
            found = os.fstat(fd)
            size = found.st_size
            if not stat.S_ISREG(found.st_mode) or size > self._limit:
                return None
            data = os.read(fd, size + 1)  # one byte more shows that this was all
            status = Status("file", stat.S_IMODE(found.st_mode), size, found.st_mtime_ns, found.st_ino)
            return (status, data) if len(data) == size else None
        finally:
            os.close(fd)
