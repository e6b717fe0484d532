"""Serves an open project on its wires: MCP on stdio, HTTP, the local socket and JSON-RPC."""

from __future__ import annotations

import asyncio
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from handrail.kernel.feature import load
from handrail.kernel.local_service import Service
from handrail.kernel.open_projects import OpenProjects
from handrail.kernel.project import Project, background_work
from handrail.kernel.project_gate import approver_for
from handrail.kernel.queue_approver import AskInQueue
from handrail.ports.waiting import enter_in_thread
from handrail.stores.local.peers import identify

if TYPE_CHECKING:
    from handrail.faces.http.console_key import ConsoleKey
    from handrail.faces.http.context import HttpContext
    from handrail.faces.http.server import AccessOptions
    from handrail.faces.mcp.streamable import McpEndpoint
    from handrail.kernel.program import Program
    from handrail.ports.identity import Identity
    from handrail.ports.machine import Machine

LOCAL_SOCKET = "local.sock"


class FaceWiring(ABC):
    """The part of the program that serves. The faces are imported when they are used."""

    @property
    @abstractmethod
    def machine(self) -> Machine: ...

    @abstractmethod
    def open_beside(self, project: Project, folder: str) -> Project: ...

    async def serve_stdio(self, project: Project) -> None:
        from handrail.faces.mcp.stdio import serve

        await asyncio.to_thread(self.machine.register_agent, project.stores.path)
        async with background_work(project):
            await serve(project.gate, self.machine.stdio_identity(), project.settings)

    async def serve_http(
        self,
        project: Project,
        on_ready: Callable[[str, str], None],
        *,
        console: Path | None = None,
        until_unused: tuple[Callable[[], Awaitable[None]], float] | None = None,
        access: AccessOptions | None = None,
    ) -> None:
        from handrail.faces.http.credentials import identity_of
        from handrail.faces.http.server import ServerAddress, UntilUnused, serve

        address = ServerAddress(project.stores.path, project.settings.host, project.settings.port)
        projects = self._projects(project)
        until = UntilUnused(*until_unused) if until_unused is not None else None
        async with background_work(project):
            endpoint = self.mcp_endpoint(project, identity_of)
            await serve(
                project,
                endpoint,
                lambda key: self._http_context(project, key, projects),
                address,
                on_ready,
                console_folder=console,
                until_unused=until,
                access=access,
                alongside=lambda usage: self.serve_local(
                    project, project.stores.path / LOCAL_SOCKET, usage.in_use, projects
                ),
            )

    @asynccontextmanager
    async def serve_local(
        self,
        project: Project,
        path: Path,
        in_use: Callable[[], AbstractContextManager[None]] = nullcontext,
        projects: OpenProjects | None = None,
    ) -> AsyncIterator[None]:
        from handrail.faces.jsonrpc.socket_file import open_socket
        from handrail.faces.local.caller import local_caller
        from handrail.faces.local.server import LocalServer
        from handrail.faces.mcp.local import LocalMcp
        from handrail.faces.mcp.proxy.start import SERVICE

        local_mcp = LocalMcp(lambda project: project.gate.with_approver(approver_for(project, AskInQueue())))
        services: dict[str, Callable[[], Service]] = {
            SERVICE: lambda: local_mcp.serve,
            **{
                name: partial(load, where)
                for feature in project.running_features
                for name, where in feature.services.items()
            },
        }
        projects = projects or self._projects(project)
        registered: set[str] = set()
        identify_caller = partial(local_caller, self.machine, project.stores.path, registered)
        server = LocalServer(services, projects.find, identify_caller, in_use)
        try:
            async with enter_in_thread(open_socket(path)) as listener, server.listening(listener):
                yield
        finally:
            await projects.close()

    @asynccontextmanager
    async def serve_cage(
        self, project: Project, listener: socket.socket, cage: str, agent_folders: Sequence[str] = ()
    ) -> AsyncIterator[None]:
        from handrail.faces.local.caller import local_caller
        from handrail.faces.local.server import LocalServer

        async def this_project(folder: str | None) -> Project:
            return project

        hooks = project.part("hooks")
        hooks.agent_folders, hooks.is_in_cage = tuple(map(os.path.realpath, agent_folders)), True
        services = {"hook": partial(load, project.features["hooks"].services["hook"])}
        server = LocalServer(services, this_project, partial(local_caller, self.machine, project.stores.path, set()))
        async with server.listening(listener, cage=cage):
            yield

    async def serve_lines(
        self, host: Any, socket: Path, on_ready: Callable[[], None], *, unused_seconds: float | None = None
    ) -> None:
        from handrail.faces.jsonrpc.server import serve

        await serve(host, socket, identify, on_ready, unused_seconds=unused_seconds)

    def mcp_endpoint(self, project: Project, identity_of: Callable[[Any], Identity]) -> McpEndpoint:
        from handrail.faces.mcp.streamable import McpEndpoint

        return McpEndpoint(project.gate, identity_of, project.settings)

    def _projects(self, project: Project) -> OpenProjects:
        return OpenProjects(project, lambda folder: self.open_beside(project, folder))

    def _http_context(self, project: Project, key: ConsoleKey, projects: OpenProjects) -> HttpContext:
        from handrail.faces.http.context import HttpContext
        from handrail.kernel.approval import CommandApprover

        preferred = os.environ.get("HANDRAIL_LANG", "").lower()
        return HttpContext(
            project=project,
            language=next((language for language in ("en", "zh") if preferred.startswith(language)), None),
            person=self.machine.user,
            persons_gate=project.gate.with_approver(CommandApprover()),
            trying_gate=project.gate.with_approver(approver_for(project, AskInQueue())),
            program=cast("Program", self),
            projects=projects,
            console_key=key,
        )
