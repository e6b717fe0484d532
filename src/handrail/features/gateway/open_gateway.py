"""Opens the gateway for a project. No server is started before it is needed."""

from __future__ import annotations

import asyncio
import logging
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

logger = logging.getLogger(__name__)


def open_gateway(project: Project) -> Gateway:
    stores, settings = project.stores, project.settings_of(GatewaySettings)
    file = server_file(stores)
    limit = QuestionLimit(stores.questions, project.settings.questions_per_minute)

    def connect(server: Server, on_change: Callable[[Connection], None]) -> Connection:
        return Connection(
            server,
            channel_opener(server, stores, project.location),
            server_log(stores.path, server.name),
            stores.prompts,
            limit,
            settings.server_start_seconds,
            settings.server_call_seconds,
            on_change,
        )

    if settings.servers and (unknown := {*settings.servers} - {*file.entries(), "none"}):
        names = ", ".join(sorted(unknown))
        logger.warning("there is no MCP server named %s: `handrail servers list` shows them", names)
    reviews = Reviews(file, stores.prompts, stores.once, project.audit)
    return Gateway(file, connect, reviews, lambda: project.registry, settings.servers)


def gateway_of(project: Project) -> Gateway:
    gateway: Gateway = project.part("gateway")
    return gateway


def selects_servers(project: Project) -> bool:
    """Whether the settings select servers; their tools are then listed right away."""
    return project.settings_of(GatewaySettings).servers is not None


def server_log(state: Path, name: str) -> ServerLog:
    return ServerLog(state / LOG_FOLDER, name)


def channel_opener(server: Server, stores: Stores, folder: str) -> OpenChannel:
    """Starts the server in the project's folder, or connects to its address, with its keys from the secret store."""

    async def open_channel(session: Session, on_stderr: Callable[[bytes], None]) -> ClosableChannel:
        if server.url is not None:
            from handrail.features.gateway.backends.http import HttpChannel

            headers = {**server.headers, **await _secrets(server, stores, server.secret_headers, server.header_secret)}
            return HttpChannel(server, headers, session, stores)
        from handrail.features.gateway.backends.process import ProcessChannel

        inherited = {name: os.environ[name] for name in server.passed_env if name in os.environ}
        env = {**inherited, **server.env, **await _secrets(server, stores, server.secret_env, server.env_secret)}
        return await ProcessChannel.start(server.name, server.command, env, folder, session, on_stderr)

    return open_channel


async def _secrets(
    server: Server, stores: Stores, names: tuple[str, ...], secret_name: Callable[[str], str]
) -> dict[str, str]:
    values = dict(
        zip(names, await asyncio.gather(*(stores.secrets.get(secret_name(name)) for name in names)), strict=True)
    )
    for name, secret in values.items():
        if secret is None:
            raise AuthRequired(
                f"The server {server.name} needs {name}, which isn't stored here.",
                hint=f"Enter it with `handrail servers login {server.name}`.",
            )
    return {name: secret.reveal() for name, secret in values.items() if secret is not None}
