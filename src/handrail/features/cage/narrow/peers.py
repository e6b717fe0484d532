"""Who is at the other end of a connection on loopback."""

import os
import re
import socket
import sys

_LOOKS = 3
"""The kernel's lists change while they are read, and may lack a line."""
_MAPPED = b"0000000000000000FFFF0000"
"""Java, for one, connects to IPv4 addresses from sockets of IPv6."""

Address = tuple[str, int]


def is_same_user(peer: Address, own: Address) -> bool:
    """Whether the socket at `peer` that is connected to `own` belongs to our own user. False where nothing says so.

    Both ends are compared: another connection from the same port may have ended just now, and is listed as root's.
    """
    for _ in range(_LOOKS):
        for name, prefix in (("tcp", b""), ("tcp6", _MAPPED)):
            if (owner := _owner(name, prefix + _listed(peer), prefix + _listed(own))) is not None:
                return owner == os.geteuid()
    return False


def _owner(name: str, local: bytes, remote: bytes) -> int | None:
    """Between both and the owner are the state, the queues, a timer and retries."""
    try:
        with open(f"/proc/self/net/{name}", "rb") as file:
            found = re.search(rb" %b %b [0-9A-F]{2} +\S+ +\S+ +\S+ +(\d+) " % (local, remote), file.read())
    except OSError:
        return None
    return None if found is None else int(found[1])


def _listed(address: Address) -> bytes:
    number = int.from_bytes(socket.inet_aton(address[0]), sys.byteorder)
    return b"%08X:%04X" % (number, address[1])
