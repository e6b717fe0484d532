"""Addresses of Unix sockets, whose paths must be much shorter than the file system allows."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.ports.errors import InputOutput

_LONGEST_PATH = 107 if sys.platform == "linux" else 103


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """The address for bind and connect. A path that is too long is accessed through its folder's descriptor."""
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        yield str(path)
        return
    if sys.platform != "linux":
        raise InputOutput(f"{path} is too long for a socket.", hint="Choose a shorter path.")
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
