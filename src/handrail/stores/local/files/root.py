"""The open project folder from which every path is opened."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from handrail.ports.errors import Failure, InvalidParams, NotFound
from handrail.ports.paths import Parts
from handrail.stores.local.files.atomic import Place, sync_folder
from handrail.stores.local.files.beneath import O_LOOK, Opener, encoded
from handrail.stores.local.files.file_systems import keeps_names
from handrail.stores.local.files.refusal import check_regular, refusal, translate_errors

_FOLDER = os.O_RDONLY | os.O_DIRECTORY


@contextmanager
def open_folder(
    open_beneath: Opener, root_fd: int, parts: Parts, *, is_durable: bool, is_private: bool = False
) -> Iterator[int]:
    """A descriptor of the folder `parts`. Missing folders are created, and removed again if the block fails."""
    new: list[Parts] = []
    try:
        fd = _open_or_make(open_beneath, root_fd, parts, new, is_durable, 0o700 if is_private else 0o777)
        try:
            yield fd
        finally:
            os.close(fd)
    except BaseException:
        for folder in reversed(new):
            with suppress(OSError, Failure):  # another process may have put something into it
                _remove(open_beneath, root_fd, folder)
        raise


def _open_or_make(
    open_beneath: Opener, root_fd: int, parts: Parts, new: list[Parts], is_durable: bool, mode: int
) -> int:
    try:
        return open_beneath(root_fd, parts, _FOLDER, 0)
    except NotFound:
        pass
    folder = open_beneath(root_fd, (), _FOLDER, 0)
    for depth, name in enumerate(parts, 1):
        try:
            with translate_errors("/".join(parts[:depth])):
                if _make(folder, name, mode):
                    new.append(parts[:depth])
                    if is_durable:
                        sync_folder(folder)
                inner = open_beneath(folder, (name,), _FOLDER, 0)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _make(folder: int, name: str, mode: int) -> bool:
    try:
        os.mkdir(encoded((name,)), mode, dir_fd=folder)
    except FileExistsError:
        return False
    return True


def _remove(open_beneath: Opener, root_fd: int, parts: Parts) -> None:
    folder = open_beneath(root_fd, parts[:-1], _FOLDER, 0)
    try:
        os.rmdir(encoded(parts[-1:]), dir_fd=folder)
    finally:
        os.close(folder)


FOLDER = os.O_RDONLY | os.O_DIRECTORY
# O_NONBLOCK: otherwise opening a pipe without a writer would hang.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_LOCK_FILE = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY


class Root:
    """A folder's descriptor, opened once. If its path is a link, it is resolved then and never again."""

    def __init__(self, path: str, opener: Opener) -> None:
        if not os.path.isabs(path) or "\0" in path:
            raise InvalidParams(f"Not the absolute path of a folder: {path!r}.", path=path)
        with translate_errors(path):
            self.location = os.path.realpath(path)
            self._fd = os.open(self.location, FOLDER | os.O_CLOEXEC)
        self._opener = opener
        self.keeps_names = keeps_names(self._fd)

    def close(self) -> None:
        # The number is forgotten, because it may soon belong to another file.
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
            status = os.fstat(fd)
            if not stat.S_ISREG(status.st_mode):
                check_regular(status, display_path(parts))
        except BaseException as fault:
            os.close(fd)
            if isinstance(fault, OSError):
                raise refusal(fault.errno or errno.EIO, display_path(parts)) from fault
            raise
        return fd, status.st_size

    def stat(self, parts: Parts) -> os.stat_result:
        """The status of a file or folder, without opening it for reading."""
        fd = self._opener(self._fd, parts, O_LOOK, 0)
        try:
            with translate_errors(display_path(parts)):
                return os.fstat(fd)
        finally:
            os.close(fd)

    def lstat(self, parts: Parts) -> os.stat_result:
        """The status of the name itself, also of a link. Raises NotFound."""
        if not parts:
            with translate_errors("."):
                return os.fstat(self._fd)
        with self.folder(parts[:-1]) as fd, translate_errors(display_path(parts)):
            return os.stat(encoded(parts[-1:]), dir_fd=fd, follow_symlinks=False)

    def has(self, parts: Parts) -> bool:
        """Whether the name exists in its folder, which must exist."""
        fd = self._opener(self._fd, parts[:-1], FOLDER, 0)
        try:
            os.stat(encoded(parts[-1:]), dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise refusal(error.errno or errno.EIO, display_path(parts)) from error
        finally:
            os.close(fd)
        return True

    @contextmanager
    def place(
        self, parts: Parts, *, creates_parents: bool, is_durable: bool = False, is_private: bool = False
    ) -> Iterator[Place]:
        """The name in its open parent, which may be created; with `is_private`, for its owner only."""
        if not parts:
            raise refusal(errno.EISDIR, display_path(parts))
        above = parts[:-1]
        opened = self.folder(above)
        if creates_parents:
            opened = open_folder(self._opener, self._fd, above, is_durable=is_durable, is_private=is_private)
        with opened as fd:
            yield Place(fd, encoded(parts[-1:]), display_path(parts), is_private)

    def open_lock_file(self, parts: Parts) -> int:
        return self._open_or_create(parts, _LOCK_FILE, 0o600)

    def open_journal(self, parts: Parts, *, is_private: bool = False) -> int:
        return self._open_or_create(
            parts, _LOCK_FILE | os.O_APPEND, 0o600 if is_private else 0o666, is_private=is_private
        )

    def _open_or_create(self, parts: Parts, flags: int, mode: int, *, is_private: bool = False) -> int:
        """A regular file, created if missing."""
        with self.place(parts, creates_parents=True, is_private=is_private) as place:
            fd = self._opener(place.folder, parts[-1:], flags, mode)
        try:
            with translate_errors(display_path(parts)):
                status = os.fstat(fd)
            check_regular(status, display_path(parts))
        except BaseException:
            os.close(fd)
            raise
        return fd


def display_path(parts: Parts) -> str:
    return "/".join(parts) or "."
