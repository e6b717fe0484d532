"""System calls that the supervisor makes for the agent: connections, servers, and modes and times of files.

Each handler uses arguments that were read once and descriptors that it holds, so the agent can't swap anything in
between.
"""

import ctypes
import errno
import ipaddress
import os
import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from handrail.features.cage.narrow.allowed_files import AllowedFiles
from handrail.features.cage.narrow.notifications import Notification
from handrail.features.cage.narrow.processes import is_own_server

_UNSPECIFIED, _UNIX, _IPV4, _IPV6, _NETLINK = 0, 1, 2, 10, 16
_LONGEST_ADDRESS = 128
_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _AT_EMPTY_PATH, _IN_DONT_FOLLOW = -100, 0x100, 0x1000, 0x02000000
_CONNECT_SECONDS = 5.0
_LOOPBACK = ipaddress.ip_address("127.0.0.1")
_libc = ctypes.CDLL(None, use_errno=True)

SyscallHandler = Callable[[Notification], int]
Times = Sequence[tuple[int, ...]]
"""Access and modification time, in seconds and nanoseconds."""


class SyscallHandlers:
    """Each method returns the call's value or raises OSError, whose number the agent gets."""

    def __init__(self, places: AllowedFiles, endpoint: tuple[int, int], hooks: str) -> None:
        """`endpoint` is the port that the agent uses and the one where handrail listens, `hooks` the hooks' socket."""
        self._files = places
        self._endpoint = endpoint
        self._hooks = os.fsencode(hooks)

    def connect(self, notification: Notification) -> int:
        address = _address(notification)
        with _copy_descriptor(notification) as own:
            if _family(address) == _UNIX:
                return self._connect_unix(notification, own, address)
            return _call_with_timeout("connect", own, self._reachable(address))

    def _reachable(self, address: bytes) -> bytes:
        if _family(address) in (_UNSPECIFIED, _NETLINK):
            return address
        host, port = _parse_internet_address(address)
        if not (host.is_loopback or host.is_unspecified):
            raise OSError(errno.ENETUNREACH, "only handrail can be reached")
        if port == self._endpoint[0]:
            return _with_port(address, port=self._endpoint[1])
        if not is_own_server(port):
            raise OSError(errno.ECONNREFUSED, "no program of the agent listens there")
        return address

    def _connect_unix(self, notification: Notification, own: int, address: bytes) -> int:
        path = _unix_path(address)
        if path == self._hooks:
            return _call_with_timeout("connect", own, address)
        with self._files.open(os.fsdecode(path), notification) as place:
            return _call_with_timeout("connect", own, struct.pack("H", _UNIX) + place.path)

    def bind(self, notification: Notification) -> int:
        address = _address(notification)
        with _copy_descriptor(notification) as own:
            if _family(address) == _UNIX:
                folder, slash, name = os.fsdecode(_unix_path(address)).rpartition("/")
                with self._files.open(folder or slash or ".", notification) as place:
                    os.fchdir(place.descriptor)  # so that the socket keeps the name that the agent gave it
                    try:
                        return _call_with_timeout("bind", own, struct.pack("H", _UNIX) + os.fsencode(name))
                    finally:
                        os.chdir("/")
            if _family(address) == _NETLINK:
                return _call_with_timeout("bind", own, address)
            host, _ = _parse_internet_address(address)
            if not (host.is_loopback or host.is_unspecified):
                raise OSError(errno.EACCES, "servers inside may only listen on loopback")
            return _bind_to_loopback(own, address, host)

    def listen(self, notification: Notification) -> int:
        """Only a socket bound to loopback may listen: an unbound one would listen on all addresses."""
        with _copy_descriptor(notification) as own:
            name = ctypes.create_string_buffer(_LONGEST_ADDRESS)
            size = ctypes.c_uint(_LONGEST_ADDRESS)
            _checked_result(_libc.getsockname(own, name, ctypes.byref(size)))
            address = name.raw[: size.value]
            if _family(address) != _UNIX and not _parse_internet_address(address)[0].is_loopback:
                raise OSError(errno.EACCES, "servers inside may only listen on loopback")
            return _checked_result(_libc.listen(own, ctypes.c_int(notification.arguments[1])))

    def chmod(self, notification: Notification) -> int:
        return self._chmod(notification, _AT_FDCWD, notification.arguments[0], notification.arguments[1])

    def fchmodat(self, notification: Notification) -> int:
        return self._chmod(
            notification, notification.arguments[0], notification.arguments[1], notification.arguments[2]
        )

    def fchmodat2(self, notification: Notification) -> int:
        return self._chmod(notification, *notification.arguments[:4])

    def fchmod(self, notification: Notification) -> int:
        with self._files.open_descriptor(notification, notification.arguments[0]) as place:
            return _checked_result(_libc.chmod(place.path, notification.arguments[1]))

    def _chmod(self, notification: Notification, folder: int, path: int, mode: int, flags: int = 0) -> int:
        with self._target_path(notification, folder, path, flags) as place:
            return _checked_result(_libc.chmod(place, mode))

    def utime(self, notification: Notification) -> int:
        path, times = notification.arguments[:2]
        pair = [(seconds, 0) for seconds in struct.unpack("2q", notification.memory(times, 16))] if times else None
        return self._set_times(notification, _AT_FDCWD, path, pair)

    def utimes(self, notification: Notification) -> int:
        return self._set_times(
            notification,
            _AT_FDCWD,
            notification.arguments[0],
            _from_microseconds(notification, notification.arguments[1]),
        )

    def futimesat(self, notification: Notification) -> int:
        folder, path, times = notification.arguments[:3]
        return self._set_times(notification, folder, path, _from_microseconds(notification, times))

    def utimensat(self, notification: Notification) -> int:
        folder, path, times, flags = notification.arguments[:4]
        pair = struct.iter_unpack("2q", notification.memory(times, 32)) if times else None
        return self._set_times(notification, folder, path, None if pair is None else [*pair], flags)

    def _set_times(
        self, notification: Notification, folder: int, path: int, times: Times | None, flags: int = 0
    ) -> int:
        packed = None if times is None else b"".join(struct.pack("2q", *each) for each in times)
        with self._target_path(notification, folder, path, flags) as place:
            return _checked_result(_libc.utimensat(ctypes.c_int(_AT_FDCWD), place, packed, 0))

    def inotify_add_watch(self, notification: Notification) -> int:
        """Any file that may be read may be watched."""
        number, path, mask = notification.arguments[:3]
        text = os.fsdecode(notification.path(path))
        is_link = bool(mask & _IN_DONT_FOLLOW)
        with (
            self._files.open(text, notification, is_link=is_link, is_read=True) as place,
            _copy_descriptor(notification, number) as watching,
        ):
            return _checked_result(_libc.inotify_add_watch(watching, place.path, mask & ~_IN_DONT_FOLLOW & 0xFFFFFFFF))

    @contextmanager
    def _target_path(self, notification: Notification, folder: int, path: int, flags: int) -> Iterator[bytes]:
        text = notification.path(path) if path else b""
        if not text:
            if path and not flags & _AT_EMPTY_PATH:
                raise OSError(errno.ENOENT, "no path")
            with self._files.open_descriptor(notification, folder) as place:
                yield place.path
            return
        is_link = bool(flags & _AT_SYMLINK_NOFOLLOW)
        with self._files.open(os.fsdecode(text), notification, _signed(folder), is_link=is_link) as place:
            yield place.path


