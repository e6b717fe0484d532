"""Reads many files of one tree. Keeps the last file's folder open, because the next file is often in the same one."""

import os
import stat
from contextlib import AbstractContextManager

from handrail.ports.errors import NotFound
from handrail.ports.files import Folder, Status

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Contents:
    """Follows no links, neither in a path nor at its end."""

    def __init__(self, folder: Folder, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._open_folder: tuple[str, AbstractContextManager[int], int] | None = None

    def close(self) -> None:
        if self._open_folder is not None:
            opened, self._open_folder = self._open_folder, None
            opened[1].__exit__(None, None, None)

    def read(self, path: str) -> tuple[Status | None, bytes | None]:
        """The status of a path, if it exists, and the content of a regular file. Raises Failure, also TooLarge."""
        above, _, name = path.rpartition("/")
        try:
            found = self._read_file(self._folder_fd(above), name.encode("utf-8", "surrogateescape"))
        except NotFound:
            return None, None
        if found is not None:
            return found
        status = self._folder.status(path)
        is_file = status is not None and status.kind == "file"
        return status, self._folder.read(path, self._limit) if is_file else None

    def _folder_fd(self, folder: str) -> int:
        if self._open_folder is not None and self._open_folder[0] == folder:
            return self._open_folder[2]
        self.close()
        opened = self._folder.open_descriptor(folder or ".")
        self._open_folder = folder, opened, opened.__enter__()
        return self._open_folder[2]

    def _read_file(self, folder: int, name: bytes) -> tuple[Status, bytes] | None:
        """None for everything except a regular file that can be read in one go."""
        try:
            fd = os.open(name, _FLAGS, dir_fd=folder)
        except OSError:
            return None
        try:
            found = os.fstat(fd)
            size = found.st_size
            if not stat.S_ISREG(found.st_mode) or size > self._limit:
                return None
            data = os.read(fd, size + 1)  # one byte more, to notice that the file has grown
            status = Status("file", stat.S_IMODE(found.st_mode), size, found.st_mtime_ns, found.st_ino)
            return (status, data) if len(data) == size else None
        finally:
            os.close(fd)
