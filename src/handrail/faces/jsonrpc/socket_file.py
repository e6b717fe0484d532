"""The socket's file: mode 0600, in a private folder, used by one live process at a time."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from handrail.ports.errors import Conflict, InputOutput
from handrail.ports.unix_socket import socket_address

_ANSWER_SECONDS = 2.0


@contextmanager
def open_socket(path: Path) -> Iterator[socket.socket]:
    """A listening socket, removed when the block ends. Raises Conflict if another process is listening there."""
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}.") from None
    try:
        _claim(lock, path)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            _bind(listener, path)
            status = path.lstat()
            try:
                yield listener
            finally:
                with suppress(OSError):
                    if os.path.samestat(status, path.lstat()):
                        path.unlink()
    finally:
        os.close(lock)


def _claim(lock: int, path: Path) -> None:
    """The kernel releases the lock when its holder ends, so whoever gets it is the only live process."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _in_use(path) from None
    if path.is_symlink() or (path.exists() and not path.is_socket()):
        raise Conflict(f"{path} exists and isn't a socket.", hint="Choose another path with --socket.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe, suppress(OSError):
        probe.settimeout(_ANSWER_SECONDS)
        with socket_address(path) as address:
            probe.connect(address)
        raise _in_use(path)
    with suppress(FileNotFoundError):
        path.unlink()


def _bind(listener: socket.socket, path: Path) -> None:
    umask = os.umask(0o177)
    try:
        with socket_address(path) as address:
            listener.bind(address)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}.") from None
    finally:
        os.umask(umask)
    listener.listen(socket.SOMAXCONN)
    listener.setblocking(False)


def _in_use(path: Path) -> Conflict:
    return Conflict(f"Another host is listening at {path}.", hint="Stop it, or choose another path with --socket.")
