"""What the methods of the host share, and what a method is."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.host.confirmation import Confirmation
from handrail.features.desktop.host.executions import Execution, Executions
from handrail.features.desktop.host.params import ConfirmedParams, Meta, Params
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.sight import Sight
from handrail.features.desktop.host.source import DesktopSource
from handrail.ports.files import Folder
from handrail.ports.once import Once
from handrail.ports.peers import Caller
from handrail.ports.prompts import PromptQueue

Result = dict[str, Any]


@dataclass(slots=True)
class Equipment:
    version: str
    source: DesktopSource
    confirmation: Confirmation
    prompts: PromptQueue
    once: Once
    refs: ElementRefs = field(default_factory=ElementRefs)
    executions: Executions = field(default_factory=Executions)
    hands: asyncio.Lock = field(default_factory=asyncio.Lock)
    """There is one keyboard and one pointer, whatever the number of workspaces."""

    async def sight(self) -> Sight:
        return Sight(await self.source.get(), self.refs)


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
    run: Callable[[Equipment, Visit, Any], Awaitable[Result]]
    at_once: Callable[[Equipment, Visit, Any], Result | None] | None = None
    """The answer from what is known already, where that suffices: it costs no task."""


@dataclass(frozen=True, slots=True)
class Errand:
    """A method that has an executionId, can be aborted and leaves evidence, but not of `unrecorded` members."""

    name: str
    params: type[Params]
    run: Callable[[Equipment, Execution, Any], Awaitable[Result]]
    unrecorded: frozenset[str] = frozenset()

    @property
    def acts(self) -> bool:
        """It touches an app, needs a confirmation and has its turn in the workspace's lane."""
        return issubclass(self.params, ConfirmedParams)


Method = Inquiry | Errand
