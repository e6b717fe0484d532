"""Who is at the other end of a connection on loopback."""

import os
import socket
import struct


def is_same_user(peer: tuple[str, int]) -> bool:
    """Whether the other end's socket belongs to our own user. False where the kernel doesn't say."""
    address = int.from_bytes(socket.inet_aton(peer[0]), "little" if struct.pack("H", 1)[0] else "big")
    wanted = f"{address:08X}:{peer[1]:04X}"
    try:
        with open("/proc/self/net/tcp", encoding="ascii") as file:
            for line in file:
                fields = line.split()
                if fields[1] == wanted:
                    return int(fields[7]) == os.geteuid()
    except OSError:
        return False
    return False
