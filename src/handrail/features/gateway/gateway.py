"""The servers of one project: which tools they bring, and the connections that carry the calls."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from handrail.features.gateway.connection import Connection
from handrail.features.gateway.definitions import RESOURCES
from handrail.features.gateway.dialect import DIALECT
from handrail.features.gateway.review import Difference, Reviews, difference, quiet_ask
from handrail.features.gateway.server_tools import Accepting, ServerResources, as_tool
from handrail.kernel.call import Call
from handrail.kernel.tool import ResourceKind, Surface, Tool
from handrail.ports.errors import Changed, Failure, NotFound
from handrail.ports.identity import Caller

if TYPE_CHECKING:
    from handrail.features.gateway.model import Server
    from handrail.features.gateway.server_file import Entries, Entry, ServerFile
    from handrail.kernel.registry import Registry

_MOST_ANNOUNCED = 3

logger = logging.getLogger(__name__)

Connect = Callable[["Server", Callable[[Connection], None]], Connection]


class Gateway:
    """What the gateway's tools get, and its `DynamicTools`. Only what a person has accepted is offered."""

    def __init__(
        self,
        file: ServerFile,
        connect: Connect,
        reviews: Reviews,
        registry: Callable[[], Registry],
        wanted: Sequence[str] | None = None,
    ) -> None:
        self.file = file
        self.registry = registry
        self.reviews = reviews
        self._connect = connect
        self._wanted = wanted
        self._unchanged: str | None = None
        self._connections: dict[str, Connection] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._built_from: Entries | None = None
        self._tools: dict[str, Tool[Any, Any]] = {}
        self._aliases: dict[str, Tool[Any, Any]] = {}
        self._sources: dict[str, tuple[str, str, bool]] = {}
        self._prompts: list[Tool[Any, Any]] = []
        self._resources: list[ResourceKind] = []
        self._listeners: list[Callable[[], None]] = []
        self._announced: dict[str, int] = {}
        self._asking: set[str] = set()
        self._questions: set[asyncio.Task[None]] = set()
        self.surface = Surface("gateway", DIALECT, self, ())

    def offer_unchanged(self, name: str) -> None:
        """Only this server's tools, under their own names: `handrail wrap`."""
        self._unchanged, self._built_from = name, None

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

    # Connections

    async def ensure_current(self, accepting: Accepting, call: Call) -> None:
        """Asks a person where the server offers something else under this name now. Declined, Changed, NotFound."""
        connection = self.connection(accepting.server)
        offered = (await connection.ready()).offered.definitions
        now = offered.get(accepting.definition.key)
        if now is None:
            raise NotFound(f"{accepting.server.name} no longer has the {accepting.definition.label}.")
        if now.digest == accepting.digest:
            return
        found = Difference(accepting.server, {now.key: (accepting.definition, now)}, {}, {})
        await call.progress(f"{accepting.server.name} has changed this tool. Waiting for a person to look at it.")
        await self.reviews.ask(found, call.caller)
        self.tell_of_change()
        raise Changed(
            f"{accepting.server.name} had changed {accepting.definition.label}, and a person has accepted it.",
            hint="Look at its definition again, and repeat the call.",
        )

    async def current(self, accepting: Accepting) -> Connection:
        """The connection, right before a call is sent: whatever happened since it was looked at last. Changed."""
        key, connection = accepting.definition.key, self.connection(accepting.server)
        now = (await connection.ready()).offered.definitions.get(key)
        # The person's side is looked at last: what they have taken back meanwhile counts.
        entry = self.file.entries().get(accepting.server.name)
        accepted = None if entry is None else entry.valid.get(key)
        if (
            entry is None
            or accepted is None
            or now is None
            or entry.server.digest != accepting.server.digest
            or accepted.reads is not accepting.reads
            or {accepted.definition.digest, now.digest} != {accepting.digest}
        ):
            raise Changed(
                f"{accepting.server.name} changed {accepting.definition.label} meanwhile.", hint="Call it again."
            )
        return connection

    def connection(self, server: Server) -> Connection:
        """One per server. One whose command or address has changed is ended."""
        known = self._connections.get(server.name)
        if known is not None and known.server.digest == server.digest:
            return known
        if known is not None:
            self._end(known)
        self._connections[server.name] = connection = self._connect(server, self._on_offered)
        return connection

    async def review(self, server: Server, caller: Caller) -> Difference:
        """What it offers, compared with what was accepted. Starts the server."""
        offered = (await self.connection(server).ready()).offered
        return difference(server, self.file.find(server.name).valid, offered.definitions)

    async def ask_about_new(self, name: str, caller: Caller) -> None:
        """Puts everything that isn't accepted before a person, and offers it once they say yes."""
        try:
            found = await self.review(self.file.find(name).server, caller)
            if not found.is_empty and await quiet_ask(self.reviews, found, caller):
                self.tell_of_change()
        except Failure as failure:
            logger.warning("the server %s can't be reviewed: %s", name, failure.message)

    def tell_of_change(self) -> None:
        for changed in self._listeners:
            changed()

    async def disconnect(self) -> None:
        """Ends every server that was started."""
        connections, self._connections = list(self._connections.values()), {}
        for task in self._questions:
            task.cancel()
        ending = (*self._questions, *self._ending)
        await asyncio.gather(*(each.close() for each in connections), *ending, return_exceptions=True)

    def _on_offered(self, connection: Connection) -> None:
        """A server has told of a change. What is as it was accepted stays; a person is asked about the rest.

        A server that changes again and again asks a few times, and then only where somebody calls what has changed.
        """
        name = connection.server.name
        self._announced[name] = self._announced.get(name, 0) + 1
        if self._announced[name] <= _MOST_ANNOUNCED and name not in self._asking:
            self._asking.add(name)
            task = asyncio.get_running_loop().create_task(self._ask_about(name))
            self._questions.add(task)
            task.add_done_callback(self._questions.discard)

    async def _ask_about(self, name: str) -> None:
        try:
            await self.ask_about_new(name, Caller("server", name, "list_changed", f"server:{name}"))
        finally:
            self._asking.discard(name)

    def _end(self, connection: Connection) -> None:
        task = asyncio.get_running_loop().create_task(connection.close())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    # What is offered

    def _build(self) -> None:
        """From the file, whenever it has changed. What stays the same stays the same object."""
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
        server, is_unchanged = entry.server, self._unchanged is not None
        for accepted in entry.valid.values():
            if accepted.definition.kind == "resources":
                if accepted.definition.key == RESOURCES.key:
                    self._resources.append(ServerResources(server, accepted, has_own_name=is_unchanged).kind())
                continue
            tool = as_tool(server, accepted, has_own_name=is_unchanged)
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
        if self._unchanged is not None:
            return [entry for name, entry in entries.items() if name == self._unchanged]
        return [
            entry
            for name, entry in entries.items()
            if not entry.is_wrapped and (self._wanted is None or name in self._wanted)
        ]
