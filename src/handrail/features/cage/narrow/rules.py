"""The narrow cage as data: what Landlock and the system call filter keep out. Tests remove parts one by one.

Landlock doesn't cover sockets with paths, UDP, and changes of a file's mode or times. The filter refuses what the agent
doesn't need and leaves the rest to the supervisor (`syscall_handlers.py`).
"""

from typing import NamedTuple

from handrail.features.cage.narrow import landlock
from handrail.features.cage.syscalls import REFUSED_CALLS, REFUSED_SOCKETS, Condition, Refusal

_UNIX, _IPV4, _IPV6, _NETLINK = 1, 2, 10, 16
_KIND = 0xF
"""Mask for a socket's type: the other bits are flags."""
_STREAM = 1
_OTHER_KINDS = (2, 3, 4, 5, 6, 10)
_NO_SUCH_SOCKET, _NO_PERMISSION, _NO_SUCH_CALL, _NOT_SUPPORTED = 97, 1, 38, 95
_TCP = 6
_FAST_OPEN = 0x20000000
_FLAG_REQUESTS = (0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40047602, 0x40806685, 0x800C6613)
"""Set flags (two sizes), extended flags or a version (two sizes), and make a file read-only (verity) or encrypted."""


class LandlockPart(NamedTuple):
    """Flags of a Landlock ruleset, and what they keep out."""

    name: str
    keeps_out: str
    files: int = 0
    network: int = 0
    scoped: int = 0


LANDLOCK_PARTS = (
    LandlockPart("files", "all files that aren't shown", files=landlock.EVERY_FILE_RIGHT),
    LandlockPart("TCP", "connections that the supervisor doesn't make", network=landlock.TCP),
    LandlockPart("signals", "signals to other programs", scoped=landlock.SIGNALS),
    LandlockPart("abstract sockets", "sockets without a path", scoped=landlock.ABSTRACT_SOCKETS),
)


def _equal(index: int, value: int, mask: int = 0xFFFFFFFF) -> Condition:
    return Condition(index, "equal", value, mask)


def _above(index: int, value: int) -> Condition:
    return Condition(index, "above", value)


_INTERNET = tuple(
    Refusal(f"{name} other than TCP", ("socket",), "Landlock only covers TCP", conditions, _NO_SUCH_SOCKET)
    for family, name in ((_IPV4, "IPv4"), (_IPV6, "IPv6"))
    for conditions in (
        *((_equal(0, family), _equal(1, kind, _KIND)) for kind in _OTHER_KINDS),
        (_equal(0, family), _above(2, _TCP)),
    )
)
_LOCAL = tuple(
    Refusal("Unix datagrams", (call,), "each one names where it goes", (_equal(0, _UNIX), _equal(1, kind, _KIND)),
            _NO_SUCH_SOCKET)
    for call in ("socket", "socketpair")
    for kind in (2, 3)
)  # fmt: skip
NARROW_REFUSED_CALLS = (
    *REFUSED_CALLS,
    *REFUSED_SOCKETS,
    *_INTERNET,
    *_LOCAL,
    Refusal("netlink other than routes", ("socket",), "it tells about other programs",
            (_equal(0, _NETLINK), _above(2, 0)), _NO_SUCH_SOCKET),
    Refusal("data before a connection", ("sendto",), "connects without connecting",
            (_equal(3, _FAST_OPEN, _FAST_OPEN),), _NOT_SUPPORTED),
    Refusal("data before a connection", ("sendmsg",), "connects without connecting",
            (_equal(2, _FAST_OPEN, _FAST_OPEN),), _NOT_SUPPORTED),
    Refusal("data before a connection", ("sendmmsg",), "connects without connecting",
            (_equal(3, _FAST_OPEN, _FAST_OPEN),), _NOT_SUPPORTED),
    Refusal("shared memory of other programs", ("shmget", "shmat", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl",
            "semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink"), "it is the user's, not the cage's"),
    Refusal("owners of files", ("chown", "lchown", "fchown", "fchownat"), "Landlock doesn't cover it",
            error=_NO_PERMISSION),
    Refusal("attributes of files", ("setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr",
            "fremovexattr", "removexattrat"), "Landlock doesn't cover it", error=_NOT_SUPPORTED),
    *(
        Refusal("flags of files", ("ioctl",), "its owner can change them with a file opened for reading",
                (_equal(1, request),), _NOT_SUPPORTED)
        for request in _FLAG_REQUESTS
    ),
    Refusal("watch whole file systems", ("fanotify_init",), "it names other programs' files"),
    Refusal("limits of other programs", ("prlimit64",), "a limit ends a program", (_above(0, 0),), _NO_PERMISSION),
    Refusal("priorities of other programs", ("setpriority",), "groups of processes and whole users",
            (_above(0, 0),), _NO_PERMISSION),
    Refusal("disk priorities of other programs", ("ioprio_set",), "groups of processes and whole users",
            (_above(0, 1),), _NO_PERMISSION),
)  # fmt: skip

SUPERVISED_CALLS = (
    "connect", "bind", "listen", "chmod", "fchmod", "fchmodat", "fchmodat2", "utime", "utimes", "futimesat",
    "utimensat", "inotify_add_watch",
)  # fmt: skip
"""System calls that the supervisor makes for the agent, or refuses."""
