"""The TCP ports with listeners in this process's network namespace."""

from collections.abc import Iterator

_LISTENING = "0A"


def listening_ports() -> set[int]:
    return {port for port, _ in listening_sockets()}


def listening_sockets() -> Iterator[tuple[int, str]]:
    """Yields ports with their sockets' inodes."""
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/self/net/{name}", encoding="ascii") as file:
                lines = file.readlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            if fields[3] == _LISTENING:
                yield int(fields[1].rpartition(":")[2], 16), fields[9]
