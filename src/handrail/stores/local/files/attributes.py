"""What a file that replaces another one inherits from it: owner, extended attributes, mode."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# They vouch for the old content.
_NOT_INHERITED = frozenset({"security.capability", "security.ima", "security.evm"})
_NOT_OURS = frozenset({errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.EACCES, errno.ENODATA})


def inherit(folder: int, name: bytes, old: os.stat_result, fd: int) -> None:
    """Owner (as far as we may), extended attributes and mode of the old file. As with any write, set-uid is lost."""
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
    """Passes over an attribute that is not ours to set or gone; a full disk is still an error."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NOT_OURS:
            raise
