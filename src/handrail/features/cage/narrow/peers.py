"""The owner of the other end of a loopback connection."""

import os
import re
import socket
import sys

_ATTEMPTS = 3
"""The kernel's lists change while they are read, so a line may be missing."""
_MAPPED = b"0000000000000000FFFF0000"
"""Some programs, such as Java's, connect to IPv4 addresses from IPv6 sockets."""

Address = tuple[str, int]


def is_same_user(peer: Address, own: Address) -> bool:
    """Whether the socket at `peer` that is connected to `own` belongs to our user. False if it isn't listed.

    Both ends are compared, because a connection from the same port that has just ended is listed as root's.
    """
    for _ in range(_ATTEMPTS):
        for name, prefix in (("tcp", b""), ("tcp6", _MAPPED)):
            if (owner := _owner(name, prefix + _format_address(peer), prefix + _format_address(own))) is not None:
                return owner == os.geteuid()
    return False


def _owner(name: str, local: bytes, remote: bytes) -> int | None:
    """The fields between the addresses and the owner are the state, the queues, a timer and retries."""
    try:
        with open(f"/proc/self/net/{name}", "rb") as file:
            match = re.search(rb" %b %b [0-9A-F]{2} +\S+ +\S+ +\S+ +(\d+) " % (local, remote), file.read())
    except OSError:
        return None
    return None if match is None else int(match[1])


def _format_address(address: Address) -> bytes:
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return b"%08X:%04X" % (number, address[1])
