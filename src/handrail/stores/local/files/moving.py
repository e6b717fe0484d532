"""Renames within the project and creates and removes folders, without replacing anything."""

import errno
import os
import stat
import sys
from collections.abc import Callable
from functools import cache

from handrail.ports.errors import Conflict
from handrail.stores.local.files.atomic import PERMISSIONS, Place, sync_folder
from handrail.stores.local.files.refusal import check_regular, refusal, translate_errors

_RENAME_NOREPLACE = 1
_NO_FLAGS = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})
_FULL = frozenset({errno.ENOTEMPTY, errno.EEXIST})


def move(source: Place, target: Place, guard: Callable[[], None] | None) -> None:
    """Moves durably. Raises Conflict if the new name exists."""
    with translate_errors(source.path):
        status = os.stat(source.name, dir_fd=source.folder, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            check_regular(status, source.path)
    if guard:
        guard()
    code = _rename(source, target)
    if code in _FULL:
        raise Conflict(f"{target.path!r} exists already.", path=target.path)
    if code == errno.EXDEV:  # a rename can't reach another file system
        raise Conflict(f"{target.path!r} is on another file system than {source.path!r}.", path=target.path)
    if code:
        raise refusal(code, source.path)
    with translate_errors(target.path):
        sync_folder(target.folder)
        sync_folder(source.folder)


def make_folder(place: Place, mode: int | None, *, is_durable: bool) -> None:
    with translate_errors(place.path):
        try:
            os.mkdir(place.name, dir_fd=place.folder)
        except FileExistsError:
            raise Conflict(f"{place.path!r} exists already.", path=place.path) from None
        if mode is not None:
            fd = os.open(place.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)
            try:
                os.fchmod(fd, mode & PERMISSIONS)
            finally:
                os.close(fd)
        if is_durable:
            sync_folder(place.folder)


def remove_folder(place: Place, *, is_durable: bool) -> None:
    with translate_errors(place.path):
        try:
            os.rmdir(place.name, dir_fd=place.folder)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            raise Conflict(f"{place.path!r} isn't empty.", path=place.path) from None
        if is_durable:
            sync_folder(place.folder)


def sync_all(fd: int) -> None:
    """syncfs(2): syncs many files at once."""
    if (call := _libc("syncfs")) is None:
        os.sync()
    elif code := call(fd):
        raise refusal(code, ".")


def _rename(source: Place, target: Place) -> int:
    """The errno; 0 if it succeeded."""
    call = _libc("renameat2")
    if call is not None:
        code = call(source.folder, source.name, target.folder, target.name, _RENAME_NOREPLACE)
        if code not in _NO_FLAGS:
            return code
    # Without such a rename, a file that is created at this moment could be replaced.
    try:
        os.stat(target.name, dir_fd=target.folder, follow_symlinks=False)
    except FileNotFoundError:
        pass
    else:
        return errno.EEXIST
    try:
        os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)
    except OSError as error:
        return error.errno or errno.EIO
    return 0


@cache
def _libc(name: str) -> Callable[..., int] | None:
    """A function of the C library that returns the errno, 0 for success; None if it doesn't exist."""
    if sys.platform != "linux":
        return None
    import ctypes  # imported late, because it takes milliseconds at start

    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if function is None:
        return None
    return lambda *args: 0 if function(*args) == 0 else ctypes.get_errno()
