"""Names, creates and removes the temporary files of writes.

The name is derived from the path, so that the leftovers of a killed write can be found. A live writer holds a lock on
its temporary file; an unlocked one is a leftover.
"""

import errno
import os
import stat
import time
from contextlib import suppress
from hashlib import sha256

from handrail.ports.errors import Conflict
from handrail.stores.local.files.lock import try_lock

_PATIENCE_S = 10.0
_POLL_S = 0.001


def temporary_name(path: str) -> bytes:
    return b".handrail-%s.tmp" % _key(path)


def backup_name(path: str) -> bytes:
    """A second name for the old file while the new one can still be undone."""
    return b".handrail-%s.old.tmp" % _key(path)


def is_temporary(name: str) -> bool:
    """Whether a case-folded name is a temporary file of ours."""
    return name.startswith(".handrail-") and name.endswith(".tmp")


def claim(folder: int, name: bytes, mode: int, path: str) -> int:
    """Creates an empty, locked file of this name.

    Waits for a live writer of the same path, and removes a dead one's file.
    """
    deadline = time.monotonic() + _PATIENCE_S
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    while True:
        try:
            fd = os.open(name, flags, mode, dir_fd=folder)
        except FileExistsError:
            if not discard(folder, name):
                if time.monotonic() >= deadline:
                    raise Conflict(f"Another process is writing {path!r}.", path=path) from None
                time.sleep(_POLL_S)
            continue
        try:
            # Between open and lock, another writer may have removed the file as a leftover.
            if try_lock(fd) and still_names(folder, name, fd):
                return fd
        except BaseException:
            forget(folder, name)
            os.close(fd)
            raise
        os.close(fd)


def discard(folder: int, name: bytes) -> bool:
    """Removes a leftover; False if its writer is still alive."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):
            raise
        forget(folder, name)  # a link or a socket, created by another program
        return True
    try:
        if stat.S_ISREG(os.fstat(fd).st_mode) and not try_lock(fd):
            return False
        if still_names(folder, name, fd):
            forget(folder, name)
        return True
    finally:
        os.close(fd)


def forget(folder: int, name: bytes) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)


def still_names(folder: int, name: bytes, fd: int) -> bool:
    """Whether the name still belongs to the open file."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(fd))
    except FileNotFoundError:
        return False


def _key(path: str) -> bytes:
    return sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:16].encode()
