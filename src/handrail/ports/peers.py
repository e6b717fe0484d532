"""The port to the operating system's knowledge of the process that has connected to a local socket."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Peer:
    """A process. `digest` (64 hex digits) is unique among all processes that have ever run on this machine."""

    pid: int
    uid: int
    digest: str

    @property
    def short_digest(self) -> str:
        """For wires; never compared."""
        return self.digest[:8]


class PeerProcess(Protocol):
    """The process that opened a connection, for as long as the connection lasts."""

    @property
    def peer(self) -> Peer: ...

    def is_alive(self) -> bool:
        """False once it has ended; its pid may then belong to another process."""
        ...

    def program(self) -> str | None:
        """The program that it currently runs; None if that is unknown."""
        ...

    def close(self) -> None: ...


Identify = Callable[[socket.socket], PeerProcess]
"""InputOutput if the system doesn't identify the process; then it isn't served."""
