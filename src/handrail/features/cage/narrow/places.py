"""The files that the agent may change or read, found as the kernel finds them and held while something is done."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from handrail.features.cage.narrow.notifications import Notification

_HERE = -100


class Place(NamedTuple):
    descriptor: int

    @property
    def path(self) -> bytes:
        """Leads to what is held, whatever has its name by now."""
        return b"/proc/self/fd/%d" % self.descriptor


class Places:
    def __init__(self, written: Sequence[str], read: Sequence[str]) -> None:
        """Folders."""
        self._written = [os.path.realpath(path) for path in written]
        self._read = [*self._written, *(os.path.realpath(path) for path in read)]

    @contextmanager
    def held(
        self,
        path: str,
        asked: Notification | None = None,
        folder: int = _HERE,
        *,
        is_link: bool = False,
        is_read: bool = False,
    ) -> Iterator[Place]:
        """With `is_link`, a link itself. OSError where it isn't one of the agent's."""
        flags = os.O_PATH | os.O_CLOEXEC | (os.O_NOFOLLOW if is_link else 0)
        if path.startswith("/") or asked is None:
            found = os.open(path, flags)
        else:
            start = asked.folder() if folder == _HERE else asked.descriptor(folder)
            try:
                found = os.open(path, flags, dir_fd=start)
            finally:
                os.close(start)
        yield from self._checked(found, self._read if is_read else self._written)

    @contextmanager
    def held_descriptor(self, asked: Notification, number: int) -> Iterator[Place]:
        yield from self._checked(asked.descriptor(number), self._written)

    def _checked(self, found: int, allowed: Sequence[str]) -> Iterator[Place]:
        try:
            real = os.readlink(f"/proc/self/fd/{found}")
            if not any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in allowed):
                raise OSError(errno.EPERM, "not a file of the agent's")
            yield Place(found)
        finally:
            os.close(found)
