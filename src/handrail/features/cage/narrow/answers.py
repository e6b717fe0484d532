"""What the keeper does in the agent's place: connections, servers, and modes and times of files.

Each answer acts on what was read once and on descriptors that are held, so nothing can be exchanged in between.
"""

import ctypes
import errno
import ipaddress
import os
import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from handrail.features.cage.narrow.notifications import Notification
from handrail.features.cage.narrow.places import Places
from handrail.features.cage.narrow.processes import is_own_server

_UNSPECIFIED, _UNIX, _IPV4, _IPV6, _NETLINK = 0, 1, 2, 10, 16
_LONGEST_ADDRESS = 128
_HERE, _NO_FOLLOW, _EMPTY_PATH, _DONT_FOLLOW_WATCH = -100, 0x100, 0x1000, 0x02000000
_PATIENCE_SECONDS = 5.0
_LOOPBACK = ipaddress.ip_address("127.0.0.1")
_libc = ctypes.CDLL(None, use_errno=True)

Answer = Callable[[Notification], int]
Times = Sequence[tuple[int, ...]]
"""Of the last reading and writing: seconds and nanoseconds."""


class Answers:
    """Each returns the call's value or raises OSError, whose number the agent sees."""

    def __init__(self, places: Places, endpoint: tuple[int, int], hooks: str) -> None:
        """`endpoint` is the port that the agent uses and the one where handrail listens, `hooks` the hooks' socket."""
        self._places = places
        self._endpoint = endpoint
        self._hooks = os.fsencode(hooks)

    def connect(self, asked: Notification) -> int:
        address = _address(asked)
        with _copied(asked) as own:
            if _family(address) == _UNIX:
                return self._connect_unix(asked, own, address)
            return _made("connect", own, self._reachable(address))

    def _reachable(self, address: bytes) -> bytes:
        if _family(address) in (_UNSPECIFIED, _NETLINK):
            return address
        host, port = _internet(address)
        if not (host.is_loopback or host.is_unspecified):
            raise OSError(errno.ENETUNREACH, "only handrail can be reached")
        if port == self._endpoint[0]:
            return _with(address, port=self._endpoint[1])
        if not is_own_server(port):
            raise OSError(errno.ECONNREFUSED, "nothing of the agent's listens there")
        return address

    def _connect_unix(self, asked: Notification, own: int, address: bytes) -> int:
        path = _unix_path(address)
        if path == self._hooks:
            return _made("connect", own, address)
        with self._places.held(os.fsdecode(path), asked) as place:
            return _made("connect", own, struct.pack("H", _UNIX) + place.path)

    def bind(self, asked: Notification) -> int:
        address = _address(asked)
        with _copied(asked) as own:
            if _family(address) == _UNIX:
                folder, slash, name = os.fsdecode(_unix_path(address)).rpartition("/")
                with self._places.held(folder or slash or ".", asked) as place:
                    os.fchdir(place.descriptor)  # so that the socket's own name is the one it was given
                    try:
                        return _made("bind", own, struct.pack("H", _UNIX) + os.fsencode(name))
                    finally:
                        os.chdir("/")
            if _family(address) == _NETLINK:
                return _made("bind", own, address)
            host, _ = _internet(address)
            if not (host.is_loopback or host.is_unspecified):
                raise OSError(errno.EACCES, "servers inside listen on this machine alone")
            return _bound_to_loopback(own, address, host)

    def listen(self, asked: Notification) -> int:
        """On an address of this machine: a socket that wasn't bound would listen on all."""
        with _copied(asked) as own:
            name = ctypes.create_string_buffer(_LONGEST_ADDRESS)
            size = ctypes.c_uint(_LONGEST_ADDRESS)
            _checked(_libc.getsockname(own, name, ctypes.byref(size)))
            address = name.raw[: size.value]
            if _family(address) != _UNIX and not _internet(address)[0].is_loopback:
                raise OSError(errno.EACCES, "servers inside listen on this machine alone")
            return _checked(_libc.listen(own, ctypes.c_int(asked.arguments[1])))

    def chmod(self, asked: Notification) -> int:
        return self._chmod(asked, _HERE, asked.arguments[0], asked.arguments[1])

    def fchmodat(self, asked: Notification) -> int:
        return self._chmod(asked, asked.arguments[0], asked.arguments[1], asked.arguments[2])

    def fchmodat2(self, asked: Notification) -> int:
        return self._chmod(asked, *asked.arguments[:4])

    def fchmod(self, asked: Notification) -> int:
        with self._places.held_descriptor(asked, asked.arguments[0]) as place:
            return _checked(_libc.chmod(place.path, asked.arguments[1]))

    def _chmod(self, asked: Notification, folder: int, path: int, mode: int, flags: int = 0) -> int:
        with self._found(asked, folder, path, flags) as place:
            return _checked(_libc.chmod(place, mode))

    def utime(self, asked: Notification) -> int:
        path, times = asked.arguments[:2]
        spelled = [(seconds, 0) for seconds in struct.unpack("2q", asked.memory(times, 16))] if times else None
        return self._set_times(asked, _HERE, path, spelled)

    def utimes(self, asked: Notification) -> int:
        return self._set_times(asked, _HERE, asked.arguments[0], _from_micro(asked, asked.arguments[1]))

    def futimesat(self, asked: Notification) -> int:
        folder, path, times = asked.arguments[:3]
        return self._set_times(asked, folder, path, _from_micro(asked, times))

    def utimensat(self, asked: Notification) -> int:
        folder, path, times, flags = asked.arguments[:4]
        pair = struct.iter_unpack("2q", asked.memory(times, 32)) if times else None
        return self._set_times(asked, folder, path, None if pair is None else [*pair], flags)

    def _set_times(self, asked: Notification, folder: int, path: int, times: Times | None, flags: int = 0) -> int:
        packed = None if times is None else b"".join(struct.pack("2q", *each) for each in times)
        with self._found(asked, folder, path, flags) as place:
            return _checked(_libc.utimensat(ctypes.c_int(_HERE), place, packed, 0))

    def inotify_add_watch(self, asked: Notification) -> int:
        """What may be read may be watched."""
        number, path, mask = asked.arguments[:3]
        text = os.fsdecode(asked.path(path))
        is_link = bool(mask & _DONT_FOLLOW_WATCH)
        with (
            self._places.held(text, asked, is_link=is_link, is_read=True) as place,
            _copied(asked, number) as watching,
        ):
            return _checked(_libc.inotify_add_watch(watching, place.path, mask & ~_DONT_FOLLOW_WATCH & 0xFFFFFFFF))

    @contextmanager
    def _found(self, asked: Notification, folder: int, path: int, flags: int) -> Iterator[bytes]:
        text = asked.path(path) if path else b""
        if not text:
            if path and not flags & _EMPTY_PATH:
                raise OSError(errno.ENOENT, "no path")
            with self._places.held_descriptor(asked, folder) as place:
                yield place.path
            return
        is_link = bool(flags & _NO_FOLLOW)
        with self._places.held(os.fsdecode(text), asked, _signed(folder), is_link=is_link) as place:
            yield place.path


