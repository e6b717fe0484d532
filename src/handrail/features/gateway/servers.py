"""Managing servers, from the command line and the console: add, inspect, accept, remove."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from handrail.features.gateway.connection import Connection
from handrail.features.gateway.model import Server, validate_server
from handrail.features.gateway.open_gateway import channel_opener, server_log
from handrail.features.gateway.review import Difference, Reviews, compare_definitions
from handrail.features.gateway.server_file import Entry, ServerFile, server_file
from handrail.features.gateway.settings import GatewaySettings
from handrail.features.gateway.sign_in import sign_in_secret
from handrail.kernel.access import record_access
from handrail.kernel.audit import Audit
from handrail.kernel.question_limit import QuestionLimit
from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.waiting import run_in_thread

if TYPE_CHECKING:
    from handrail.features.gateway.connection import ConnectedServer
    from handrail.ports.identity import Caller
    from handrail.ports.secrets import Secret
    from handrail.ports.stores import Stores


@dataclass(frozen=True, slots=True)
class Servers:
    """Every change is recorded in the audit. To inspect a server, it is started in `folder`."""

    stores: Stores
    file: ServerFile
    audit: Audit
    folder: str
    settings: GatewaySettings

    async def add(
        self,
        server: Server,
        keys: Mapping[str, Secret],
        by: Caller,
        *,
        is_wrapped: bool = False,
        replaces: bool = False,
    ) -> None:
        """`keys` has the values of its secret variables or headers, by name. InvalidParams, Conflict."""
        validate_server(server)

        def change(entries: dict[str, Entry]) -> None:
            if server.name in entries and not replaces:
                hint = f"Choose another name, or remove it first with `handrail servers remove {server.name}`."
                raise Conflict(f"There is a server named {server.name} already.", hint=hint)
            entries[server.name] = Entry(server=server, is_wrapped=is_wrapped)

        await run_in_thread(lambda: self.file.change(change))
        await self.store_keys(server, keys)
        await record_access(self.audit, by, f"added the server {server.name}: {server.place}"[:2000])

    async def store_keys(self, server: Server, keys: Mapping[str, Secret]) -> None:
        for names, secret_name in (
            (server.secret_env, server.env_secret),
            (server.secret_headers, server.header_secret),
        ):
            for name in names:
                if name in keys:
                    await self.stores.secrets.put(secret_name(name), keys[name])

    async def remove(self, name: str, by: Caller) -> None:
        """Also removes its keys, its sign-in and its log. NotFound."""
        server = self.file.find(name).server
        await run_in_thread(lambda: self.file.change(lambda entries: entries.pop(name, None)))
        for secret in (*server.secrets, sign_in_secret(name)):
            await self.stores.secrets.forget(secret)
        await run_in_thread(server_log(self.stores.path, name).forget)
        await record_access(self.audit, by, f"removed the server {name}")

    async def inspect(self, name: str) -> Difference:
        """Starts the server and compares what it offers with what was accepted. NotFound, Offline, …"""
        entry = self.file.find(name)
        async with self._running(entry.server) as connected:
            for problem in connected.offering.left_out:
                server_log(self.stores.path, name).add(f"[handrail] not offered: {problem}")
            return compare_definitions(entry.server, entry.valid, connected.offering.definitions)

    async def accept(self, difference: Difference, by: Caller, *, trusts_hints: bool = True) -> None:
        reviews = Reviews(self.file, self.stores.prompts, self.stores.once, self.audit)
        await reviews.accept(difference, by.name, by, trusts_hints=trusts_hints)
        gone = set(difference.gone)
        if gone:
            await run_in_thread(lambda: self.file.drop(difference.server, gone))

    async def ask_always(self, name: str, keys: set[str], by: Caller) -> None:
        """Makes these tools, or all if `keys` is empty, ask before each call despite their read-only hints."""

        def change(entries: dict[str, Entry]) -> None:
            entry = entries[name]
            accepted = {
                key: msgspec.structs.replace(each, reads=each.reads and bool(keys) and key not in keys)
                for key, each in entry.accepted.items()
            }
            entries[name] = msgspec.structs.replace(entry, accepted=accepted)

        self.file.find(name)
        await run_in_thread(lambda: self.file.change(change))
        await record_access(self.audit, by, f"asks about every call of the server {name}")

    def list(self) -> list[dict[str, Any]]:
        return [_summary(entry) for entry in self.file.entries().values()]

    def show(self, name: str) -> dict[str, Any]:
        entry = self.file.find(name)
        accepted = [
            {"reads": each.reads, "at": each.at, "by": each.by, **msgspec.to_builtins(each.definition)}
            for each in entry.valid.values()
        ]
        return {**_summary(entry), "accepted": accepted}

    async def log(self, name: str, lines: int) -> Sequence[str]:
        self.file.find(name)
        return await asyncio.to_thread(server_log(self.stores.path, name).read, lines)

    @asynccontextmanager
    async def _running(self, server: Server) -> AsyncIterator[ConnectedServer]:
        connection = Connection(
            server,
            channel_opener(server, self.stores, self.folder),
            server_log(self.stores.path, server.name),
            self.stores.prompts,
            QuestionLimit(self.stores.questions, 1),
            self.settings.server_start_seconds,
            self.settings.server_call_seconds,
            lambda changed: None,
        )
        try:
            yield await connection.ready()
        finally:
            await connection.close()


def open_servers(
    stores: Stores, folder: str, settings: GatewaySettings | None = None, audit: Audit | None = None
) -> Servers:
    return Servers(stores, server_file(stores), audit or Audit(stores.audit), folder, settings or GatewaySettings())


def server_from_entry(name: str, entry: Mapping[str, Any], source: str) -> tuple[Server, dict[str, str]]:
    """Reads an entry in any form that `handrail connect` knows: the server, and the values to store as secrets.

    InvalidParams.
    """
    command, args = entry.get("command"), entry.get("args") or []
    words = command if isinstance(command, list) else [command, *args] if isinstance(command, str) else []
    url = next((entry[key] for key in ("url", "httpUrl", "serverUrl") if isinstance(entry.get(key), str)), None)
    env = entry.get("env") or entry.get("environment") or {}
    headers = entry.get("headers") or entry.get("http_headers") or {}
    parts = (*words, *env.items(), *headers.items()) if isinstance(env, dict) and isinstance(headers, dict) else (None,)
    if not all(isinstance(part, str) or (isinstance(part, tuple) and _is_pair(part)) for part in parts):
        raise InvalidParams(f"The entry {name!r} can't be read.", hint="It needs a command with args, or a url.")
    server = Server(
        name=to_server_name(name),
        command=tuple(words) if url is None else (),
        url=url,
        secret_env=tuple(env) if url is None else (),
        secret_headers=tuple(headers) if url is not None else (),
        source=source,
    )
    return validate_server(server), {**(env if url is None else headers)}


def _is_pair(part: tuple[Any, ...]) -> bool:
    return all(isinstance(each, str) for each in part)


def to_server_name(name: str) -> str:
    """The closest valid server name."""
    plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in name.lower()).strip("-")
    return plain[:32].rstrip("-") or "server"


def _summary(entry: Entry) -> dict[str, Any]:
    server, valid = entry.server, entry.valid
    tools = [each for each in valid.values() if each.definition.kind == "tool"]
    summary = {
        "name": server.name,
        "place": server.place,
        "transport": "http" if server.url is not None else "stdio",
        "keys": [*server.secret_env, *server.secret_headers],
        "tools": len(tools),
        "reads": sum(each.reads for each in tools),
        "isWrapped": entry.is_wrapped,
    }
    return {**summary, "source": server.source} if server.source else summary
