"""Asks the kernel about one TCP connection of this machine, over netlink (sock_diag(7)).

The lists in /proc/net have every socket of the machine, so reading them takes milliseconds.
"""

import socket
import struct

Address = tuple[str, int]
"""Host and port."""

_SOCK_DIAG = 4  # NETLINK_SOCK_DIAG
_SOCK_DIAG_BY_FAMILY, _IS_REQUEST = 20, 1
_HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence number, port
_REQUEST = struct.Struct("=BBBBI")  # inet_diag_req_v2, up to the socket's id: family, protocol, extensions, states
_ENDS = struct.Struct("!HH16s16s")  # inet_diag_sockid: ports and addresses, then interface and cookie
_ANY_INTERFACE = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
_ANY_STATE = 0xFFFFFFFF
_INODE_AT = _HEADER.size + 4 + _ENDS.size + len(_ANY_INTERFACE) + 16  # inet_diag_msg: after timers, queues and uid
_LONGEST_ANSWER = 4096


def inode_of(near: Address, far: Address) -> int | None:
    """The inode of the socket at the near end; None if there is no such connection. OSError without sock_diag."""
    family = socket.AF_INET6 if ":" in near[0] else socket.AF_INET
    hosts = (socket.inet_pton(family, host).ljust(16, b"\0") for host, _ in (near, far))
    request = _REQUEST.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY_STATE)
    request += _ENDS.pack(near[1], far[1], *hosts) + _ANY_INTERFACE
    header = _HEADER.pack(_HEADER.size + len(request), _SOCK_DIAG_BY_FAMILY, _IS_REQUEST, 0, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _SOCK_DIAG) as kernel:
        kernel.sendto(header + request, (0, 0))
        answer = kernel.recv(_LONGEST_ANSWER)
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        return None
    inode: int = struct.unpack_from("=I", answer, _INODE_AT)[0]
    return inode or None
