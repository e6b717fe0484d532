"""What the host's methods share: the desktop, which may be missing and come later, and the three kinds of methods."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.host.confirmation import Confirmation
from handrail.features.desktop.host.execution import Execution, Executions
from handrail.features.desktop.host.params import ConfirmedParams, Meta, Params
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.search import Search, Subject
from handrail.features.desktop.host.surroundings import Pictures
from handrail.features.desktop.platform import Delivery, Desktop, Issue, Readiness
from handrail.kernel.audit import Audit
from handrail.ports.errors import Failure, Internal, NotReady
from handrail.ports.files import Folder
from handrail.ports.peers import PeerProcess
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.tokens import OneTimeClaims

logger = logging.getLogger(__name__)

_TRY_AGAIN_SECONDS = 2.0
_YOUNG_SECONDS = 2.0
_OLD_SECONDS = 10.0

OpenDesktop = Callable[[], Awaitable[Desktop]]


class DesktopSource:
    def __init__(self, open_desktop: OpenDesktop, os_name: str) -> None:
        self._open = open_desktop
        self._os_name = os_name
        self._opening: asyncio.Task[None] | None = None
        self._desktop: Desktop | None = None
        self._failure: Failure = NotReady("The host is still starting.", hint="Try again in a moment.")
        self._tried_at = float("-inf")
        self._readiness: Readiness | None = None
        self._looked_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to open it; until that has ended, everything is NotReady."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._try())

    def check(self) -> None:
        """NotReady until the first try has ended."""
        if isinstance(self._failure, NotReady) and self._desktop is None:
            raise self._failure

    async def get(self) -> Desktop:
        """The desktop; tries again if it was missing. PermissionMissing says what is still missing."""
        self.check()
        if self._desktop is None and asyncio.get_running_loop().time() - self._tried_at > _TRY_AGAIN_SECONDS:
            self.start()
        if self._opening is not None:
            await asyncio.shield(self._opening)
        if self._desktop is None:
            raise self._failure
        return self._desktop

    async def readiness(self, *, is_fresh: bool) -> Readiness:
        """What works on this desktop, freshly checked or a few seconds old. A missing desktop is reported as an issue.

        An answer that is some seconds old is returned at once and renewed in the background.
        """
        if is_fresh or self.known_readiness() is None:
            self.check()
            await asyncio.shield(self._look())
        assert self._readiness is not None
        return self._readiness

    def known_readiness(self) -> Readiness | None:
        """The last answer; None if it is too old."""
        self.check()
        age = asyncio.get_running_loop().time() - self._looked_at
        if age > _OLD_SECONDS:
            return None
        if age > _YOUNG_SECONDS:
            self._look()
        return self._readiness

    def _look(self) -> "asyncio.Task[None]":
        """One check at a time."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_now())
        return self._looking

    async def _look_now(self) -> None:
        try:
            self._readiness = await (await self.get()).readiness()
        except Failure as failure:
            self._readiness = self._without(failure)
        except Exception as fault:
            logger.exception("the desktop can't say what works")
            self._readiness = self._without(Internal(f"The desktop failed: {type(fault).__name__}: {fault}"))
        self._looked_at = asyncio.get_running_loop().time()

    async def close(self) -> None:
        for task in (self._opening, self._looking):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        if self._desktop is not None:
            await self._desktop.close()

    def _without(self, failure: Failure) -> Readiness:
        issue = Issue("accessibility", failure.message, failure.hint or "")
        return Readiness(False, False, False, self._os_name, "", (issue,))

    async def _try(self) -> None:
        try:
            desktop = await self._open()
            try:
                self._readiness = await desktop.readiness()
            except BaseException:
                await desktop.close()
                raise
            self._looked_at = asyncio.get_running_loop().time()
            self._desktop = desktop
        except Failure as failure:
            self._failure = failure if not isinstance(failure, NotReady) else Internal(failure.message)
        except Exception as fault:
            logger.exception("the desktop can't be opened")
            self._failure = Internal(f"The desktop can't be opened: {type(fault).__name__}: {fault}")
        finally:
            self._tried_at = asyncio.get_running_loop().time()
            self._opening = None


Result = dict[str, Any]


@dataclass(slots=True)
class Services:
    version: str
    source: DesktopSource
    confirmation: Confirmation
    prompts: PromptQueue
    once: OneTimeClaims
    audit: Audit
    refs: ElementRefs = field(default_factory=ElementRefs)
    pictures: Pictures = field(default_factory=Pictures)
    executions: Executions = field(default_factory=Executions)
    input_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """There is one keyboard and one pointer, whatever the number of workspaces."""

    async def search(self) -> Search:
        return Search(await self.source.get(), self.refs)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request whose parameters, workspace and caller were checked."""

    rpc_id: str
    caller: PeerProcess
    workspace: Folder
    meta: Meta


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A method that leaves no evidence. If it may have to wait, it has its own deadline."""

    name: str
    params: type[Params]
    run: Callable[[Services, Visit, Any], Awaitable[Result]]
    at_once: Callable[[Services, Visit, Any], Result | None] | None = None
    """The result if it is known already; saves a task."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A method that has an executionId, can be aborted and leaves evidence, without the `unrecorded` members."""

    name: str
    params: type[Params]
    run: Callable[[Services, Execution, Any], Awaitable[Result]]
    unrecorded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Action:
    """A method that acts on an app: it needs a confirmation and waits for its turn in the workspace's lane."""

    name: str
    params: type[ConfirmedParams]
    done: str
    """The member of the result that says it was delivered."""
    subject: Callable[[Services, Any], Awaitable[Subject]]
    """What these parameters mean now."""
    deliver: Callable[[Desktop, Execution, Subject, Any], Awaitable[Delivery | None]]
    needs_front: Callable[[Subject], bool] = lambda subject: True
    check: Callable[[Any, str], None] = lambda params, at: None
    """InvalidParams for what the types can't check; `at` is the path of the parameters."""


@dataclass(frozen=True, slots=True)
class Deed:
    """A method that acts on no window, such as launching an app: it needs a confirmation, too."""

    name: str
    params: type[ConfirmedParams]
    run: Callable[[Services, Execution, Any], Awaitable[Result]]
    about: Callable[[Any], str]
    """Of the parameters: what the audit says that it was done to."""
    unrecorded: frozenset[str] = frozenset()


Method = Inquiry | Reading | Action | Deed
