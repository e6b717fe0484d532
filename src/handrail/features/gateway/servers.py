"""Servers as a person manages them, on the command line and in the console: added, looked at, accepted, removed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from handrail.features.gateway.connection import Connection
from handrail.features.gateway.model import Server, checked
from handrail.features.gateway.open_gateway import log_of, opening_channel
from handrail.features.gateway.review import Difference, Reviews, difference
from handrail.features.gateway.server_file import Entry, ServerFile, server_file
from handrail.features.gateway.settings import GatewaySettings
from handrail.features.gateway.sign_in import sign_in_secret
from handrail.kernel.access import record_access
from handrail.kernel.audit import Audit
from handrail.kernel.question_limit import QuestionLimit
from handrail.ports.errors import Conflict, InvalidParams
from handrail.ports.waiting import run_in_thread

if TYPE_CHECKING:
    from handrail.features.gateway.connection import Live
    from handrail.ports.identity import Caller
    from handrail.ports.secrets import Secret
    from handrail.ports.stores import Stores


@dataclass(frozen=True, slots=True)
class Servers:
    """What a person changes is in the audit. A server is started in `folder` to be looked at."""

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
        """`keys` are the values of its secret variables or headers, by name. InvalidParams, Conflict."""
        checked(server)

        def change(entries: dict[str, Entry]) -> None:
            if server.name in entries and not replaces:
                hint = f"Choose another name, or remove it first with `handrail servers remove {server.name}`."
                raise Conflict(f"There is a server named {server.name} already.", hint=hint)
            entries[server.name] = Entry(server=server, is_wrapped=is_wrapped)

        await run_in_thread(lambda: self.file.change(change))
        await self.keep_keys(server, keys)
        await record_access(self.audit, by, f"added the server {server.name}: {server.place}"[:2000])

    async def keep_keys(self, server: Server, keys: Mapping[str, Secret]) -> None:
        for names, secret_name in (
            (server.secret_env, server.env_secret),
            (server.secret_headers, server.header_secret),
        ):
            for name in names:
                if name in keys:
                    await self.stores.secrets.put(secret_name(name), keys[name])

    async def remove(self, name: str, by: Caller) -> None:
        """With its keys, its sign-in and its log. NotFound."""
        server = self.file.find(name).server
        await run_in_thread(lambda: self.file.change(lambda entries: entries.pop(name, None)))
        for secret in (*server.secrets, sign_in_secret(name)):
            await self.stores.secrets.forget(secret)
        await run_in_thread(log_of(self.stores.path, name).forget)
        await record_access(self.audit, by, f"removed the server {name}")

    async def look(self, name: str) -> Difference:
        """Starts it, and compares what it offers with what was accepted. NotFound, Offline, …"""
        entry = self.file.find(name)
        async with self._running(entry.server) as live:
            for each in live.offered.left_out:
                log_of(self.stores.path, name).add(f"[handrail] not offered: {each}")
            return difference(entry.server, entry.valid, live.offered.definitions)

    async def accept(self, found: Difference, by: Caller, *, trusts_marks: bool = True) -> None:
        reviews = Reviews(self.file, self.stores.prompts, self.stores.once, self.audit)
        await reviews.accept(found, by.name, by, trusts_marks=trusts_marks)
        gone = set(found.gone)
        if gone:
            await run_in_thread(lambda: self.file.drop(found.server, gone))

    async def distrust(self, name: str, keys: set[str], by: Caller) -> None:
        """Its marks count no more: these, or all that is accepted, ask before each call."""

        def change(entries: dict[str, Entry]) -> None:
            entry = entries[name]
            kept = {
                key: msgspec.structs.replace(each, reads=each.reads and bool(keys) and key not in keys)
                for key, each in entry.accepted.items()
            }
            entries[name] = msgspec.structs.replace(entry, accepted=kept)

        self.file.find(name)
        await run_in_thread(lambda: self.file.change(change))
        await record_access(self.audit, by, f"asks about every call of the server {name}")

    def list(self) -> list[dict[str, Any]]:
        return [_described(entry) for entry in self.file.entries().values()]

    def show(self, name: str) -> dict[str, Any]:
        entry = self.file.find(name)
        accepted = [
            {"reads": each.reads, "at": each.at, "by": each.by, **msgspec.to_builtins(each.definition)}
            for each in entry.valid.values()
        ]
        return {**_described(entry), "accepted": accepted}

    async def log(self, name: str, lines: int) -> Sequence[str]:
        self.file.find(name)
        return await asyncio.to_thread(log_of(self.stores.path, name).read, lines)

    @asynccontextmanager
    async def _running(self, server: Server) -> AsyncIterator[Live]:
        connection = Connection(
            server,
            opening_channel(server, self.stores, self.folder),
            log_of(self.stores.path, server.name),
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


def servers_in(
    stores: Stores, folder: str, settings: GatewaySettings | None = None, audit: Audit | None = None
) -> Servers:
    return Servers(stores, server_file(stores), audit or Audit(stores.audit), folder, settings or GatewaySettings())


def server_of_entry(name: str, entry: Mapping[str, Any], source: str) -> tuple[Server, dict[str, str]]:
    """A server as clients write it down, and the values of its variables and headers, which are kept as secrets.

    Understands the forms of all clients that `handrail connect` knows. InvalidParams.
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
        name=plain_name(name),
        command=tuple(words) if url is None else (),
        url=url,
        secret_env=tuple(env) if url is None else (),
        secret_headers=tuple(headers) if url is not None else (),
        source=source,
    )
    return checked(server), {**(env if url is None else headers)}


def _is_pair(part: tuple[Any, ...]) -> bool:
    return all(isinstance(each, str) for each in part)


def plain_name(name: str) -> str:
    """The nearest name that a server can have here."""
    kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in name.lower()).strip("-")
    return kept[:32].rstrip("-") or "server"


def _described(entry: Entry) -> dict[str, Any]:
    server, valid = entry.server, entry.valid
    tools = [each for each in valid.values() if each.definition.kind == "tool"]
    shown = {
        "name": server.name,
        "place": server.place,
        "transport": "http" if server.url is not None else "stdio",
        "keys": [*server.secret_env, *server.secret_headers],
        "tools": len(tools),
        "reads": sum(each.reads for each in tools),
        "isWrapped": entry.is_wrapped,
    }
    return {**shown, "source": server.source} if server.source else shown
