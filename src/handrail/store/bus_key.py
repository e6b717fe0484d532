"""`<stateDir>/bus.key`: what handrail's own processes show each other, and clients that hold the token don't have."""

import os
import re
import secrets
from pathlib import Path

from handrail.store import locks
from handrail.store.private_file import open_private, refused, write_whole

FILE = "bus.key"
_KEY = re.compile(rb"[0-9a-f]{64}")


def bus_key(state: Path) -> str:
    """Made by whoever comes first, and kept."""
    path = state / FILE
    try:
        with locks.exclusive(state / f"{FILE}.lock", patience=locks.PATIENCE):
            descriptor = open_private(path, os.O_RDWR | os.O_CREAT)
            try:
                if (found := _KEY.fullmatch(os.read(descriptor, 128))) is not None:
                    return found[0].decode()
                key = secrets.token_hex(32)
                os.ftruncate(descriptor, 0)
                write_whole(descriptor, key.encode(), 0)
                os.fsync(descriptor)
                return key
            finally:
                os.close(descriptor)
    except OSError as error:
        raise refused(path, error) from error
