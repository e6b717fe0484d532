"""Appends lines atomically to a file that several processes write to."""

import errno
import os
from collections.abc import Callable

from handrail.stores.local.files.lock import hold_lock
from handrail.stores.local.files.refusal import translate_errors

_PATIENCE_S = 10.0


def append(open_file: Callable[[], int], data: bytes, path: str) -> None:
    """Appends in one write under a lock. If the disk is full, the write is undone."""
    with hold_lock(open_file, path, _PATIENCE_S) as fd, translate_errors(path):
        size = os.fstat(fd).st_size
        is_torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        line = b"\n" + data if is_torn else data
        try:
            if os.write(fd, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(fd, size)
            raise
