"""Copies owner, extended attributes and mode from a file to its replacement."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Attributes that certify the old content.
_NOT_INHERITED = frozenset({"security.capability", "security.ima", "security.evm"})
_NOT_OURS = frozenset({errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EACCES, errno.ENODATA})


def inherit(folder: int, name: bytes, old: os.stat_result, fd: int) -> None:
    """Copies owner (if permitted), extended attributes and mode. Set-uid is dropped, as with any write."""
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.fstat(fd).st_gid):
        try:
            os.fchown(fd, old.st_uid, old.st_gid)
        except OSError:
            with suppress(OSError):
                os.fchown(fd, -1, old.st_gid)
    _inherit_extended(folder, name, fd)
    os.fchmod(fd, stat.S_IMODE(old.st_mode) & ~(stat.S_ISUID | stat.S_ISGID))


def _inherit_extended(folder: int, name: bytes, fd: int) -> None:
    if sys.platform != "linux":
        return
    try:
        source = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except (PermissionError, FileNotFoundError):
        return
    try:
        with _unless_unsupported():
            for attribute in os.listxattr(source):
                if attribute not in _NOT_INHERITED:
                    with _unless_unsupported():
                        os.setxattr(fd, attribute, os.getxattr(source, attribute))
    finally:
        os.close(source)


@contextmanager
def _unless_unsupported() -> Iterator[None]:
    """Ignores attributes that can't be set or no longer exist; a full disk is still an error."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NOT_OURS:
            raise
