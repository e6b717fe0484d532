"""Landlock: a process gives up all files but a list, signals to other programs, and TCP.

Called by number, because the C library has no functions for it.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Sequence

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_MAKE_DEVICES = (1 << 6) | (1 << 11)
EVERY_FILE_RIGHT = (1 << 16) - 1
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
READ = _EXECUTE | _READ_FILE | _READ_DIR
WRITE = EVERY_FILE_RIGHT & ~_MAKE_DEVICES
USE_DEVICE = _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
TCP = 0b11
"""Binding and connecting."""
SIGNALS, ABSTRACT_SOCKETS = 0b10, 0b01

_libc = ctypes.CDLL(None, use_errno=True)


def restrict(allowed: Sequence[tuple[str, int]], *, files: int, network: int, scoped: int) -> None:
    """Applies to this process and its children from now on. `allowed` are paths with their rights. OSError.

    Paths that don't exist are skipped: they stay out of reach, even if somebody creates them later.
    """
    attributes = struct.pack("QQQ", files, network, scoped)
    rules = _call(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        if files:
            for path, rights in allowed:
                _allow(rules, path, rights)
        if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        rule = struct.pack("=Qi", rights if is_folder else rights & _FILE_RIGHTS, descriptor)
        _call(_ADD_RULE, rules, _PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
    return result
