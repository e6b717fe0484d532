"""The ports to what contract 2 remembers: tasks, actions, plugins, artifacts.

What writes takes its place in the order of writes when it is called and can be awaited until it is stored.
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
        """Those that run, or have an action under way, as the last server left them."""
        ...

    async def newest(self, limit: int, before: str | None = None, words: Sequence[str] = ()) -> Sequence[TaskRecord]:
        """The last changed first: those after the task `before`, in whose title or messages all `words` stand."""
        ...

    def bind(self, caller: str, task_id: str) -> Future[None]:
        """From now on, this is the caller's own task."""
        ...

    async def bound(self, caller: str) -> str | None: ...

    async def messages(self, task_id: str) -> Sequence[Message]:
        """What people and the agent said, in order: the words of its conversation, without tools and notes."""
        ...


@dataclass(frozen=True, slots=True)
class StoredAction:
    """`failure` is set where it ended in one."""

    record: ActionRecord
    failure: Failure | None = None


class ActionStore(Protocol):
    def begin(self, action: ActionRecord) -> Future[None]:
        """Conflict: an action of this id is known."""
        ...

    def end(self, action: ActionRecord, failure: Failure | None, task: TaskRecord) -> Future[None]:
        """Stores how it ended, and what its task has become."""
        ...

    async def find(self, action_id: str) -> StoredAction | None: ...

    async def last_with(self, task_id: str, name: str, limit: int) -> Sequence[ActionRecord]:
        """Those of a task that had this action in them and were carried out, the last ended first."""
        ...

    async def latest(self, task_id: str, limit: int) -> Sequence[ActionRecord]:
        """Those of a task that were carried out, the last ended first."""
        ...

    def end_interrupted(self, now: int) -> Future[int]:
        """At the start of a server: what was under way when the last one went has ended, in an error. How many."""
        ...

    def forget(self, before: int) -> Future[None]:
        """Actions that ended before that go."""
        ...


@dataclass(frozen=True, slots=True)
class PairedPlugin:
    """A plugin that may connect with a token of its own, of which only the hash is kept."""

    client_id: str
    extension_id: str
    name: str
    token_hash: str
    created_at: int
    is_launched: bool = False
    """handrail has started this browser itself, so it holds the other end of its debugger."""
    is_enrolled: bool = False
    """A person lets this browser's window confirm what reaches far."""


class PluginStore(Protocol):
    def save(self, plugin: PluginRecord) -> Future[None]: ...

    async def all(self) -> Sequence[PluginRecord]: ...

    def pair(self, plugin: PairedPlugin) -> Future[None]:
        """Replaces what was paired as this client before."""
        ...

    def unpair(self, client_id: str) -> Future[None]: ...

    async def paired(self) -> Sequence[PairedPlugin]: ...


@dataclass(frozen=True, slots=True)
class ArtifactRecord:
    """Times in milliseconds since 1970. `digest` is set once it was uploaded."""

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
        """Ids of those whose time is over and whose files may still be there."""
        ...

    def forget(self, before: int) -> Future[None]:
        """Those whose time was over before that are no longer told from ones that never were."""
        ...


class SharedPluginStore(PluginStore, Protocol):
    """Of several servers, each of which holds some of the browsers."""

    def hold(self, plugin: PluginRecord) -> Future[None]:
        """From now on, this server alone writes about the browser: what another had under way there has ended."""
        ...

    def release(self, client_id: str, server: str | None = None) -> Future[None]:
        """This server no longer has it, or that one."""
        ...

    async def holder_of(self, client_id: str) -> str | None:
        """The server that said that it has it."""
        ...

    async def next(self, but: Sequence[str] = ()) -> str | None:
        """For a new task: the one that a person has chosen, otherwise of those that are there the longest unused."""
        ...

    async def choose(self, client_id: str) -> None:
        """For new tasks, whenever it is there."""
        ...


class BrowserPeers(Peers, Protocol):
    """The servers of a team, reached by the browser that one of them holds."""

    async def make_code(self, code: str) -> None:
        """Lets it pair one browser, at any server, within ten minutes."""
        ...

    async def use_code(self, code: str) -> bool:
        """Whether it was there, and not too old."""
        ...

    def follow_paired(self, tell: Callable[[Sequence[PairedPlugin]], None]) -> None:
        """`tell` gets all that are paired, now and whenever a server has changed that."""
        ...


@dataclass(frozen=True, slots=True)
class SharedBrowsers:
    """What the servers of a team have in addition."""

    plugins: SharedPluginStore
    peers: BrowserPeers
    address: str = ""
    """The team's own, under which plugins upload and download; empty: each server's."""


@dataclass(frozen=True, slots=True)
class SharedRunStores:
    """Which of a team's servers works on which run, and the way to it."""

    leases: RunLeases
    peers: Peers


@dataclass(frozen=True, slots=True)
class BrowserStores:
    """All of it, in one database; `artifact_files` holds the bytes of artifacts."""

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
