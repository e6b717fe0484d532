"""Identifies a caller on Linux: SO_PEERCRED gives its process, and a pidfd and the start time detect pid reuse."""

import os
import select
import socket
import struct
from hashlib import sha256
from pathlib import Path

from handrail.ports.errors import InputOutput
from handrail.ports.peers import Peer

SO_PEERPIDFD = 77  # Linux 6.5; Python 3.11 has no name for it
_CREDENTIALS = struct.Struct("iII")
_START_TIME = 22 - 3  # field 22 of proc(5), counted after the name, which may contain spaces


class LinuxCaller:
    def __init__(self, peer: Peer, pidfd: int) -> None:
        self.peer = peer
        self._pidfd = pidfd

    @classmethod
    def of(cls, connection: socket.socket) -> "LinuxCaller":
        """Raises InputOutput for a process that has already ended, because its pid may be reused."""
        try:
            data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
            pid, uid, _ = _CREDENTIALS.unpack(data)
            pidfd = _pidfd(connection, pid)
        except OSError as error:
            raise InputOutput(f"The system can't tell who is calling: {error.strerror}.") from None
        try:
            started = start_ticks(Path(f"/proc/{pid}/stat").read_bytes())
            caller = cls(Peer(pid, uid, process_digest(_boot_id(), pid, started, uid)), pidfd)
            if not caller.is_alive():  # then /proc may have described another process
                raise ProcessLookupError(3, "it has ended")
        except (OSError, ValueError, IndexError) as error:
            os.close(pidfd)
            raise InputOutput(f"The process {pid} can't be inspected: {error}.") from None
        return caller

    def is_alive(self) -> bool:
        """A pidfd becomes readable when its process ends."""
        if self._pidfd < 0:
            return False
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return not poll.poll(0)

    def program(self) -> str | None:
        try:
            path = os.readlink(f"/proc/{self.peer.pid}/exe")
        except OSError:
            return None
        return path if self.is_alive() else None

    def close(self) -> None:
        pidfd, self._pidfd = self._pidfd, -1
        if pidfd >= 0:
            os.close(pidfd)


def process_digest(boot_id: str, pid: int, started: int, uid: int) -> str:
    return sha256(f"{boot_id}\n{pid}\n{started}\n{uid}\n".encode()).hexdigest()


def start_ticks(stat: bytes) -> int:
    return int(stat.rpartition(b")")[2].split()[_START_TIME])


def _pidfd(connection: socket.socket, pid: int) -> int:
    """The pidfd from the kernel if supported, because a pid may be reused before it is opened."""
    try:
        (fd,) = struct.unpack("i", connection.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD, 4))
        return int(fd)
    except OSError:
        return os.pidfd_open(pid)


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
