"""The system calls that the cage refuses, as data, and the filter that the kernel gets.

Everything else is allowed: compilers, debuggers and browsers use nearly all of it, and namespaces keep it inside.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

_NEW_USER = 0x10000000
_NEWER = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466}
"""Numbers, the same on every machine, of calls that the C library may not know yet."""
_LAST_KNOWN = 466
"""Calls that are newer than this page fail as on an older kernel."""
_LOAD_NUMBER, _JUMP_IF_ABOVE, _RETURN, _ERROR = 0x20, 0x25, 0x06, 0x00050000
_LOW_WORD = 0xFFFFFFFF


class Condition:
    """On the argument at this place: it is `value` where `mask` has bits, or it is above `value`."""

    def __init__(self, place: int, kind: Literal["equal", "above"], value: int, mask: int = _LOW_WORD) -> None:
        self.place = place
        self.kind = kind
        self.value = value
        self.mask = mask


class Refused:
    """`calls` fail with `answer` where all conditions hold."""

    def __init__(
        self, name: str, calls: tuple[str, ...], why: str, when: tuple[Condition, ...] = (), answer: int = errno.ENOSYS
    ) -> None:
        self.name = name
        self.calls = calls
        self.why = why
        self.when = when
        self.answer = answer


def _has(place: int, bits: int) -> tuple[Condition]:
    return (Condition(place, "equal", bits, bits),)


def _is(place: int, value: int) -> tuple[Condition]:
    return (Condition(place, "equal", value),)


REFUSED = (
    Refused("type into a terminal", ("ioctl",), "TIOCSTI types in the person's name", _is(1, 0x5412)),
    Refused("use the console's selection", ("ioctl",), "TIOCLINUX pastes into a console", _is(1, 0x541C)),
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
    Refused("open files by handle", ("open_by_handle_at",), "goes around every path"),
    Refused("make a user namespace", ("unshare",), "gives capabilities", _has(0, _NEW_USER), errno.EPERM),
    Refused("start in a user namespace", ("clone",), "gives capabilities", _has(0, _NEW_USER), errno.EPERM),
    Refused("start by clone3", ("clone3",), "its flags can't be filtered; programs fall back to clone"),
)  # fmt: skip

_SOCKETS_ALLOWED = frozenset({1, 2, 10, 16})
"""Unix, IPv4, IPv6 and netlink: these belong to the network namespace. VSOCK, for one, doesn't."""
_SOCKET_KINDS = 64

SOCKETS = tuple(
    Refused(
        f"open sockets of kind {kind}", ("socket", "socketpair"), "not in the namespace", _is(0, kind),
        errno.EAFNOSUPPORT,
    )
    for kind in range(_SOCKET_KINDS)
    if kind not in _SOCKETS_ALLOWED
)  # fmt: skip


def filter_program(refused: Sequence[Refused], cache: str | None = None, asked: Sequence[str] = ()) -> bytes:
    """BPF for this machine, in which the calls `asked` go to a listener. Compiled once and kept in the folder `cache`:

    loading libseccomp takes long.
    """
    kept = None if cache is None else _place(refused, cache, asked)
    if kept is not None and os.path.isfile(kept):
        with open(kept, "rb") as file:
            return file.read()
    program = _compiled(refused, asked)
    if kept is not None:
        from pathlib import Path

        from handrail.ports.atomic_file import replace_file

        replace_file(Path(kept), program)
    return program


def check_kept(refused: Sequence[Refused], cache: str) -> None:
    """Compiles the filter that a cage has got from the folder once more. Damaged, and it is removed, if it was another.

    Done beside the running agent: to wait for libseccomp would take longer than all the rest of the start.
    """
    from handrail.ports.errors import Damaged

    kept = _place(refused, cache, ())
    with open(kept, "rb") as file:
        is_same = file.read() == _compiled(refused, ())
    if not is_same:
        os.unlink(kept)
        raise Damaged(
            f"The cage was ended: somebody had changed its filter of system calls ({kept}).",
            hint="It is made again at the next start. Find out which program writes to the state directory.",
        )


def _place(refused: Sequence[Refused], cache: str, asked: Sequence[str]) -> str:
    return f"{cache}/filter-{_digest(refused, asked)}.bpf"


def _digest(refused: Sequence[Refused], asked: Sequence[str]) -> str:
    told = [(one.calls, one.answer, [vars(each) for each in one.when]) for one in refused]
    return f"{zlib.crc32(repr((os.uname().machine, *asked, *told)).encode()):08x}"


def _compiled(refused: Sequence[Refused], asked: Sequence[str]) -> bytes:
    import pyseccomp

    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for one in refused:
        for call in filter(None, map(number_of, one.calls)):
            program.add_rule(pyseccomp.ERRNO(one.answer), call, *(_compared(each) for each in one.when))
    for call in filter(None, map(number_of, asked)):
        program.add_rule(pyseccomp.NOTIFY, call)
    descriptor = os.memfd_create("filter")
    with open(descriptor, "w+b") as file:
        program.export_bpf(file)
        file.seek(0)
        return _newer_refused() + file.read()


def _newer_refused() -> bytes:
    """The filter's first instructions."""
    steps = ((_LOAD_NUMBER, 0, 0, 0), (_JUMP_IF_ABOVE, 0, 1, _LAST_KNOWN), (_RETURN, 0, 0, _ERROR | errno.ENOSYS))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def number_of(call: str) -> int | None:
    """None where this machine doesn't have it."""
    import pyseccomp

    found = pyseccomp.resolve_syscall(pyseccomp.system_arch(), call)
    return found if isinstance(found, int) and found > 0 else _NEWER.get(call)


def _compared(condition: Condition) -> object:
    import pyseccomp

    if condition.kind == "above":
        return pyseccomp.Arg(condition.place, pyseccomp.GT, condition.value)
    return pyseccomp.Arg(condition.place, pyseccomp.MASKED_EQ, condition.mask, condition.value)
