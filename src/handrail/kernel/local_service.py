"""A service of the running server on its local socket, as a feature sees it.

A manifest's `services` maps a name to `module:function`, an `async def` that takes a `LocalSession` and serves it until
it returns. What the caller says about itself is in `hello`; who it is, the operating system has said.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.kernel.project import Project
from handrail.ports.identity import Identity


@dataclass(frozen=True, slots=True)
class LocalCaller:
    """The process at the other end of the socket.

    `identity` is that of the agent which started it, the same for all that it starts; `session` is that of this one
    process, as over stdio. `cage` names the cage whose own socket it came through; a
    caller outside of every cage has None and can't change that.
    """

    pid: int
    uid: int
    identity: Identity
    session: Identity
    cage: str | None = None

    @property
    def words(self) -> str:
        return f"uid:{self.uid} pid:{self.pid}"


class LocalStream(Protocol):
    """Both directions of one connection. Sizes are bounded before anything is parsed."""

    async def read(self) -> bytes:
        """Some bytes; none at the end of the stream."""
        ...

    async def read_line(self) -> bytes | None:
        """Without its LF; None at the end of the stream."""
        ...

    async def read_exactly(self, size: int) -> bytes:
        """InvalidParams where the stream ends before."""
        ...

    async def write(self, data: bytes) -> None: ...

    async def closed(self) -> None:
        """Returns when the caller has closed the connection. What it sends until then is lost."""
        ...


@dataclass(frozen=True, slots=True)
class LocalSession:
    """One connection, after its hello. `project` is the one that `hello` names, open."""

    project: Project
    caller: LocalCaller
    hello: Mapping[str, Any]
    stream: LocalStream


Service = Callable[[LocalSession], Awaitable[None]]
