"""What the host's methods share, and the three kinds of methods there are."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.host.confirmation import Confirmation
from handrail.features.desktop.host.execution import Execution, Executions
from handrail.features.desktop.host.params import ConfirmedParams, Meta, Params
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.search import Search, Subject
from handrail.features.desktop.host.source import DesktopSource
from handrail.features.desktop.platform import Delivery, Desktop
from handrail.kernel.audit import Audit
from handrail.ports.files import Folder
from handrail.ports.peers import Caller
from handrail.ports.prompts import PromptQueue
from handrail.ports.tokens import Once

Result = dict[str, Any]


@dataclass(slots=True)
class Services:
    version: str
    source: DesktopSource
    confirmation: Confirmation
    prompts: PromptQueue
    once: Once
    audit: Audit
    refs: ElementRefs = field(default_factory=ElementRefs)
    executions: Executions = field(default_factory=Executions)
    input_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """There is one keyboard and one pointer, whatever the number of workspaces."""

    async def search(self) -> Search:
        return Search(await self.source.get(), self.refs)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that is well formed and may be made here."""

    rpc_id: str
    caller: Caller
    workspace: Folder
    meta: Meta


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A method that leaves no evidence; where it may have to wait, it keeps the time itself."""

    name: str
    params: type[Params]
    run: Callable[[Services, Visit, Any], Awaitable[Result]]
    at_once: Callable[[Services, Visit, Any], Result | None] | None = None
    """The answer from what is known already, where that suffices: it costs no task."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A method that has an executionId, can be aborted and leaves evidence, but not of `unrecorded` members."""

    name: str
    params: type[Params]
    run: Callable[[Services, Execution, Any], Awaitable[Result]]
    unrecorded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Action:
    """A method that touches an app: it needs a confirmation and has its turn in the workspace's lane."""

    name: str
    params: type[ConfirmedParams]
    done: str
    """The member of the result that says it was delivered."""
    subject: Callable[[Services, Any], Awaitable[Subject]]
    """What these parameters mean now."""
    deliver: Callable[[Desktop, Execution, Subject, Any], Awaitable[Delivery | None]]
    needs_front: Callable[[Subject], bool] = lambda subject: True
    check: Callable[[Any, str], None] = lambda params, at: None
    """InvalidParams for what the types can't tell; `at` is where the parameters stand."""


Method = Inquiry | Reading | Action
