"""A feature's service on the running server's local socket.

A manifest's `services` maps a name to `module:function`, an `async def` that takes a `LocalSession` and serves it until
it returns. `hello` is what the caller says about itself; its identity comes from the operating system.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.kernel.project import Project
from handrail.ports.identity import Identity


@dataclass(frozen=True, slots=True)
class LocalCaller:
    """The process that has connected to the socket.

    `identity` belongs to the agent that started it and is the same for everything it starts; `session` belongs to this
    process, as over stdio. `cage` names the cage through whose socket it connected, None outside of cages; callers
    can't change it.
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
    """A connection in both directions. Sizes are limited before anything is parsed."""

    async def read(self) -> bytes:
        """Some bytes; empty at the end of the stream."""
        ...

    async def read_line(self) -> bytes | None:
        """A line without its LF; None at the end of the stream."""
        ...

    async def read_exactly(self, size: int) -> bytes:
        """InvalidParams if the stream ends before that."""
        ...

    async def write(self, data: bytes) -> None: ...

    @property
    def is_gone(self) -> bool:
        """Whether the caller has closed both directions, as when it was killed."""
        ...

    async def closed(self) -> None:
        """Returns when the caller has closed the connection. Anything it sends until then is dropped."""
        ...


@dataclass(frozen=True, slots=True)
class LocalSession:
    """A connection after its hello. `project` is the open project that `hello` names."""

    project: Project
    caller: LocalCaller
    hello: Mapping[str, Any]
    stream: LocalStream


Service = Callable[[LocalSession], Awaitable[None]]
