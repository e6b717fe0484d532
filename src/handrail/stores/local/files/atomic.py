"""Writes whole files atomically in an open folder: a reader sees the old or the new content.

Steps: temporary file, attributes of the old file, fsync, rename, fsync of the folder. No path is resolved: the folder
is a descriptor, and the name is a single component.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from handrail.ports.errors import Conflict
from handrail.stores.local.files.attributes import inherit
from handrail.stores.local.files.file_systems import keeps_names
from handrail.stores.local.files.refusal import check_regular, translate_errors
from handrail.stores.local.files.temporary import backup_name, claim, discard, forget, still_names, temporary_name

_UNSUPPORTED = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})
_SOURCE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
PERMISSIONS = 0o777  # set-uid and set-gid are never set
_NO_HARD_LINKS = _UNSUPPORTED | {errno.EPERM, errno.EMLINK}


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an open folder. `path` is for messages and for the temporary file's name."""

    folder: int
    name: bytes
    path: str
    is_private: bool = False
    """A new file is only accessible to its owner."""

    @property
    def new_mode(self) -> int:
        return 0o600 if self.is_private else 0o666


def replace(
    place: Place, data: bytes, *, is_durable: bool, guard: Callable[[], None] | None = None, mode: int | None = None
) -> None:
    """Writes a new file or replaces a regular one; `guard` can stop it at the last moment."""
    with translate_errors(place.path):
        old = _existing_file(place)
        with _temporary_file(place, data, old, is_durable, mode) as temporary:
            if guard:
                guard()
            if is_durable and old:
                _rename_durably(place, temporary)
            else:
                os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
                if is_durable:
                    _sync_new_name(place)


def create(place: Place, data: bytes, *, is_durable: bool) -> None:
    """Writes a new file; Conflict if the name exists."""
    with translate_errors(place.path):
        if _existing_file(place):
            raise _exists_error(place)
        with _temporary_file(place, data, None, is_durable) as temporary:
            try:
                _rename_to_free_name(place, temporary)
            except FileExistsError:
                raise _exists_error(place) from None
            if is_durable:
                _sync_new_name(place)


def adopt(source: Place, place: Place, *, guard: Callable[[], None] | None = None, mode: int | None = None) -> None:
    """Renames a finished file of ours to this place, replacing a regular file if there is one."""
    with translate_errors(place.path):
        old = _existing_file(place)
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
    # The target is on another file system.
    with translate_errors(source.path), open(os.open(source.name, _SOURCE, dir_fd=source.folder), "rb") as content:
        data = content.read()
    replace(place, data, is_durable=True, guard=guard, mode=mode)


def put(place: Place, data: bytes) -> None:
    """Writes a new file directly, without a temporary one; Conflict if the name exists."""
    with translate_errors(place.path):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            fd = os.open(place.name, flags, place.new_mode, dir_fd=place.folder)
        except FileExistsError:
            raise _exists_error(place) from None
        try:
            remaining = memoryview(data)
            while remaining:
                remaining = remaining[os.write(fd, remaining) :]
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
    with translate_errors(place.path):
        fd = os.open(place.name, _SOURCE, dir_fd=place.folder)
        try:
            check_regular(os.fstat(fd), place.path)
            os.fsync(fd)
        finally:
            os.close(fd)
        if not keeps_names(place.folder):
            sync_folder(place.folder)


def remove(place: Place, *, is_durable: bool, guard: Callable[[], None] | None = None) -> bool:
    """Removes the regular file; True for the caller that removed it."""
    with translate_errors(place.path):
        if not _existing_file(place):
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
    with translate_errors(place.path):
        if discard(place.folder, temporary_name(place.path)):
            forget(place.folder, backup_name(place.path))


def sync_folder(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:  # some file systems can't sync a folder
            raise


def _existing_file(place: Place) -> os.stat_result | None:
    """The status of the regular file, or None if there is none."""
    try:
        status = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    check_regular(status, place.path)
    return status


@contextmanager
def _temporary_file(
    place: Place, data: bytes, old: os.stat_result | None, is_durable: bool, mode: int | None = None
) -> Iterator[bytes]:
    """Writes a temporary file and yields its name; removes it when the block ends."""
    name = temporary_name(place.path)
    # The kernel decides a new file's mode (umask, default ACL); a replacement is private until it has the old mode.
    fd = claim(place.folder, name, 0o600 if old else place.new_mode, place.path)
    try:
        remaining = memoryview(data)
        while remaining:
            remaining = remaining[os.write(fd, remaining) :]
        if old:
            inherit(place.folder, place.name, old, fd)
        if mode is not None:
            os.fchmod(fd, mode & PERMISSIONS)
        if is_durable:
            os.fsync(fd)
        yield name
    finally:
        # After the rename, another writer may already use the name.
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
        has_backup = False  # the old file has just been removed
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
    """Raises FileExistsError if the name exists."""
    if _link(place.folder, temporary, place.name):
        forget(place.folder, temporary)
        return
    # Without hard links, the name is created first, so for a moment the file looks empty.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    os.close(os.open(place.name, flags, 0o600, dir_fd=place.folder))
    try:
        os.rename(temporary, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
    except OSError:
        forget(place.folder, place.name)
        raise


def _link(folder: int, name: bytes, new_name: bytes) -> bool:
    """Creates a hard link; False if the file system doesn't allow that."""
    try:
        os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        return False
    return True


def _sync_new_name(place: Place) -> None:
    try:
        sync_folder(place.folder)
    except OSError:
        forget(place.folder, place.name)
        raise


def _exists_error(place: Place) -> Conflict:
    return Conflict(f"{place.path!r} exists already.", path=place.path)
