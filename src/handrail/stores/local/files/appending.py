"""Appends lines to a file that several processes write to: all of them or none, each on its own line."""

import errno
import os
from collections.abc import Callable

from handrail.stores.local.files.lock import held
from handrail.stores.local.files.refusal import told

_PATIENCE_S = 10.0


def append(open_file: Callable[[], int], data: bytes, path: str) -> None:
    """One write under a lock. If the disk is full, it is undone, so that no half line stays."""
    with held(open_file, path, _PATIENCE_S) as fd, told(path):
        size = os.fstat(fd).st_size
        is_torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        line = b"\n" + data if is_torn else data
        try:
            if os.write(fd, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            os.ftruncate(fd, size)
            raise
