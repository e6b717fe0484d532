"""Identifies a caller on macOS by its audit token: pid, user, and a version that detects pid reuse."""

import os
import socket
import struct
from contextlib import suppress
from hashlib import sha256

from handrail.ports.errors import InputOutput
from handrail.ports.peers import Peer

SOL_LOCAL = 0
LOCAL_PEERTOKEN = 6
_TOKEN = struct.Struct("8I")
_EFFECTIVE_UID, _PID = 1, 5


class MacCaller:
    def __init__(self, token: bytes) -> None:
        self.peer = peer_of(token)

    @classmethod
    def of(cls, connection: socket.socket) -> "MacCaller":
        try:
            return cls(connection.getsockopt(SOL_LOCAL, LOCAL_PEERTOKEN, _TOKEN.size))
        except OSError as error:
            raise InputOutput(f"The system can't tell who is calling: {error.strerror}.") from None

    def is_alive(self) -> bool:
        with suppress(PermissionError):
            try:
                os.kill(self.peer.pid, 0)
            except ProcessLookupError:
                return False
        return True

    def program(self) -> str | None:
        """None: only compiled code can ask libproc, so no program is admitted by name."""
        return None

    def close(self) -> None:
        pass


def peer_of(token: bytes) -> Peer:
    """InputOutput if it isn't an audit token."""
    if len(token) != _TOKEN.size:
        raise InputOutput(f"An audit token has {_TOKEN.size} bytes, not {len(token)}.")
    values = _TOKEN.unpack(token)
    return Peer(values[_PID], values[_EFFECTIVE_UID], sha256(token).hexdigest())
