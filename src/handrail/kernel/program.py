"""The program as its faces see it: how to open and serve projects. `wiring.py` implements it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from socket import socket as Socket  # noqa: N812 - a parameter below has its name

    from handrail.kernel.approval import Approver
    from handrail.kernel.evidence import Evidence
    from handrail.kernel.feature import Feature
    from handrail.kernel.policy_source import PolicySource
    from handrail.kernel.project import Project
    from handrail.kernel.queue_approver import AskInQueue
    from handrail.kernel.registry import Registry
    from handrail.ports.files import EvidenceFolder, OverlaidFolder
    from handrail.ports.identity import Identity
    from handrail.ports.journal import Journal
    from handrail.ports.machine import Machine
    from handrail.ports.record import RecordStores
    from handrail.ports.secrets import Secret
    from handrail.ports.stores import Stores
    from handrail.ports.team import IdentityProvider, TeamStores


class ProjectReader(Protocol):
    """A project that is opened only for reading, with the same rules."""

    @property
    def files(self) -> OverlaidFolder: ...

    @property
    def policy(self) -> PolicySource: ...

    def close(self) -> None: ...


class McpApp(Protocol):
    """An ASGI app that works while `run` is entered."""

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


class OpenTeam(Protocol):
    """A team's stores, for commands."""

    @property
    def tenant(self) -> str: ...

    @property
    def team(self) -> TeamStores: ...

    @property
    def audit(self) -> Journal: ...

    def record(self) -> RecordStores: ...

    def blobs(self, prefix: str) -> EvidenceFolder: ...

    def close(self) -> None: ...


class TeamProgram(Protocol):
    """What `handrail team` does. Everything blocks."""

    def set_up(self, owner: str, tenant: str, *, has_new_password: bool) -> tuple[int, int, str | None]:
        """Creates what is missing. Returns the old and new version of the tables, and the tenant's address.

        No address if the tenant keeps the one it has.
        """
        ...

    def faults(self, database: str) -> tuple[str, Sequence[str]]:
        """What is set up, in words, and what is wrong with it."""
        ...

    def make_key(self, file: Path) -> str:
        """Makes a signing key; returns its public half."""
        ...

    def open(
        self,
        database: str,
        *,
        nats: str = "",
        blobs: str = "",
        signing_key: Path | None = None,
        public_key: str = "",
    ) -> OpenTeam: ...

    def serve(
        self,
        team: OpenTeam,
        project: Path,
        state: Path,
        *,
        host: str,
        port: int,
        url: str,
        provider: IdentityProvider | None,
        secrets: Mapping[str, Secret],
        on_ready: Callable[[str], None],
    ) -> None:
        """Serves until it is interrupted. `secrets` are for the features, by their names in the secret store."""
        ...


class Program(Protocol):
    @property
    def features(self) -> Sequence[Feature]: ...

    @property
    def machine(self) -> Machine: ...

    def describe(self) -> Registry:
        """All tools, without a project."""
        ...

    def open_stores(self, state: Path | None) -> Stores:
        """The stores of a state directory, for any project."""
        ...

    def open_project(
        self,
        folder: Path,
        state: Path | None,
        approver: Approver | AskInQueue,
        *,
        surfaces: Collection[str] | None = None,
        flags: Mapping[str, Any] | None = None,
        is_server: bool = False,
    ) -> Project:
        """`surfaces` are the features whose tools are offered, `flags` settings from the command line."""
        ...

    def open_evidence(self, folder: str) -> Evidence | None:
        """A project's evidence for reading; None if the project doesn't exist."""
        ...

    async def serve_stdio(self, project: Project) -> None:
        """Serves MCP until the client closes our stdin."""
        ...

    def mcp_endpoint(self, project: Project, identity_of: Callable[[Any], Identity]) -> McpApp:
        """MCP over streamable HTTP, to be mounted. `identity_of` returns the identity of a request."""
        ...

    async def serve_http(
        self,
        project: Project,
        on_ready: Callable[[str, str], None],
        *,
        until_unused: tuple[Callable[[], Awaitable[None]], float] | None = None,
    ) -> None:
        """Serves until it is interrupted. `on_ready` gets the server's address and the one that opens the console."""
        ...

    def serve_local(self, project: Project, path: Path) -> AbstractAsyncContextManager[None]:
        """While inside, features' services answer on a Unix socket."""
        ...

    def serve_cage(
        self, project: Project, listener: Socket, cage: str, agent_folders: Sequence[str] = ()
    ) -> AbstractAsyncContextManager[None]:
        """While inside, hooks are answered for callers in this cage, and no other service or project.

        `agent_folders` are folders of the state directory that the agent works in.
        """
        ...

    def team(self) -> TeamProgram: ...

    async def serve_lines(
        self, host: Any, socket: Path, on_ready: Callable[[], None], *, unused_seconds: float | None = None
    ) -> None:
        """Serves JSON-RPC, one message per line, on a Unix socket until it is cancelled or unused for this long."""
        ...

    def open_for_reading(self, folder: Path, state: Path | None) -> ProjectReader:
        """Creates nothing in the project or the state directory."""
        ...
