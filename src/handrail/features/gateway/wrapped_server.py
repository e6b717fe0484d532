"""A server that a client starts through handrail: identified by its command, and accepted like any other."""

import os
from collections.abc import Sequence

from handrail.features.gateway.gateway import Gateway
from handrail.features.gateway.model import Server, validate_server
from handrail.features.gateway.server_file import Entry
from handrail.features.gateway.servers import to_server_name
from handrail.ports.errors import Conflict
from handrail.ports.waiting import run_in_thread

_LAUNCHERS = frozenset({"npx", "npm", "pnpm", "bunx", "uvx", "uv", "node", "python", "python3", "docker", "env", "run"})
_DIGITS = 8


def wrapped_server(command: Sequence[str], name: str | None, inherited: Sequence[str]) -> Server:
    """Without `name`, the server is named after its command; a different command is a different server."""
    server = Server(name=name or "wrapped", command=tuple(command), passed_env=tuple(inherited))
    if name is None:
        stem = to_server_name(_program_in(command))[: 32 - _DIGITS - 1].rstrip("-")
        server = Server(name=f"{stem}-{server.digest[:_DIGITS]}", command=server.command, passed_env=server.passed_env)
    return validate_server(server)


async def offer_wrapped_server(gateway: Gateway, server: Server) -> None:
    """Offers its accepted tools under their own names. Conflict: the name belongs to another server."""

    def change(entries: dict[str, Entry]) -> None:
        existing = entries.get(server.name)
        if existing is not None and not existing.is_wrapped:
            hint = "Choose another name with --name."
            raise Conflict(f"{server.name} is a server that was added with `handrail servers add`.", hint=hint)
        if existing is None or existing.server.digest != server.digest:
            entries[server.name] = Entry(server=server, is_wrapped=True)

    existing = gateway.file.entries().get(server.name)
    if existing is None or not existing.is_wrapped or existing.server.digest != server.digest:
        await run_in_thread(lambda: gateway.file.change(change))
    gateway.offer_only(server.name)


def _program_in(command: Sequence[str]) -> str:
    """The most telling word of the command: a package or a script, not its launcher."""
    words = [word for word in command if not word.startswith("-")]
    names = [os.path.basename(word.rstrip("/")).rpartition("@")[0] or os.path.basename(word) for word in words]
    return next((name for name in names if name not in _LAUNCHERS), names[0] if names else "server")