def _signed(number: int) -> int:
    return ctypes.c_int(number & 0xFFFFFFFF).value


def _from_microseconds(notification: Notification, times: int) -> Times | None:
    if not times:
        return None
    return [(seconds, micro * 1000) for seconds, micro in struct.iter_unpack("2q", notification.memory(times, 32))]


def _address(notification: Notification) -> bytes:
    size = notification.arguments[2]
    if not 2 <= size <= _LONGEST_ADDRESS:
        raise OSError(errno.EINVAL, "not an address")
    return notification.memory(notification.arguments[1], size)


def _family(address: bytes) -> int:
    if len(address) < 2:
        raise OSError(errno.EINVAL, "not an address")
    return int.from_bytes(address[:2], "little")


def _parse_internet_address(address: bytes) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    """Returns host and port. A mapped IPv6 address counts as its IPv4 address."""
    port = int.from_bytes(address[2:4], "big")
    if _family(address) == _IPV4 and len(address) >= 8:
        return ipaddress.IPv4Address(address[4:8]), port
    if _family(address) == _IPV6 and len(address) >= 24:
        host = ipaddress.IPv6Address(address[8:24])
        return host.ipv4_mapped or host, port
    raise OSError(errno.EAFNOSUPPORT, "this kind of address isn't allowed")


def _with_port(address: bytes, *, port: int) -> bytes:
    return address[:2] + port.to_bytes(2, "big") + address[4:]


def _unix_path(address: bytes) -> bytes:
    path = address[2:]
    if not path or path.startswith(b"\0"):
        raise OSError(errno.ECONNREFUSED, "sockets need a path inside")
    return path.partition(b"\0")[0]


def _bind_to_loopback(own: int, address: bytes, host: ipaddress.IPv4Address | ipaddress.IPv6Address) -> int:
    """Limits servers for all addresses to this machine."""
    if host.is_loopback:
        return _call_with_timeout("bind", own, address)
    if _family(address) == _IPV4:
        return _call_with_timeout("bind", own, address[:4] + _LOOPBACK.packed + address[8:])
    both, six = (ipaddress.IPv6Address(text).packed for text in ("::ffff:127.0.0.1", "::1"))
    try:
        return _call_with_timeout("bind", own, address[:8] + both + address[24:])
    except OSError as error:
        if error.errno != errno.EINVAL:  # the socket accepts only IPv6
            raise
        return _call_with_timeout("bind", own, address[:8] + six + address[24:])


@contextmanager
def _copy_descriptor(notification: Notification, number: int | None = None) -> Iterator[int]:
    copy = notification.descriptor(notification.arguments[0] if number is None else number)
    try:
        yield copy
    finally:
        os.close(copy)


def _call_with_timeout(name: str, own: int, address: bytes) -> int:
    """With a time limit, because a server of the agent may not answer."""
    signal.setitimer(signal.ITIMER_REAL, _CONNECT_SECONDS)
    try:
        return _checked_result(getattr(_libc, name)(own, address, len(address)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _checked_result(value: int) -> int:
    if value < 0:
        number = ctypes.get_errno()
        raise OSError(errno.ETIMEDOUT if number == errno.EINTR else number, os.strerror(number))
    return value
