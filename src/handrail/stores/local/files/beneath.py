"""Opens a path below an open folder without following any link: all file access goes through here.

`by_openat2` lets the kernel resolve the path. Without openat2(2), `by_walk` opens one component after the other with
O_NOFOLLOW. Both refuse the same paths; `open_beneath` uses the first one that works on this machine.
"""

import errno
import os
import stat
import struct
import sys
from collections.abc import Callable
from functools import cache, lru_cache

from handrail.ports.errors import InvalidParams, OutsideRoot, Unsupported
from handrail.ports.paths import Parts
from handrail.stores.local.files.refusal import refusal

Opener = Callable[[int, Parts, int, int], int]

_O_PATH: int = getattr(os, "O_PATH", 0)
# Opens a name without needing permission to read it, if the system supports that.
O_LOOK = _O_PATH or os.O_RDONLY | os.O_NONBLOCK

_SYS_OPENAT2 = 437
_MACHINES = frozenset({"x86_64", "aarch64", "riscv64", "ppc64le", "s390x", "loongarch64"})
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS, _RESOLVE_BENEATH = 0x02, 0x04, 0x08
_PATH_MAX = 4096
_ATTEMPTS = 100


def open_beneath(root_fd: int, parts: Parts, flags: int, mode: int = 0) -> int:
    """A close-on-exec descriptor of `parts` below `root_fd`; without parts, of the folder itself."""
    return _best()(root_fd, parts, flags, mode)


def has_openat2() -> bool:
    return _openat2() is not None


def by_openat2(root_fd: int, parts: Parts, flags: int, mode: int = 0) -> int:
    path = encoded(parts)
    if len(path) < _PATH_MAX:
        return _resolve(root_fd, path, _how(flags, mode), parts)
    folder = root_fd
    try:
        while len(path) >= _PATH_MAX:  # longer than the kernel accepts: open as many components as fit
            slash = path.rfind(b"/", 0, _PATH_MAX)
            if slash < 0:
                raise refusal(errno.ENAMETOOLONG, "/".join(parts))
            inner = _resolve(folder, path[:slash], _how(_O_PATH | os.O_DIRECTORY, 0), parts)
            if folder != root_fd:
                os.close(folder)
            folder, path = inner, path[slash + 1 :]
        return _resolve(folder, path, _how(flags, mode), parts)
    finally:
        if folder != root_fd:
            os.close(folder)


def _resolve(folder: int, path: bytes, how: bytes, parts: Parts) -> int:
    call = _openat2()
    if call is None:
        raise Unsupported("This kernel has no openat2(2).")
    code = 0
    for _ in range(_ATTEMPTS):  # limited, because a leased file returns EAGAIN until its lease is broken
        fd, code = call(folder, path, how)
        if fd >= 0:
            return fd
        if code not in (errno.EAGAIN, errno.EINTR):
            break
    raise refusal(code, "/".join(parts) or ".")


def by_walk(root_fd: int, parts: Parts, flags: int, mode: int = 0) -> int:
    names = encoded(parts).split(b"/")
    folder = root_fd
    try:
        for name in names[:-1]:
            inner = _open_unlinked(folder, name, _O_PATH | os.O_DIRECTORY, 0, parts)
            if folder != root_fd:
                os.close(folder)
            folder = inner
        return _open_unlinked(folder, names[-1], flags, mode, parts)
    finally:
        if folder != root_fd:
            os.close(folder)


def encoded(parts: Parts) -> bytes:
    """The parts as bytes, after a last check that no part is `..` or contains a separator or NUL."""
    path = "/".join(parts)
    if parts and (".." in parts or "." in parts or "" in parts or path.count("/") >= len(parts)):
        raise OutsideRoot(f"Path not allowed: {path!r}.", path=path)
    if "\0" in path:
        raise InvalidParams("The path contains a NUL character.", path=path)
    try:
        return path.encode("utf-8", "surrogateescape") or b"."
    except UnicodeEncodeError:
        raise InvalidParams("The path contains a lone surrogate.", path=ascii(path)) from None


def _open_unlinked(folder: int, name: bytes, flags: int, mode: int, parts: Parts) -> int:
    """Opens one component. Systems disagree on the errno for a link, so the name is checked."""
    try:
        fd = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    except OSError as error:
        code = errno.ELOOP if _is_link(folder, name) else error.errno
        raise refusal(code or errno.EIO, "/".join(parts) or ".") from error
    # O_PATH opens the link itself instead of refusing it.
    if flags & _O_PATH and not flags & os.O_DIRECTORY and stat.S_ISLNK(os.fstat(fd).st_mode):
        os.close(fd)
        raise refusal(errno.ELOOP, "/".join(parts))
    return fd


def _is_link(folder: int, name: bytes) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


@lru_cache(maxsize=64)
def _how(flags: int, mode: int) -> bytes:
    """struct open_how, without O_NOFOLLOW, which with O_PATH would open a link itself."""
    resolve = _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS
    return struct.pack("QQQ", (flags & ~os.O_NOFOLLOW) | os.O_CLOEXEC, mode, resolve)


@cache
def _openat2() -> Callable[[int, bytes, bytes], tuple[int, int]] | None:
    """The system call as a function that returns (descriptor, errno); None if it isn't available."""
    if sys.platform != "linux" or os.uname().machine not in _MACHINES or sys.maxsize < 2**32:
        return None
    import ctypes  # imported late, because it takes milliseconds at start

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    syscall.restype = ctypes.c_long
    get_errno = ctypes.get_errno

    def call(root_fd: int, path: bytes, how: bytes) -> tuple[int, int]:
        fd: int = syscall(_SYS_OPENAT2, root_fd, path, how, 24)
        return (fd, 0) if fd >= 0 else (fd, get_errno())

    # Old kernels return ENOSYS, seccomp filters EPERM; any error means that it is unavailable.
    folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fd, _ = call(folder, b".", _how(_O_PATH | os.O_DIRECTORY, 0))
    finally:
        os.close(folder)
    if fd < 0:
        return None
    os.close(fd)
    return call


@cache
def _best() -> Opener:
    return by_openat2 if has_openat2() else by_walk
