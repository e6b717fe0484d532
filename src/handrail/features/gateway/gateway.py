"""The servers of one project: the tools that they provide, and the connections that carry the calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from handrail.features.gateway.connection import Connection
from handrail.features.gateway.definitions import RESOURCES
from handrail.features.gateway.dialect import DIALECT
from handrail.features.gateway.review import SERVER_FACE, Difference, Reviews, ask_quietly, compare_definitions
from handrail.features.gateway.server_tools import PinnedDefinition, ServerResources, as_tool
from handrail.kernel.call import Call
from handrail.kernel.tool import ResourceKind, Surface, Tool
from handrail.ports.errors import Changed, Failure, NotFound
from handrail.ports.identity import Caller

if TYPE_CHECKING:
    from handrail.features.gateway.model import Server
    from handrail.features.gateway.server_file import Entries, Entry, ServerFile
    from handrail.kernel.registry import Registry

_MAX_CHANGE_REVIEWS = 3

logger = logging.getLogger(__name__)

Connect = Callable[["Server", Callable[[Connection], None]], Connection]


class Gateway:
    """The part that the gateway's tools get, and the project's `DynamicTools`. Offers only what a person accepted."""

    def __init__(
        self,
        file: ServerFile,
        connect: Connect,
        reviews: Reviews,
        registry: Callable[[], Registry],
        selected: Sequence[str] | None = None,
    ) -> None:
        self.file = file
        self.registry = registry
        self.reviews = reviews
        self._connect = connect
        self._selected = selected
        self._only_server: str | None = None
        self._connections: dict[str, Connection] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._built_from: Entries | None = None
        self._tools: dict[str, Tool[Any, Any]] = {}
        self._aliases: dict[str, Tool[Any, Any]] = {}
        self._sources: dict[str, tuple[str, str, bool]] = {}
        self._prompts: list[Tool[Any, Any]] = []
        self._resources: list[ResourceKind] = []
        self._listeners: list[Callable[[], None]] = []
        self._change_counts: dict[str, int] = {}
        self._asking: set[str] = set()
        self._review_tasks: set[asyncio.Task[None]] = set()
        self.surface = Surface("gateway", DIALECT, self, ())

    def offer_only(self, name: str) -> None:
        """Offers only this server's tools, under their own names, for `handrail wrap`."""
        self._only_server, self._built_from = name, None

    # DynamicTools

    def tools(self) -> Sequence[Tool[Any, Any]]:
        self._build()
        return list(self._tools.values())

    def prompts(self) -> Sequence[Tool[Any, Any]]:
        self._build()
        return self._prompts

    def resources(self) -> Sequence[ResourceKind]:
        self._build()
        return self._resources

    def find(self, name: str) -> Tool[Any, Any] | None:
        self._build()
        return self._tools.get(name) or self._aliases.get(name)

    def on_change(self, changed: Callable[[], None]) -> None:
        self._listeners.append(changed)

    # Transports

    async def ensure_current(self, pinned: PinnedDefinition, call: Call) -> None:
        """Asks a person if the server has changed this definition. Declined, Changed, NotFound."""
        connection = self.connection(pinned.server)
        offered = (await connection.ready()).offering.definitions
        now = offered.get(pinned.definition.key)
        if now is None:
            raise NotFound(f"{pinned.server.name} no longer has the {pinned.definition.label}.")
        if now.digest == pinned.digest:
            return
        difference = Difference(pinned.server, {now.key: (pinned.definition, now)}, {}, {})
        await call.progress(f"{pinned.server.name} has changed this tool. Waiting for a person to review it.")
        await self.reviews.ask(difference, call.caller)
        self.notify_change()
        raise Changed(
            f"{pinned.server.name} had changed {pinned.definition.label}, and a person has accepted it.",
            hint="Read its definition again, and repeat the call.",
        )

    async def verified_connection(self, pinned: PinnedDefinition) -> Connection:
        """Returns the connection after a last check, right before a call is sent. Changed."""
        key, connection = pinned.definition.key, self.connection(pinned.server)
        now = (await connection.ready()).offering.definitions.get(key)
        # The file is read last, because a person may have revoked their acceptance while we waited.
        entry = self.file.entries().get(pinned.server.name)
        accepted = None if entry is None else entry.valid.get(key)
        if (
            entry is None
            or accepted is None
            or now is None
            or entry.server.digest != pinned.server.digest
            or accepted.reads is not pinned.reads
            or {accepted.definition.digest, now.digest} != {pinned.digest}
        ):
            raise Changed(f"{pinned.server.name} changed {pinned.definition.label} just now.", hint="Call it again.")
        return connection

    def connection(self, server: Server) -> Connection:
        """One per server, replaced when the server's command or address has changed."""
        existing = self._connections.get(server.name)
        if existing is not None and existing.server.digest == server.digest:
            return existing
        if existing is not None:
            self._end(existing)
        self._connections[server.name] = connection = self._connect(server, self._on_change)
        return connection

    async def review(self, server: Server) -> Difference:
        """Compares what the server offers with what was accepted. Starts the server."""
        offering = (await self.connection(server).ready()).offering
        return compare_definitions(server, self.file.find(server.name).valid, offering.definitions)

    async def ask_to_accept(self, name: str, caller: Caller) -> None:
        """Asks a person about everything that isn't accepted yet, and offers it once they accept."""
        try:
            difference = await self.review(self.file.find(name).server)
            if not difference.is_empty and await ask_quietly(self.reviews, difference, caller):
                self.notify_change()
        except Failure as failure:
            logger.warning("the server %s can't be reviewed: %s", name, failure.message)

    def notify_change(self) -> None:
        for changed in self._listeners:
            changed()

    async def disconnect(self) -> None:
        """Stops every server that was started."""
        connections, self._connections = list(self._connections.values()), {}
        for task in self._review_tasks:
            task.cancel()
        ending = (*self._review_tasks, *self._closing)
        await asyncio.gather(*(each.close() for each in connections), *ending, return_exceptions=True)

    def _on_change(self, connection: Connection) -> None:
        """A server has announced a change. Unchanged definitions stay available; a person is asked about the rest.

        A server that keeps changing gets a few reviews; later ones happen only when a changed tool is called.
        """
        name = connection.server.name
        self._change_counts[name] = self._change_counts.get(name, 0) + 1
        if self._change_counts[name] <= _MAX_CHANGE_REVIEWS and name not in self._asking:
            self._asking.add(name)
            task = asyncio.get_running_loop().create_task(self._review_change(name))
            self._review_tasks.add(task)
            task.add_done_callback(self._review_tasks.discard)

    async def _review_change(self, name: str) -> None:
        try:
            await self.ask_to_accept(name, Caller(SERVER_FACE, name, "list_changed", f"server:{name}"))
        finally:
            self._asking.discard(name)

    def _end(self, connection: Connection) -> None:
        task = asyncio.get_running_loop().create_task(connection.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    # What is offered

    def _build(self) -> None:
        """Rebuilds the lists when the file has changed. Unchanged tools stay the same objects."""
        try:
            entries = self.file.entries()
        except Failure as failure:
            logger.error("no server is offered: %s", failure.message)
            entries = {}
        if entries is self._built_from:
            return
        before = {**self._tools, **{each.name: each for each in self._prompts}}
        self._built_from, self._tools, self._aliases, self._prompts, self._resources = entries, {}, {}, [], []
        for entry in self._offered(entries):
            self._add(entry, before)

    def _add(self, entry: Entry, before: Mapping[str, Tool[Any, Any]]) -> None:
        server, is_unchanged = entry.server, self._only_server is not None
        for accepted in entry.valid.values():
            if accepted.definition.kind == "resources":
                if accepted.definition.key == RESOURCES.key:
                    self._resources.append(ServerResources(server, accepted, keeps_names=is_unchanged).kind())
                continue
            tool = as_tool(server, accepted, keeps_names=is_unchanged)
            source = server.digest, accepted.definition.digest, accepted.reads
            if tool.name in before and self._sources.get(tool.name) == source:
                tool = before[tool.name]
            self._sources[tool.name] = source
            if accepted.definition.kind == "prompt":
                self._prompts.append(tool)
            elif tool.alias in self._aliases:
                logger.warning("%s is not offered: another tool has the same short name", tool.name)
            else:
                self._tools[tool.name] = self._aliases[tool.alias] = tool

    def _offered(self, entries: Entries) -> list[Entry]:
        if self._only_server is not None:
            return [entry for name, entry in entries.items() if name == self._only_server]
        return [
            entry
            for name, entry in entries.items()
            if not entry.is_wrapped and (self._selected is None or name in self._selected)
        ]
