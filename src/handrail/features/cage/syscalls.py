"""The system calls that the cage refuses, as data, and the filter that the kernel gets.

Everything else is allowed: compilers, debuggers and browsers use nearly all of it, and namespaces keep it inside.
"""

import errno
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_NEW_USER = 0x10000000
_LOW_WORD = 0xFFFFFFFF


class Refused(NamedTuple):
    """`calls` fail with `answer`; with `when`, only where the argument at that index, masked, has that value."""

    name: str
    calls: tuple[str, ...]
    why: str
    when: tuple[int, int, int] | None = None
    answer: int = errno.ENOSYS


REFUSED = (
    Refused("type into a terminal", ("ioctl",), "TIOCSTI types in the person's name", (1, _LOW_WORD, 0x5412)),
    Refused("use the console's selection", ("ioctl",), "TIOCLINUX pastes into a console", (1, _LOW_WORD, 0x541C)),
    Refused("use kernel keys", ("keyctl", "add_key", "request_key"), "keyrings are the user's, not the namespace's"),
    Refused("load programs into the kernel", ("bpf",), "attack surface"),
    Refused("watch performance events", ("perf_event_open",), "attack surface, and it sees other programs"),
    Refused("handle page faults", ("userfaultfd",), "makes races in the kernel easy to win"),
    Refused("use io_uring", ("io_uring_setup", "io_uring_enter", "io_uring_register"), "goes around this filter"),
    Refused("read the kernel's log", ("syslog",), "it tells about the whole machine"),
    Refused(
        "mount",
        ("mount", "umount2", "pivot_root", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
         "mount_setattr"),
        "the mounts are the cage",
    ),
    Refused("join a namespace", ("setns",), "leads out of the cage"),
    Refused("make a user namespace", ("unshare",), "gives capabilities", (0, _NEW_USER, _NEW_USER), errno.EPERM),
    Refused("start in a user namespace", ("clone",), "gives capabilities", (0, _NEW_USER, _NEW_USER), errno.EPERM),
    Refused("start by clone3", ("clone3",), "its flags can't be filtered; programs fall back to clone"),
)  # fmt: skip

_SOCKETS_ALLOWED = frozenset({1, 2, 10, 16})
"""Unix, IPv4, IPv6 and netlink: these belong to the network namespace. VSOCK, for one, doesn't."""
_SOCKET_KINDS = 64

SOCKETS = tuple(
    Refused(
        f"open sockets of kind {kind}", ("socket", "socketpair"), "not in the namespace", (0, _LOW_WORD, kind),
        errno.EAFNOSUPPORT,
    )
    for kind in range(_SOCKET_KINDS)
    if kind not in _SOCKETS_ALLOWED
)  # fmt: skip


def filter_program(refused: Sequence[Refused], cache: Path | None = None) -> bytes:
    """BPF for this machine. Compiled once and kept in the folder `cache`: loading libseccomp takes long."""
    kept = None if cache is None else cache / f"filter-{_digest(refused)}.bpf"
    if kept is not None and kept.is_file():
        return kept.read_bytes()
    program = _compiled(refused)
    if kept is not None:
        from handrail.ports.atomic_file import replace_file

        replace_file(kept, program)
    return program


def _digest(refused: Sequence[Refused]) -> str:
    return f"{zlib.crc32(repr((os.uname().machine, *refused)).encode()):08x}"


def _compiled(refused: Sequence[Refused]) -> bytes:
    import pyseccomp

    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for one in refused:
        for call in one.calls:
            compared = [] if one.when is None else [_compared(*one.when)]
            program.add_rule(pyseccomp.ERRNO(one.answer), call, *compared)
    descriptor = os.memfd_create("filter")
    with open(descriptor, "w+b") as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _compared(index: int, mask: int, value: int) -> object:
    import pyseccomp

    return pyseccomp.Arg(index, pyseccomp.MASKED_EQ, mask, value)
