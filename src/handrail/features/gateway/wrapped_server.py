"""A server that a client starts through handrail: known by its command, and accepted like any other."""

import os
from collections.abc import Sequence

from handrail.features.gateway.gateway import Gateway
from handrail.features.gateway.model import Server, checked
from handrail.features.gateway.server_file import Entry
from handrail.features.gateway.servers import plain_name
from handrail.ports.errors import Conflict
from handrail.ports.waiting import run_in_thread

_LAUNCHERS = frozenset({"npx", "npm", "pnpm", "bunx", "uvx", "uv", "node", "python", "python3", "docker", "env", "run"})
_DIGITS = 8


def wrapped_server(command: Sequence[str], name: str | None, passed: Sequence[str]) -> Server:
    """Without a name it gets one from its command, and another command is another server."""
    server = Server(name=name or "wrapped", command=tuple(command), passed_env=tuple(passed))
    if name is None:
        stem = plain_name(_program_in(command))[: 32 - _DIGITS - 1].rstrip("-")
        server = Server(name=f"{stem}-{server.digest[:_DIGITS]}", command=server.command, passed_env=server.passed_env)
    return checked(server)


async def begin(gateway: Gateway, server: Server) -> None:
    """Its tools, as far as they are accepted, are offered under their own names. Conflict: the name is another's."""

    def change(entries: dict[str, Entry]) -> None:
        known = entries.get(server.name)
        if known is not None and not known.is_wrapped:
            hint = "Choose another name with --name."
            raise Conflict(f"{server.name} is a server that was added with `handrail servers add`.", hint=hint)
        if known is None or known.server.digest != server.digest:
            entries[server.name] = Entry(server=server, is_wrapped=True)

    known = gateway.file.entries().get(server.name)
    if known is None or not known.is_wrapped or known.server.digest != server.digest:
        await run_in_thread(lambda: gateway.file.change(change))
    gateway.offer_unchanged(server.name)


def _program_in(command: Sequence[str]) -> str:
    """The word that says most about what is started: a package or a script behind its launcher."""
    words = [word for word in command if not word.startswith("-")]
    names = [os.path.basename(word.rstrip("/")).rpartition("@")[0] or os.path.basename(word) for word in words]
    return next((name for name in names if name not in _LAUNCHERS), names[0] if names else "server")
