"""The open folder that every path starts from, and how to open something below it."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from handrail.ports.errors import InvalidParams
from handrail.ports.paths import Parts
from handrail.stores.local.files.atomic import Place
from handrail.stores.local.files.beneath import O_LOOK, Opener, encoded
from handrail.stores.local.files.file_systems import keeps_names
from handrail.stores.local.files.parents import made
from handrail.stores.local.files.refusal import check_regular, refusal, told

FOLDER = os.O_RDONLY | os.O_DIRECTORY
# O_NONBLOCK: a pipe without a writer must not hang us before we see that it is one.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_LOCK_FILE = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY


class Root:
    """A folder's descriptor, opened once. If its path is a link, it is resolved then and never again."""

    def __init__(self, path: str, opener: Opener) -> None:
        if not os.path.isabs(path) or "\0" in path:
            raise InvalidParams(f"Not the absolute path of a folder: {path!r}.", path=path)
        with told(path):
            self.location = os.path.realpath(path)
            self._fd = os.open(self.location, FOLDER | os.O_CLOEXEC)
        self._opener = opener
        self.keeps_names = keeps_names(self._fd)

    def close(self) -> None:
        # The number is given up with the file: it may soon stand for another one.
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    @contextmanager
    def folder(self, parts: Parts) -> Iterator[int]:
        fd = self._opener(self._fd, parts, FOLDER, 0)
        try:
            yield fd
        finally:
            os.close(fd)

    def open_file(self, parts: Parts) -> tuple[int, int]:
        """A regular file for reading: a descriptor, which the caller closes, and the size."""
        fd = self._opener(self._fd, parts, _FILE, 0)
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                check_regular(found, shown(parts))
        except BaseException as fault:
            os.close(fd)
            if isinstance(fault, OSError):
                raise refusal(fault.errno or errno.EIO, shown(parts)) from fault
            raise
        return fd, found.st_size

    def look(self, parts: Parts) -> os.stat_result:
        """The kind of what is there, without reading it."""
        fd = self._opener(self._fd, parts, O_LOOK, 0)
        try:
            with told(shown(parts)):
                return os.fstat(fd)
        finally:
            os.close(fd)

    def stand(self, parts: Parts) -> os.stat_result:
        """Of whatever the name stands for, a link included. NotFound."""
        if not parts:
            with told("."):
                return os.fstat(self._fd)
        with self.folder(parts[:-1]) as fd, told(shown(parts)):
            return os.stat(encoded(parts[-1:]), dir_fd=fd, follow_symlinks=False)

    def has(self, parts: Parts) -> bool:
        """Whether the name exists in its folder, which must exist."""
        fd = self._opener(self._fd, parts[:-1], FOLDER, 0)
        try:
            os.stat(encoded(parts[-1:]), dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise refusal(error.errno or errno.EIO, shown(parts)) from error
        finally:
            os.close(fd)
        return True

    @contextmanager
    def place(
        self, parts: Parts, *, is_made: bool, is_durable: bool = False, is_private: bool = False
    ) -> Iterator[Place]:
        """The name in its open parent, which is created if wanted; `is_private`: for its owner alone."""
        if not parts:
            raise refusal(errno.EISDIR, shown(parts))
        above = parts[:-1]
        held = self.folder(above)
        if is_made:
            held = made(self._opener, self._fd, above, is_durable=is_durable, is_private=is_private)
        with held as fd:
            yield Place(fd, encoded(parts[-1:]), shown(parts), is_private)

    def open_lock_file(self, parts: Parts) -> int:
        return self._open_made(parts, _LOCK_FILE, 0o600)

    def open_journal(self, parts: Parts, *, is_private: bool = False) -> int:
        return self._open_made(parts, _LOCK_FILE | os.O_APPEND, 0o600 if is_private else 0o666, is_private=is_private)

    def _open_made(self, parts: Parts, flags: int, mode: int, *, is_private: bool = False) -> int:
        """A regular file, created if missing."""
        with self.place(parts, is_made=True, is_private=is_private) as place:
            fd = self._opener(place.folder, parts[-1:], flags, mode)
        try:
            with told(shown(parts)):
                found = os.fstat(fd)
            check_regular(found, shown(parts))
        except BaseException:
            os.close(fd)
            raise
        return fd


def shown(parts: Parts) -> str:
    return "/".join(parts) or "."
