"""Addresses of Unix sockets: bind and connect take far shorter paths than the file system."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handrail.ports.errors import InputOutput

_LONGEST_PATH = 107 if sys.platform == "linux" else 103


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """For bind and connect. A path that is too long is reached through its folder's descriptor."""
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
