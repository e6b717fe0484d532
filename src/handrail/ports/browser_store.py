"""Ports to the stores of contract 2: tasks, actions, plugins, artifacts.

Methods that write are executed in the order of their calls; awaiting their future waits until the data is stored.
"""

from asyncio import Future
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from handrail.ports.agent import RunLeases, RunStore
from handrail.ports.browser import ActionRecord, Message, PluginRecord, TaskRecord
from handrail.ports.errors import Failure
from handrail.ports.team_servers import Peers


class TaskStore(Protocol):
    def save(self, task: TaskRecord) -> Future[None]: ...

    async def find(self, task_id: str) -> TaskRecord | None: ...

    async def interrupted(self) -> Sequence[TaskRecord]:
        """Tasks that were running or had an action in progress when the last server ended."""
        ...

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        """Tasks after the task `before`, the last changed first, with all `words` in their title or messages."""
        ...

    def bind(self, caller: str, task_id: str) -> Future[None]:
        """Makes this the caller's own task."""
        ...

    async def bound(self, caller: str) -> str | None: ...

    async def messages(self, task_id: str) -> Sequence[Message]:
        """The messages of people and of the agent in order, without tool calls and notes."""
        ...


@dataclass(frozen=True, slots=True)
class StoredAction:
    """An action, and the failure in which it ended, if any."""

    record: ActionRecord
    failure: Failure | None = None


class ActionStore(Protocol):
    def begin(self, action: ActionRecord) -> Future[None]:
        """Conflict: there is an action with this id."""
        ...

    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> Future[None]:
        """Stores how it ended, and the new state of its task."""
        ...

    async def find(self, action_id: str) -> StoredAction | None: ...

    async def last_with(self, task_id: str, name: str, limit: int) -> Sequence[ActionRecord]:
        """Completed calls of a task that contained this action, the last one first."""
        ...

    async def latest(self, task_id: str, limit: int) -> Sequence[ActionRecord]:
        """Completed calls of a task, the last one first."""
        ...

    def end_interrupted(self, now: int) -> Future[None]:
        """For the start of a server: ends the last server's unfinished actions with an error."""
        ...

    def forget(self, before: int) -> Future[None]:
        """Removes actions that ended before this time."""
        ...


@dataclass(frozen=True, slots=True)
class PairedPlugin:
    """A plugin that may connect with its own token, of which only the hash is stored."""

    client_id: str
    extension_id: str
    name: str
    token_hash: str
    created_at: int
    is_launched: bool = False
    """handrail has launched this browser, so it controls the browser's debugger."""
    is_enrolled: bool = False
    """A person has allowed this browser's window to confirm far-reaching answers."""


class PluginStore(Protocol):
    def save(self, plugin: PluginRecord) -> Future[None]: ...

    async def all(self) -> Sequence[PluginRecord]: ...

    def pair(self, plugin: PairedPlugin) -> Future[None]:
        """Replaces an earlier pairing of this client."""
        ...

    def unpair(self, client_id: str) -> Future[None]: ...

    async def paired(self) -> Sequence[PairedPlugin]: ...


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """Times are in milliseconds since 1970. `digest` is set once it is uploaded."""

    artifact_id: str
    task_id: str
    kind: str
    content_type: str
    name: str
    token_hash: str
    upload_until: int
    kept_until: int
    digest: str | None = None
    size: int = 0


class ArtifactStore(Protocol):
    def add(self, artifact: ArtifactRecord) -> Future[None]: ...

    async def find(self, artifact_id: str) -> ArtifactRecord | None: ...

    def set_content(self, artifact_id: str, digest: str, size: int) -> Future[None]: ...

    async def expired(self, now: int) -> Sequence[str]:
        """Ids of expired artifacts whose files may still exist."""
        ...

    def forget(self, before: int) -> Future[None]:
        """Removes the records of artifacts that expired before this time."""
        ...


class SharedPluginStore(PluginStore, Protocol):
    """The plugins of several servers, each of which is connected to some of the browsers."""

    def hold(self, plugin: PluginRecord) -> Future[None]:
        """Only this server may write about the browser from now on; another server's actions in it have ended."""
        ...

    def release(self, client_id: str, server: str | None = None) -> Future[None]:
        """This server, or the named one, is no longer connected to it."""
        ...

    async def holder_of(self, client_id: str) -> str | None:
        """The server that is connected to it."""
        ...

    async def next(self, but: Sequence[str] = ()) -> str | None:
        """The browser for a new task: the one that a person has chosen, or the least recently used one."""
        ...

    async def choose(self, client_id: str) -> None:
        """Prefers it for new tasks whenever it is connected."""
        ...


class BrowserPeers(Peers, Protocol):
    """The servers of a team, addressed by the browser to which one of them is connected."""

    async def make_code(self, code: str) -> None:
        """The code can pair one browser, at any server, within ten minutes."""
        ...

    async def use_code(self, code: str) -> bool:
        """Uses the code up; returns whether it was valid."""
        ...

    def follow_paired(self, tell: Callable[[Sequence[PairedPlugin]], None]) -> None:
        """`tell` gets all paired plugins, now and whenever a server has changed them."""
        ...


@dataclass(frozen=True, slots=True)
class SharedBrowsers:
    """What a team's servers have in addition."""

    plugins: SharedPluginStore
    peers: BrowserPeers
    address: str = ""
    """The team's address for uploads and downloads; empty means each server's own."""


@dataclass(frozen=True, slots=True)
class SharedRunStores:
    """Which of a team's servers works on which run, and how to reach it."""

    leases: RunLeases
    peers: Peers


@dataclass(frozen=True, slots=True)
class BrowserStores:
    """All stores of contract 2, in one database; `artifact_files` has the bytes of artifacts."""

    tasks: TaskStore
    actions: ActionStore
    plugins: PluginStore
    artifacts: ArtifactStore
    artifact_files: Any
    runs: RunStore
    close: Callable[[], Awaitable[None]]
    shared: SharedBrowsers | None = None
    """Only on a team's server."""
    shared_runs: SharedRunStores | None = None
    """Only on a team's server."""
