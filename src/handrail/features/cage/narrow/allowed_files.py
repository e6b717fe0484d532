"""The files that the agent may change or read, resolved by the kernel and held open while they are used."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from handrail.features.cage.narrow.notifications import Notification

_AT_FDCWD = -100


class OpenFile(NamedTuple):
    descriptor: int

    @property
    def path(self) -> bytes:
        """Leads to the open file, even if another file has its name by now."""
        return b"/proc/self/fd/%d" % self.descriptor


class AllowedFiles:
    def __init__(self, written: Sequence[str], read: Sequence[str]) -> None:
        """`written` and `read` are folders."""
        self._written = [os.path.realpath(path) for path in written]
        self._read = [*self._written, *(os.path.realpath(path) for path in read)]

    @contextmanager
    def open(
        self,
        path: str,
        notification: Notification | None = None,
        folder: int = _AT_FDCWD,
        *,
        is_link: bool = False,
        is_read: bool = False,
    ) -> Iterator[OpenFile]:
        """With `is_link`, opens a link itself. OSError if the file isn't the agent's."""
        flags = os.O_PATH | os.O_CLOEXEC | (os.O_NOFOLLOW if is_link else 0)
        if path.startswith("/") or notification is None:
            descriptor = os.open(path, flags)
        else:
            start = notification.folder() if folder == _AT_FDCWD else notification.descriptor(folder)
            try:
                descriptor = os.open(path, flags, dir_fd=start)
            finally:
                os.close(start)
        yield from self._check(descriptor, self._read if is_read else self._written)

    @contextmanager
    def open_descriptor(self, notification: Notification, number: int) -> Iterator[OpenFile]:
        yield from self._check(notification.descriptor(number), self._written)

    def _check(self, descriptor: int, allowed: Sequence[str]) -> Iterator[OpenFile]:
        try:
            real = os.readlink(f"/proc/self/fd/{descriptor}")
            if not any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in allowed):
                raise OSError(errno.EPERM, "not a file of the agent's")
            yield OpenFile(descriptor)
        finally:
            os.close(descriptor)
