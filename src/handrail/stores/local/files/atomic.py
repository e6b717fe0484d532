"""Writes whole files in an open folder: a reader sees the old or the new content, and a failure leaves the old.

Temporary file, attributes of the old file, fsync, rename, fsync of the folder. Nothing here resolves a path: the folder
is a descriptor, and the name is one component in it.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from handrail.ports.errors import Conflict
from handrail.stores.local.files.attributes import inherit
from handrail.stores.local.files.file_systems import keeps_names
from handrail.stores.local.files.refusal import check_regular, told
from handrail.stores.local.files.temporary import backup_name, claim, discard, forget, still_names, temporary_name

_UNSUPPORTED = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})
_SOURCE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
PERMISSIONS = 0o777  # neither set-uid nor set-gid is ever given
_NO_HARD_LINKS = _UNSUPPORTED | {errno.EPERM, errno.EMLINK}


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an open folder. `path` is for messages, and for the temporary file's name."""

    folder: int
    name: bytes
    path: str
    is_private: bool = False
    """A new file there is for its owner alone."""

    @property
    def new_mode(self) -> int:
        return 0o600 if self.is_private else 0o666


def replace(
    place: Place, data: bytes, *, is_durable: bool, guard: Callable[[], None] | None = None, mode: int | None = None
) -> None:
    """Writes `data` there, whether or not a regular file exists; `guard` can stop it at the last moment."""
    with told(place.path):
        old = _standing(place)
        with _filled(place, data, old, is_durable, mode) as temporary:
            if guard:
                guard()
            if is_durable and old:
                _rename_durably(place, temporary)
            else:
                os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
                if is_durable:
                    _sync_new(place)


def create(place: Place, data: bytes, *, is_durable: bool) -> None:
    """Writes `data` there; Conflict if the name is taken."""
    with told(place.path):
        if _standing(place):
            raise _taken(place)
        with _filled(place, data, None, is_durable) as temporary:
            try:
                _rename_to_free_name(place, temporary)
            except FileExistsError:
                raise _taken(place) from None
            if is_durable:
                _sync_new(place)


def adopt(source: Place, place: Place, *, guard: Callable[[], None] | None = None, mode: int | None = None) -> None:
    """Renames a finished file of ours into place, whether or not a regular file exists there."""
    with told(place.path):
        old = _standing(place)
        fd = os.open(source.name, _SOURCE, dir_fd=source.folder)
        try:
            check_regular(os.fstat(fd), source.path)
            if old:
                inherit(place.folder, place.name, old, fd)
            if mode is not None:
                os.fchmod(fd, mode & PERMISSIONS)
        finally:
            os.close(fd)
        if guard:
            guard()
        try:
            os.rename(source.name, place.name, src_dir_fd=source.folder, dst_dir_fd=place.folder)
            return
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
    # Another file system is mounted there.
    with told(source.path), open(os.open(source.name, _SOURCE, dir_fd=source.folder), "rb") as content:
        data = content.read()
    replace(place, data, is_durable=True, guard=guard, mode=mode)


def put(place: Place, data: bytes) -> None:
    """Writes `data` there at once, without a temporary file; Conflict if the name is taken."""
    with told(place.path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            fd = os.open(place.name, flags, place.new_mode, dir_fd=place.folder)
        except FileExistsError:
            raise _taken(place) from None
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            os.fsync(fd)
            if not keeps_names(place.folder):
                sync_folder(place.folder)
        except BaseException:
            with suppress(OSError):
                forget(place.folder, place.name)
            raise
        finally:
            os.close(fd)


def sync(place: Place) -> None:
    with told(place.path):
        fd = os.open(place.name, _SOURCE, dir_fd=place.folder)
        try:
            check_regular(os.fstat(fd), place.path)
            os.fsync(fd)
        finally:
            os.close(fd)
        if not keeps_names(place.folder):
            sync_folder(place.folder)


def remove(place: Place, *, is_durable: bool, guard: Callable[[], None] | None = None) -> bool:
    """Removes the regular file; True for the one caller that did it."""
    with told(place.path):
        if not _standing(place):
            return False
        if guard:
            guard()
        try:
            os.unlink(place.name, dir_fd=place.folder)
        except FileNotFoundError:
            return False
        if is_durable:
            sync_folder(place.folder)
        return True


def sweep(place: Place) -> None:
    """Removes the temporary file of a killed write; a live write is left alone."""
    with told(place.path):
        if discard(place.folder, temporary_name(place.path)):
            forget(place.folder, backup_name(place.path))


def sync_folder(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:  # some file systems can't sync a folder, and say so
            raise


def _standing(place: Place) -> os.stat_result | None:
    """The regular file that is there, or nothing."""
    try:
        found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    check_regular(found, place.path)
    return found


@contextmanager
def _filled(
    place: Place, data: bytes, old: os.stat_result | None, is_durable: bool, mode: int | None = None
) -> Iterator[bytes]:
    """The name of a complete temporary file, removed when the block ends."""
    name = temporary_name(place.path)
    # A new file's mode is the kernel's business (umask, default ACL); a replaced one stays shut until it has its own.
    fd = claim(place.folder, name, 0o600 if old else place.new_mode, place.path)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if old:
            inherit(place.folder, place.name, old, fd)
        if mode is not None:
            os.fchmod(fd, mode & PERMISSIONS)
        if is_durable:
            os.fsync(fd)
        yield name
    finally:
        # After the rename the name may already be another writer's.
        with suppress(OSError):
            if still_names(place.folder, name, fd):
                forget(place.folder, name)
        os.close(fd)


def _rename_durably(place: Place, temporary: bytes) -> None:
    """Renames over the old file, and undoes that if the folder can't be synced."""
    backup = backup_name(place.path)
    forget(place.folder, backup)
    try:
        has_backup = _link(place.folder, place.name, backup)
    except FileNotFoundError:
        has_backup = False  # the old file was removed meanwhile
    try:
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        try:
            sync_folder(place.folder)
        except OSError:
            if has_backup:
                os.rename(backup, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            raise
    finally:
        with suppress(OSError):
            forget(place.folder, backup)


def _rename_to_free_name(place: Place, temporary: bytes) -> None:
    """FileExistsError if the name is taken."""
    if _link(place.folder, temporary, place.name):
        forget(place.folder, temporary)
        return
    # No hard links here: the name is reserved first, and for a moment the file is seen empty.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(place.name, flags, 0o600, dir_fd=place.folder))
    try:
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except OSError:
        forget(place.folder, place.name)
        raise


def _link(folder: int, name: bytes, other: bytes) -> bool:
    """Makes a second name for a file; False if the file system or its rules don't allow that."""
    try:
        os.link(name, other, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return False
    return True


def _sync_new(place: Place) -> None:
    try:
        sync_folder(place.folder)
    except OSError:
        forget(place.folder, place.name)
        raise


def _taken(place: Place) -> Conflict:
    return Conflict(f"{place.path!r} exists already.", path=place.path)
