"""All stores of one user, for any project. A team's stores have the same fields."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from handrail.ports.agents import Agents
from handrail.ports.browser_store import BrowserStores
from handrail.ports.consents import Consents
from handrail.ports.grants import TaskGrants
from handrail.ports.journal import Journal
from handrail.ports.node import Memberships
from handrail.ports.policy import Rule
from handrail.ports.presence import Presence
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.push import PushSubscriptions
from handrail.ports.questions import QuestionCounter
from handrail.ports.record import RecordStores
from handrail.ports.secrets import SecretStore
from handrail.ports.task_owners import TaskOwners
from handrail.ports.team import TeamStores
from handrail.ports.tokens import OneTimeClaims, TokenStore


class RunningServer(Protocol):
    """The server of this state directory, as it published itself; it may have died since."""

    @property
    def pid(self) -> int: ...

    @property
    def host(self) -> str: ...

    @property
    def port(self) -> int: ...

    @property
    def token(self) -> str: ...

    @property
    def url(self) -> str: ...

    @property
    def is_running(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Stores:
    """`lock` is a lock by name, held by one process; enter `watching` while a person looks at the queue.

    `credentials` are the headers with which a person's own program authenticates to the running server.
    """

    path: Path
    tokens: TokenStore
    once: OneTimeClaims
    consents: Consents
    agents: Agents
    task_owners: TaskOwners
    questions: QuestionCounter
    prompts: PromptQueue
    presence: Presence
    """Decides which answers need proof that a person is present."""
    secrets: SecretStore
    push: PushSubscriptions
    """The browsers that get notifications."""
    audit: Journal
    record: Callable[[], RecordStores]
    """The stores that protect the audit from outside."""
    browser: Callable[[], BrowserStores]
    lock: Callable[[str, float], AbstractContextManager[None]]
    watching: Callable[[], AbstractContextManager[None]]
    is_watched: Callable[[], bool]
    running_server: Callable[[], RunningServer | None]
    credentials: Callable[[], dict[str, str]]
    set_choice: Callable[..., None]
    """Writes settings to `config.toml`, by their names."""
    allow: Callable[[str, Rule], Awaitable[None]]
    """Adds a rule to `config.toml`, with a comment for people."""
    rules: Callable[[], Sequence[Rule]]
    """The rules of `config.toml` in their order. Blocks."""
    remove_rule: Callable[[Rule], bool]
    """Returns whether it existed. Takes effect with the next call, in every process. Blocks."""
    grants: TaskGrants
    watch_audit: Callable[[], AbstractAsyncContextManager[Any]]
    """While inside, reports when the audit may have grown."""
    format: int
    close: Callable[[], None]
    node: Memberships | None = None
    """The team that this machine belongs to; None on a team's server."""
    shared_rules: Any = None
    """`kernel.policy_source.SharedRules`, if several servers share rules."""
    team: TeamStores | None = None
    """Only on a team's server."""
