"""The system calls that the cage refuses, as data, and the filter that the kernel gets.

Everything else is allowed: compilers, debuggers and browsers use nearly all calls, and namespaces confine them.
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
_NEW_CALL_NUMBERS = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466}
"""Numbers (the same on every machine) of calls that the C library may not know yet."""
_NEWEST_CALL = 466
"""Calls added to Linux later fail as on an older kernel."""
_LOAD_NUMBER, _JUMP_IF_ABOVE, _RETURN, _ERROR = 0x20, 0x25, 0x06, 0x00050000
_LOW_WORD = 0xFFFFFFFF


class Condition:
    """On one argument: equal to `value` in the bits of `mask`, or above `value`."""

    def __init__(self, index: int, kind: Literal["equal", "above"], value: int, mask: int = _LOW_WORD) -> None:
        self.index = index
        self.kind = kind
        self.value = value
        self.mask = mask


class Refusal:
    """`calls` fail with `error` if all conditions are met."""

    def __init__(
        self, name: str, calls: tuple[str, ...], why: str, when: tuple[Condition, ...] = (), error: int = errno.ENOSYS
    ) -> None:
        self.name = name
        self.calls = calls
        self.why = why
        self.when = when
        self.error = error


def _has_bits(index: int, bits: int) -> tuple[Condition]:
    return (Condition(index, "equal", bits, bits),)


def _equals(index: int, value: int) -> tuple[Condition]:
    return (Condition(index, "equal", value),)


REFUSED_CALLS = (
    Refusal("type into a terminal", ("ioctl",), "TIOCSTI types in the person's name", _equals(1, 0x5412)),
    Refusal("use the console's selection", ("ioctl",), "TIOCLINUX pastes into a console", _equals(1, 0x541C)),
    Refusal("use kernel keys", ("keyctl", "add_key", "request_key"), "keyrings are the user's, not the namespace's"),
    Refusal("load programs into the kernel", ("bpf",), "attack surface"),
    Refusal("watch performance events", ("perf_event_open",), "attack surface, and it sees other programs"),
    Refusal("handle page faults", ("userfaultfd",), "makes races in the kernel easy to win"),
    Refusal("use io_uring", ("io_uring_setup", "io_uring_enter", "io_uring_register"), "goes around this filter"),
    Refusal("read the kernel's log", ("syslog",), "it tells about the whole machine"),
    Refusal(
        "mount",
        ("mount", "umount2", "pivot_root", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
         "mount_setattr"),
        "the mounts are the cage",
    ),
    Refusal("join a namespace", ("setns",), "leads out of the cage"),
    Refusal("open files by handle", ("open_by_handle_at",), "goes around every path"),
    Refusal("make a user namespace", ("unshare",), "gives capabilities", _has_bits(0, _NEW_USER), errno.EPERM),
    Refusal("start in a user namespace", ("clone",), "gives capabilities", _has_bits(0, _NEW_USER), errno.EPERM),
    Refusal("start by clone3", ("clone3",), "its flags can't be filtered; programs fall back to clone"),
)  # fmt: skip

_SOCKETS_ALLOWED = frozenset({1, 2, 10, 16})
"""Unix, IPv4, IPv6 and netlink belong to the network namespace; others, such as VSOCK, don't."""
_SOCKET_KINDS = 64

REFUSED_SOCKETS = tuple(
    Refusal(
        f"open sockets of kind {kind}", ("socket", "socketpair"), "not in the namespace", _equals(0, kind),
        errno.EAFNOSUPPORT,
    )
    for kind in range(_SOCKET_KINDS)
    if kind not in _SOCKETS_ALLOWED
)  # fmt: skip


def filter_program(refused: Sequence[Refusal], cache: str | None = None, supervised: Sequence[str] = ()) -> bytes:
    """Returns BPF for this machine; calls of `supervised` go to a listener.

    It is compiled once and stored in the folder `cache`, because importing libseccomp takes long.
    """
    cached = None if cache is None else _cache_file(refused, cache, supervised)
    if cached is not None and os.path.isfile(cached):
        with open(cached, "rb") as file:
            return file.read()
    program = _compile(refused, supervised)
    if cached is not None:
        from pathlib import Path

        from handrail.ports.atomic_file import replace_file

        replace_file(Path(cached), program)
    return program


def verify_cached_filter(refused: Sequence[Refusal], cache: str) -> None:
    """Recompiles the filter that a cage got from the cache. Damaged, and it is removed, if they differ.

    Done while the agent runs: waiting for libseccomp would take longer than the rest of the start.
    """
    from handrail.ports.errors import Damaged

    cached = _cache_file(refused, cache, ())
    with open(cached, "rb") as file:
        is_same = file.read() == _compile(refused, ())
    if not is_same:
        os.unlink(cached)
        raise Damaged(
            f"The cage was ended: a program had changed its filter of system calls ({cached}).",
            hint="It is made again at the next start. Find out which program writes to the state directory.",
        )


def _cache_file(refused: Sequence[Refusal], cache: str, supervised: Sequence[str]) -> str:
    return f"{cache}/filter-{_digest(refused, supervised)}.bpf"


def _digest(refused: Sequence[Refusal], supervised: Sequence[str]) -> str:
    rules = [(call.calls, call.error, [vars(each) for each in call.when]) for call in refused]
    return f"{zlib.crc32(repr((os.uname().machine, *supervised, *rules)).encode()):08x}"


def _compile(refused: Sequence[Refusal], supervised: Sequence[str]) -> bytes:
    import pyseccomp

    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for rule in refused:
        for call in filter(None, map(number_of, rule.calls)):
            program.add_rule(pyseccomp.ERRNO(rule.error), call, *(_argument_condition(each) for each in rule.when))
    for call in filter(None, map(number_of, supervised)):
        program.add_rule(pyseccomp.NOTIFY, call)
    descriptor = os.memfd_create("filter")
    with open(descriptor, "w+b") as file:
        program.export_bpf(file)
        file.seek(0)
        return _newer_calls_refused() + file.read()


def _newer_calls_refused() -> bytes:
    """Returns the filter's first instructions."""
    steps = ((_LOAD_NUMBER, 0, 0, 0), (_JUMP_IF_ABOVE, 0, 1, _NEWEST_CALL), (_RETURN, 0, 0, _ERROR | errno.ENOSYS))
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def number_of(call: str) -> int | None:
    """None if this machine doesn't have the call."""
    import pyseccomp

    number = pyseccomp.resolve_syscall(pyseccomp.system_arch(), call)
    return number if isinstance(number, int) and number > 0 else _NEW_CALL_NUMBERS.get(call)


def _argument_condition(condition: Condition) -> object:
    import pyseccomp

    if condition.kind == "above":
        return pyseccomp.Arg(condition.index, pyseccomp.GT, condition.value)
    return pyseccomp.Arg(condition.index, pyseccomp.MASKED_EQ, condition.mask, condition.value)
