"""Connects clients, for the command line and the console: shows what would be written, and what is connected."""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from handrail.features.cage.offers import cage_level
from handrail.features.clients.client import SERVER, Client, Edit, Launch, UserFolders
from handrail.features.clients.codex_trust import codex_runs_hooks, is_trusted, trust_edits
from handrail.features.clients.config_file import ConfigFile
from handrail.features.clients.connection import ClientConnections
from handrail.features.clients.connection_check import ConnectionTest, check_connection
from handrail.features.clients.known_clients import CLIENTS, CODEX, claude_folder, codex_folder
from handrail.features.hooks.offers import hook_settings
from handrail.ports.errors import Failure, InvalidParams, NotFound

if TYPE_CHECKING:
    from handrail.ports.stores import Stores

_LOCK_SECONDS = 10.0
Hooks = Literal["on", "untrusted", "off", "unsupported"]
"""`untrusted` means that they are written, but the client skips them until a person trusts them there."""
Cage = Literal["full", "narrow", "none", "unsupported"]
"""How well `handrail run` confines the client here; `unsupported` if the cage has no settings for it."""


@dataclass(frozen=True, slots=True)
class ClientState:
    """`trouble` says why a client's files can't be read; the other fields are then unknown."""

    client: Client
    is_installed: bool
    has_tools: bool = False
    hooks: Hooks = "unsupported"
    cage: Cage = "unsupported"
    others: Sequence[str] = ()
    """Names of the other MCP servers in its configuration."""
    moved: Sequence[str] = ()
    """Names of the servers that were moved behind the gate."""
    trouble: str = ""


class ClientSetup:
    """Blocks, except for `check_connection`. `lock` prevents concurrent changes from being lost."""

    def __init__(self, state: Path, lock: Callable[[], AbstractContextManager[None]] = nullcontext) -> None:
        self._state = state
        self._lock = lock
        self._home = UserFolders.of_user()
        self._connections = ClientConnections(state)

    @classmethod
    def of(cls, stores: "Stores") -> "ClientSetup":
        return cls(stores.path, lambda: stores.lock("clients", _LOCK_SECONDS))

    def states(self) -> list[ClientState]:
        return [self.state_of(client) for client in CLIENTS]

    def state_of(self, client: Client) -> ClientState:
        is_installed, cage = client.is_installed(self._home), cage_level(client.name) or "unsupported"
        try:
            tools = client.edits(self._home, self._launch(client, Path()))
            has_tools = self._connections.is_connected(client, tools)
            others, moved = list(self.other_servers(client)), list(self.moved_servers(client))
            return ClientState(client, is_installed, has_tools, self._hooks(client), cage, others, moved)
        except Failure as failure:
            return ClientState(client, is_installed, cage=cage, trouble=failure.message)

    def edits(self, client: Client, folder: Path) -> Sequence[Edit]:
        """Returns what connecting would write. `folder` is the project of a client that can't say which one is open."""
        if not folder.is_dir():
            raise InvalidParams(f"There is no folder {folder}.", hint="Name the project's folder with --project.")
        hooks = self._hook_edits(client)
        return [*client.edits(self._home, self._launch(client, folder)), *hooks, *self._trust_edits(client, hooks)]

    def connect(self, client: Client, folder: Path) -> None:
        with self._lock():
            self._connections.connect(client, self.edits(client, folder))

    async def check_connection(self, client: Client, folder: Path) -> ConnectionTest:
        """Reads once through handrail as the client's own configuration file starts it."""
        result = await check_connection(client, self._home, self._launch(client, folder), folder)
        if client.name != CODEX:
            return result
        return replace(result, runs_hooks=await codex_runs_hooks(self._hook_edits(client), folder))

    def disconnect(self, client: Client, moved: Mapping[str, Any]) -> list[str]:
        """Returns what was kept, because it was changed since. `moved` are servers' entries to restore."""
        with self._lock():
            return self._connections.disconnect(client, moved)

    def _launch(self, client: Client, folder: Path) -> Launch:
        return Launch(_program(), self._state, client.project(folder))

    def _hooks(self, client: Client) -> Hooks:
        edits = self._hook_edits(client)
        if not edits:
            return "unsupported"
        if not self._connections.is_connected(client, edits):
            return "off"
        return "on" if is_trusted(self._trust_edits(client, edits)) else "untrusted"

    def _hook_edits(self, client: Client) -> Sequence[Edit]:
        return _make_hook_edits(client.name, self._home, _program(), self._state)

    def _trust_edits(self, client: Client, hooks: Sequence[Edit]) -> Sequence[Edit]:
        if client.name != CODEX:
            return []
        return trust_edits(hooks, self._entry(client).file, self._connections.edits_of(client))

    def other_servers(self, client: Client) -> dict[str, Any]:
        """Returns the entries of other MCP servers in its configuration, by name."""
        entry = self._entry(client)
        table: Any = ConfigFile(entry.file).get(entry.keys[:-1])
        return {name: table[name] for name in sorted(table) if name != SERVER} if isinstance(table, dict) else {}

    def remove_entry(self, client: Client, name: str, server: str) -> None:
        """Removes another server's entry until the client is disconnected. `server` is its name behind the gate."""
        entry = self._entry(client)
        with self._lock():
            self._connections.remove_entry(client, entry.file, (*entry.keys[:-1], name), server)

    def moved_servers(self, client: Client) -> dict[str, str]:
        """Returns the names of the moved servers, each with its name behind the gate."""
        return {each.keys[-1]: each.value for each in self._connections.edits_of(client) if each.is_removal}

    def _entry(self, client: Client) -> Edit:
        return client.edits(self._home, self._launch(client, Path()))[0]


def launch_command(state: Path, folder: Path) -> list[str]:
    """The command that any other MCP client has to start."""
    launch = Launch(_program(), state, str(folder))
    return [launch.command, *launch.arguments]


def find_client(name: str) -> Client:
    for client in CLIENTS:
        if client.name == name:
            return client
    names = ", ".join(client.name for client in CLIENTS)
    raise NotFound(
        f"Unknown client {name!r}.",
        hint=f"handrail knows {names}. Configure any other to start `handrail mcp --project DIR`.",
    )


def _program() -> str:
    """This handrail program, by a path that doesn't depend on the client's PATH."""
    sibling = Path(sys.executable).with_name("handrail")
    return str(sibling) if sibling.exists() else shutil.which("handrail") or "handrail"


def _make_hook_edits(client: str, home: UserFolders, command: str, state: Path) -> Sequence[Edit]:
    """Empty for a client without hooks."""
    settings = hook_settings(client, [command], str(state))
    if settings is None:
        return []
    file = _config_path(home, settings.file)
    if settings.text is not None:
        return [Edit(file, (), settings.text, is_executable=settings.is_executable)]
    other_edits = [Edit(file, (name,), value) for name, value in settings.top.items()]
    entries = settings.entries.items()
    return [*other_edits, *(Edit(file, (*settings.keys, event), item, is_item=True) for event, item in entries)]


def _config_path(home: UserFolders, file: str) -> Path:
    """`file` is relative to the user's home; some clients, and the XDG variables, can move it."""
    folder, _, rest = file.partition("/")
    locations = {".claude": claude_folder(home), ".codex": codex_folder(home), ".config": home.config}
    return locations[folder] / rest if folder in locations else home.folder / file
