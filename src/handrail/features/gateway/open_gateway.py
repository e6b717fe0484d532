"""Opens the gateway for a project. No server is started before it is needed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.features.gateway.connection import Connection
from handrail.features.gateway.gateway import Gateway
from handrail.features.gateway.review import Reviews
from handrail.features.gateway.server_file import server_file
from handrail.features.gateway.server_log import ServerLog
from handrail.features.gateway.settings import GatewaySettings
from handrail.kernel.question_limit import QuestionLimit
from handrail.ports.errors import AuthRequired

if TYPE_CHECKING:
    from pathlib import Path

    from handrail.features.gateway.connection import ClosableChannel, OpenChannel
    from handrail.features.gateway.model import Server
    from handrail.features.gateway.session import Session
    from handrail.kernel.project import Project
    from handrail.ports.stores import Stores

LOG_FOLDER = "servers"


def open_gateway(project: Project) -> Gateway:
    stores, settings = project.stores, project.settings_of(GatewaySettings)
    file = server_file(stores)
    limit = QuestionLimit(stores.questions, project.settings.questions_per_minute)

    def connect(server: Server, changed: Callable[[Connection], None]) -> Connection:
        return Connection(
            server,
            opening_channel(server, stores, project.location),
            log_of(stores.path, server.name),
            stores.prompts,
            limit,
            settings.server_start_seconds,
            settings.server_call_seconds,
            changed,
        )

    reviews = Reviews(file, stores.prompts, stores.once, project.audit)
    return Gateway(file, connect, reviews, lambda: project.registry, settings.servers)


def offered_tools(project: Project) -> Gateway:
    gateway: Gateway = project.part("gateway")
    return gateway


def names_servers(project: Project) -> bool:
    """Whoever names servers wants their tools in the list."""
    return project.settings_of(GatewaySettings).servers is not None


def servers_of(project: Project) -> Gateway:
    """For other features: the servers of this project."""
    return offered_tools(project)


def log_of(state: Path, name: str) -> ServerLog:
    return ServerLog(state / LOG_FOLDER, name)


def opening_channel(server: Server, stores: Stores, folder: str) -> OpenChannel:
    """Starts the server in the project's folder, or reaches it at its address, with its keys from the secret store."""

    async def open_channel(session: Session, said: Callable[[bytes], None]) -> ClosableChannel:
        if server.url is not None:
            from handrail.features.gateway.backends.http import HttpChannel

            headers = {**server.headers, **await _secrets(server, stores, server.secret_headers, server.header_secret)}
            return HttpChannel(server, headers, session, stores)
        from handrail.features.gateway.backends.process import ProcessChannel

        passed = {name: os.environ[name] for name in server.passed_env if name in os.environ}
        env = {**passed, **server.env, **await _secrets(server, stores, server.secret_env, server.env_secret)}
        return await ProcessChannel.start(server.name, server.command, env, folder, session, said)

    return open_channel


async def _secrets(
    server: Server, stores: Stores, names: tuple[str, ...], secret_name: Callable[[str], str]
) -> dict[str, str]:
    found = await asyncio.gather(*(stores.secrets.get(secret_name(name)) for name in names))
    for name, secret in zip(names, found, strict=True):
        if secret is None:
            raise AuthRequired(
                f"The server {server.name} needs {name}, which isn't kept here.",
                hint=f"Enter it with `handrail servers login {server.name}`.",
            )
    return {name: secret.reveal() for name, secret in zip(names, found, strict=True) if secret is not None}
