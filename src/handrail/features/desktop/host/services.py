"""What the host's methods share: the desktop, which may become available later, and the kinds of methods."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from handrail.features.desktop.desktop_port import Delivery, DesktopPort, Issue, Readiness
from handrail.features.desktop.host.confirmation import Confirmation
from handrail.features.desktop.host.execution import Execution, Executions
from handrail.features.desktop.host.params import Header, Meta, Params, Route, RoutedParams, Target
from handrail.features.desktop.host.refs import ElementRefs
from handrail.features.desktop.host.search import Search, Subject
from handrail.features.desktop.host.surroundings import ShownPictures
from handrail.kernel.audit import Audit
from handrail.ports.errors import Failure, Internal, NotReady
from handrail.ports.files import Folder
from handrail.ports.peers import PeerProcess
from handrail.ports.prompt_queue import PromptQueue
from handrail.ports.tokens import OneTimeClaims

logger = logging.getLogger(__name__)

_REOPEN_SECONDS = 2.0
_FRESH_SECONDS = 2.0
_OLD_SECONDS = 10.0

OpenDesktop = Callable[[], Awaitable[DesktopPort]]


class DesktopSource:
    def __init__(self, open_desktop: OpenDesktop, os_name: str) -> None:
        self._open = open_desktop
        self._os_name = os_name
        self._opening: asyncio.Task[None] | None = None
        self._desktop: DesktopPort | None = None
        self._failure: Failure = NotReady("The host is still starting.", hint="Try again in a moment.")
        self._tried_at = float("-inf")
        self._readiness: Readiness | None = None
        self._read_at = float("-inf")
        self._refreshing: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts opening the desktop; until that has finished, calls get NotReady."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._try())

    def require_started(self) -> None:
        """Raises NotReady until the first attempt to open the desktop has finished."""
        if isinstance(self._failure, NotReady) and self._desktop is None:
            raise self._failure

    async def get(self) -> DesktopPort:
        """Returns the desktop; tries to open it again if it was missing. PermissionMissing says what is missing."""
        self.require_started()
        if self._desktop is None and asyncio.get_running_loop().time() - self._tried_at > _REOPEN_SECONDS:
            self.start()
        if self._opening is not None:
            await asyncio.shield(self._opening)
        if self._desktop is None:
            raise self._failure
        return self._desktop

    async def readiness(self, *, is_fresh: bool) -> Readiness:
        """Reports what works on this desktop. A missing desktop is reported as an issue.

        Unless it must be fresh, an answer that is a few seconds old is returned and refreshed in the background.
        """
        if is_fresh or self.recent_readiness() is None:
            self.require_started()
            await asyncio.shield(self._refresh())
        assert self._readiness is not None
        return self._readiness

    def recent_readiness(self) -> Readiness | None:
        """Returns the last answer; None if it is too old."""
        self.require_started()
        age = asyncio.get_running_loop().time() - self._read_at
        if age > _OLD_SECONDS:
            return None
        if age > _FRESH_SECONDS:
            self._refresh()
        return self._readiness

    def _refresh(self) -> "asyncio.Task[None]":
        """Runs one check at a time."""
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.create_task(self._refresh_now())
        return self._refreshing

    async def _refresh_now(self) -> None:
        try:
            self._readiness = await (await self.get()).readiness()
        except Failure as failure:
            self._readiness = self._not_ready(failure)
        except Exception as fault:
            logger.exception("the desktop's readiness can't be read")
            self._readiness = self._not_ready(Internal(f"The desktop failed: {type(fault).__name__}: {fault}"))
        self._read_at = asyncio.get_running_loop().time()

    async def close(self) -> None:
        for task in (self._opening, self._refreshing):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})
        if self._desktop is not None:
            await self._desktop.close()

    def _not_ready(self, failure: Failure) -> Readiness:
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
            self._read_at = asyncio.get_running_loop().time()
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
    pictures: ShownPictures = field(default_factory=ShownPictures)
    executions: Executions = field(default_factory=Executions)
    input_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """All workspaces share one keyboard and one pointer."""

    async def search(self) -> Search:
        return Search(await self.source.get(), self.refs)

    async def window_subject(self, params: RoutedParams) -> Subject:
        """Returns the window of the route, for actions that need no element."""
        return Subject.of((await (await self.search()).resolve_route(params.route)).require_clear())

    async def element_subject(self, target: Target, route: Route | None) -> Subject:
        resolved_route, match = await (await self.search()).target(target, route)
        return Subject.of(resolved_route, match.window, match.located)


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request whose parameters, workspace and caller have been checked."""

    rpc_id: str
    caller: PeerProcess
    workspace: Folder
    header: Header

    @property
    def meta(self) -> Meta:
        return self.header.meta


@dataclass(frozen=True, slots=True)
class UnrecordedMethod:
    """A method that leaves no evidence. If it may have to wait, it enforces its own deadline."""

    name: str
    params: type[Params]
    run: Callable[[Services, CheckedRequest, Any], Awaitable[Result]]
    at_once: Callable[[Services, CheckedRequest, Any], Result | None] | None = None
    """Returns the result if it is known already, which saves starting a task."""


@dataclass(frozen=True, slots=True)
class ReadMethod:
    """A method that only reads. It can be aborted and leaves evidence, which omits the `unrecorded` members."""

    name: str
    params: type[Params]
    run: Callable[[Services, Execution, Any], Awaitable[Result]]
    unrecorded: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Action:
    """A method that acts on a window. It needs a confirmation and runs in the workspace's lane."""

    name: str
    params: type[RoutedParams]
    done: str
    """The member of the result that confirms the delivery."""
    subject: Callable[[Services, Any], Awaitable[Subject]]
    """Finds what the parameters refer to."""
    deliver: Callable[[DesktopPort, Execution, Subject, Any], Coroutine[Any, Any, Delivery | None]]
    needs_front: Callable[[Subject], bool] = lambda subject: True
    check: Callable[[Any, str], None] = lambda params, at: None
    """Raises InvalidParams for what types can't express; `at` is the path of the parameters."""


@dataclass(frozen=True, slots=True)
class WindowlessAction:
    """A method that acts without a window, such as launching an app. It needs a confirmation as well."""

    name: str
    params: type[Params]
    run: Callable[[Services, Execution, Any], Awaitable[Result]]
    about: Callable[[Any], str]
    """Returns the target that the audit records."""
    unrecorded: frozenset[str] = frozenset()


Method = UnrecordedMethod | ReadMethod | Action | WindowlessAction
