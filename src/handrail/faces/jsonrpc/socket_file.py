"""The socket's file: mode 0600, in a private folder, held by one live host at a time."""

import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handrail.ports.errors import Conflict, InputOutput

_LONGEST_PATH = 107 if sys.platform == "linux" else 103
_ANSWER_SECONDS = 2.0


@contextmanager
def bound(path: Path) -> Iterator[socket.socket]:
    """A listening socket, removed when the block ends. Conflict while another host lives there."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}.") from None
    try:
        _claim(lock, path)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            _bind(listening, path)
            own = path.lstat()
            try:
                yield listening
            finally:
                with suppress(OSError):
                    if os.path.samestat(own, path.lstat()):
                        path.unlink()
    finally:
        os.close(lock)


def _claim(lock: int, path: Path) -> None:
    """The kernel releases the lock when its holder ends, so holding it means that no other host lives."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _taken(path) from None
    if path.is_symlink() or (path.exists() and not path.is_socket()):
        raise Conflict(f"{path} is there already, and is no socket.", hint="Choose another path with --socket.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, suppress(OSError):
        probe.settimeout(_ANSWER_SECONDS)
        with _address(path) as address:
            probe.connect(address)
        raise _taken(path)
    with suppress(FileNotFoundError):
        path.unlink()


def _bind(listening: socket.socket, path: Path) -> None:
    umask = os.umask(0o177)
    try:
        with _address(path) as address:
            listening.bind(address)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}.") from None
    finally:
        os.umask(umask)
    listening.listen(socket.SOMAXCONN)
    listening.setblocking(False)


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """The socket's address in the short form that the kernel accepts."""
    if len(os.fsencode(path)) <= _LONGEST_PATH or sys.platform != "linux":
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def _taken(path: Path) -> Conflict:
    return Conflict(f"Another host is listening at {path}.", hint="Stop it, or choose another path with --socket.")
