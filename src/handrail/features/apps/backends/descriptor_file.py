"""One descriptor on disk: read again when it is another, looked at as closely as the question needs."""

import os
import stat

from handrail.features.apps.calls.conditions import BrokenDescriptor
from handrail.features.apps.descriptors.descriptor import MAX_BYTES, broken, listed, read
from handrail.features.apps.model import App, ListedApp, Problem

Sight = tuple[int, int, int, int]
"""Device, inode, size and time of the last change."""


class DescriptorFile:
    """`expected_id` is the name of its folder, where that must be its app's id."""

    def __init__(self, path: str, expected_id: str | None) -> None:
        self.path = path
        self._expected_id = expected_id
        self._seen: Sight | None = None
        self._text = b""
        self._listed: ListedApp | BrokenDescriptor | None = None
        self._whole: App | BrokenDescriptor | None = None

    def refresh(self) -> None:
        """FileNotFoundError, NotADirectoryError: it has gone."""
        if self._seen is not None and self.is_as_seen():
            return
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            raise
        except OSError as error:
            self._refuse(f"can't be opened: {error.strerror}")
            return
        try:
            status = os.fstat(descriptor)
            sight = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
            self._seen, self._listed, self._whole = sight, None, None
            if (reason := _unfit(status)) is not None:
                self._refuse(reason)
                return
            self._text = os.read(descriptor, status.st_size + 1)
        except OSError as error:
            self._refuse(f"can't be read: {error.strerror}")
        finally:
            os.close(descriptor)

    def is_as_seen(self) -> bool:
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) == self._seen

    def listed(self) -> ListedApp | BrokenDescriptor:
        """Broken as well where a closer look has shown it."""
        if isinstance(self._whole, BrokenDescriptor):
            return self._whole
        if self._listed is None:
            try:
                found = listed(self._text, self.path)
                self._listed = self._misplaced(found.id) or found
            except BrokenDescriptor as failure:
                self._listed = failure
        return self._listed

    def whole(self) -> App | BrokenDescriptor:
        if self._whole is None:
            try:
                found = read(self._text, self.path)
                self._whole = self._misplaced(found.id) or found
            except BrokenDescriptor as failure:
                self._whole = failure
        return self._whole

    def _misplaced(self, id: str) -> BrokenDescriptor | None:
        if self._expected_id is None or self._expected_id == id:
            return None
        return broken([Problem(self.path, "app.id", f"is {id}, and its folder is called {self._expected_id[:100]!r}")])

    def _refuse(self, reason: str) -> None:
        self._listed = self._whole = broken([Problem(self.path, "", reason)])


def _unfit(status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "is no regular file"
    if status.st_size > MAX_BYTES:
        return f"has more than {MAX_BYTES} bytes"
    if status.st_uid not in (os.getuid(), 0):
        return "belongs to another user"
    return None
