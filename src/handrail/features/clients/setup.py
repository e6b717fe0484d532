"""Connects clients, for the command line and the console: what would be written, what is connected, and how far."""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from handrail.features.cage.offers import cage_level
from handrail.features.clients.client import SERVER, Client, Edit, Home, Launch
from handrail.features.clients.codex_trust import codex_runs, is_trusted, trust_edits
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.connection import Connections
from handrail.features.clients.connection_check import Trial, try_connection
from handrail.features.clients.hook_edits import hook_edits
from handrail.features.clients.known_clients import CLIENTS, CODEX
from handrail.ports.errors import Failure, InvalidParams, NotFound

if TYPE_CHECKING:
    from handrail.ports.stores import Stores

_PATIENCE_SECONDS = 10.0
Hooks = Literal["on", "untrusted", "off", "unsupported"]
"""`untrusted`: written, and the client skips them until a person trusts them there."""
Cage = Literal["full", "narrow", "none", "unsupported"]
"""How well `handrail run` confines it here; `unsupported`: its settings in the cage aren't known."""


@dataclass(frozen=True, slots=True)
class ClientState:
    """`trouble` says why a client's files can't be read; then nothing else is known about the connection."""

    client: Client
    is_found: bool
    has_tools: bool = False
    hooks: Hooks = "unsupported"
    cage: Cage = "unsupported"
    others: Sequence[str] = ()
    """Names of other MCP servers in its configuration."""
    moved: Sequence[str] = ()
    """Names of those that were moved behind the gate."""
    trouble: str = ""


class ClientSetup:
    """Blocks, except for `try_out`. `lock` keeps two who connect at once from losing what the other wrote."""

    def __init__(self, state: Path, lock: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._state = state
        self._lock = lock
        self._home = Home.of_user()
        self._connections = Connections(state)

    @classmethod
    def of(cls, stores: "Stores") -> "ClientSetup":
        return cls(stores.path, lambda: stores.lock("clients", _PATIENCE_SECONDS))

    def states(self) -> list[ClientState]:
        return [self.state_of(client) for client in CLIENTS]

    def state_of(self, client: Client) -> ClientState:
        is_found, cage = client.is_found(self._home), cage_level(client.name) or "unsupported"
        try:
            tools = client.edits(self._home, self._launch(client, Path()))
            has_tools = self._connections.has(client, tools)
            others, moved = list(self.other_servers(client)), list(self.taken_out(client))
            return ClientState(client, is_found, has_tools, self._hooks(client), cage, others, moved)
        except Failure as failure:
            return ClientState(client, is_found, cage=cage, trouble=failure.message)

    def edits(self, client: Client, folder: Path) -> Sequence[Edit]:
        """What connecting would write. `folder` is the project of a client that can't say which one is open."""
        if not folder.is_dir():
            raise InvalidParams(f"There is no folder {folder}.", hint="Name the project's folder with --project.")
        hooks = self._hook_edits(client)
        return [*client.edits(self._home, self._launch(client, folder)), *hooks, *self._trust_edits(client, hooks)]

    def connect(self, client: Client, folder: Path) -> None:
        with self._lock():
            self._connections.connect(client, self.edits(client, folder))

    async def try_out(self, client: Client, folder: Path) -> Trial:
        """A read through what the client's own configuration file says."""
        trial = await try_connection(client, self._home, self._launch(client, folder), folder)
        if client.name != CODEX:
            return trial
        return replace(trial, runs_hooks=await codex_runs(self._hook_edits(client), folder))

    def disconnect(self, client: Client, moved: Mapping[str, Any]) -> list[str]:
        """What was left as it is, because somebody changed it since. `moved` are entries of servers to put back."""
        with self._lock():
            return self._connections.disconnect(client, moved)

    def _launch(self, client: Client, folder: Path) -> Launch:
        return Launch(_program(), self._state, client.project(folder))

    def _hooks(self, client: Client) -> Hooks:
        edits = self._hook_edits(client)
        if not edits:
            return "unsupported"
        if not self._connections.has(client, edits):
            return "off"
        return "on" if is_trusted(self._trust_edits(client, edits)) else "untrusted"

    def _hook_edits(self, client: Client) -> Sequence[Edit]:
        return hook_edits(client.name, self._home, _program(), self._state)

    def _trust_edits(self, client: Client, hooks: Sequence[Edit]) -> Sequence[Edit]:
        if client.name != CODEX:
            return []
        return trust_edits(hooks, self._entry(client).file, self._connections.written(client))

    def other_servers(self, client: Client) -> dict[str, Any]:
        """The entries of other MCP servers in its configuration, by name."""
        entry = self._entry(client)
        table: Any = ConfigFile(entry.file).get(entry.keys[:-1])
        return {name: table[name] for name in sorted(table) if name != SERVER} if isinstance(table, dict) else {}

    def take_out(self, client: Client, name: str, server: str) -> None:
        """Removes another server's entry, until the client is disconnected. `server` is its name behind the gate."""
        entry = self._entry(client)
        with self._lock():
            self._connections.take_out(client, entry.file, (*entry.keys[:-1], name), server)

    def taken_out(self, client: Client) -> dict[str, str]:
        """The names of the servers that were moved, each with its name behind the gate."""
        return {each.keys[-1]: each.value for each in self._connections.written(client) if each.is_removal}

    def _entry(self, client: Client) -> Edit:
        return client.edits(self._home, self._launch(client, Path()))[0]


def launch_command(state: Path, folder: Path) -> list[str]:
    """What any other MCP client has to start."""
    launch = Launch(_program(), state, str(folder))
    return [launch.command, *launch.arguments]


def find(name: str) -> Client:
    for client in CLIENTS:
        if client.name == name:
            return client
    known = ", ".join(client.name for client in CLIENTS)
    raise NotFound(
        f"Unknown client {name!r}.",
        hint=f"handrail knows {known}. For any other: let it start `handrail mcp --project DIR`.",
    )


def _program() -> str:
    """This very program, by a path that does not depend on the client's PATH."""
    beside = Path(sys.executable).with_name("handrail")
    return str(beside) if beside.exists() else shutil.which("handrail") or "handrail"