def _signed(number: int) -> int:
    return ctypes.c_int(number & 0xFFFFFFFF).value


def _from_micro(asked: Notification, times: int) -> Times | None:
    if not times:
        return None
    return [(seconds, micro * 1000) for seconds, micro in struct.iter_unpack("2q", asked.memory(times, 32))]


def _address(asked: Notification) -> bytes:
    size = asked.arguments[2]
    if not 2 <= size <= _LONGEST_ADDRESS:
        raise OSError(errno.EINVAL, "not an address")
    return asked.memory(asked.arguments[1], size)


def _family(address: bytes) -> int:
    if len(address) < 2:
        raise OSError(errno.EINVAL, "not an address")
    return int.from_bytes(address[:2], "little")


def _internet(address: bytes) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    """Host and port; a mapped address is what it maps."""
    port = int.from_bytes(address[2:4], "big")
    if _family(address) == _IPV4 and len(address) >= 8:
        return ipaddress.IPv4Address(address[4:8]), port
    if _family(address) == _IPV6 and len(address) >= 24:
        host = ipaddress.IPv6Address(address[8:24])
        return host.ipv4_mapped or host, port
    raise OSError(errno.EAFNOSUPPORT, "this kind of address isn't allowed")


def _with(address: bytes, *, port: int) -> bytes:
    return address[:2] + port.to_bytes(2, "big") + address[4:]


def _unix_path(address: bytes) -> bytes:
    path = address[2:]
    if not path or path.startswith(b"\0"):
        raise OSError(errno.ECONNREFUSED, "sockets need a path inside")
    return path.partition(b"\0")[0]


def _bound_to_loopback(own: int, address: bytes, host: ipaddress.IPv4Address | ipaddress.IPv6Address) -> int:
    """A server for all addresses becomes one for this machine."""
    if host.is_loopback:
        return _made("bind", own, address)
    if _family(address) == _IPV4:
        return _made("bind", own, address[:4] + _LOOPBACK.packed + address[8:])
    both, six = (ipaddress.IPv6Address(text).packed for text in ("::ffff:127.0.0.1", "::1"))
    try:
        return _made("bind", own, address[:8] + both + address[24:])
    except OSError as error:
        if error.errno != errno.EINVAL:  # it is for IPv6 alone
            raise
        return _made("bind", own, address[:8] + six + address[24:])


@contextmanager
def _copied(asked: Notification, number: int | None = None) -> Iterator[int]:
    found = asked.descriptor(asked.arguments[0] if number is None else number)
    try:
        yield found
    finally:
        os.close(found)


def _made(name: str, own: int, address: bytes) -> int:
    """Not longer than a while: a server of the agent's own may not answer."""
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE_SECONDS)
    try:
        return _checked(getattr(_libc, name)(own, address, len(address)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _checked(value: int) -> int:
    if value < 0:
        number = ctypes.get_errno()
        raise OSError(errno.ETIMEDOUT if number == errno.EINTR else number, os.strerror(number))
    return value
