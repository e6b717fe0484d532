"""A small file of this face's own in the state directory: its owner's alone, read and replaced as a whole."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handrail.ports.errors import InputOutput

_MAX_BYTES = 64 * 1024


def read(path: Path) -> bytes | None:
    """None when there is none, or something else has its name; no link is followed."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(handle, _MAX_BYTES)
        finally:
            os.close(handle)
    except OSError:
        return None


def replace(path: Path, data: bytes) -> None:
    """Whole or not at all: a reader never sees half a file, and a full disk leaves the old one."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def spelled(state: Path) -> Iterator[None]:
    """What the operating system refuses here, as a condition of ours."""
    try:
        yield
    except OSError as refusal:
        raise InputOutput(f"Can't write in the state directory {state}: {refusal.strerror}.") from None
