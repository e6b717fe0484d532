"""Who is at the other end of a local socket: the port to what the operating system knows of them.

Knows no rule about who may do what.
"""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Peer:
    """A process, told from every other one that has ever run here by `digest`: all 64 hex digits."""

    pid: int
    uid: int
    digest: str

    @property
    def short_digest(self) -> str:
        """What goes out on a wire, and is never compared."""
        return self.digest[:8]


class PeerProcess(Protocol):
    """The process that opened a connection, for as long as the connection lasts."""

    @property
    def peer(self) -> Peer: ...

    def is_alive(self) -> bool:
        """False once it has ended: from then on its pid may be another's."""
        ...

    def program(self) -> str | None:
        """The file it runs, now; None where that can't be told, or no longer."""
        ...

    def close(self) -> None: ...


Identify = Callable[[socket.socket], PeerProcess]
"""InputOutput where the system does not tell: nobody is served without a name."""
