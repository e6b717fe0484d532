"""Where the host gets its desktop from: it may take a while, be missing, and come later."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from handrail.contract.desktop import Desktop, Issue, Readiness
from handrail.contract.errors import Failure, Internal, NotReady

logger = logging.getLogger(__name__)

_TRY_AGAIN_SECONDS = 2.0
_READINESS_SECONDS = 2.0

OpenDesktop = Callable[[], Awaitable[Desktop]]


class DesktopSource:
    def __init__(self, open_desktop: OpenDesktop, os_name: str) -> None:
        self._open = open_desktop
        self._os_name = os_name
        self._opening: asyncio.Task[None] | None = None
        self._desktop: Desktop | None = None
        self._failure: Failure = NotReady("The host is still starting.", hint="Try again in a moment.")
        self._tried_at = float("-inf")
        self._readiness: tuple[float, Readiness] | None = None

    def start(self) -> None:
        """Begins to open it; until that has ended, everything is NotReady."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._try())

    def check(self) -> None:
        """NotReady until the first try has ended."""
        if isinstance(self._failure, NotReady) and self._desktop is None:
            raise self._failure

    async def get(self) -> Desktop:
        """The desktop; what was missing may have come since. PermissionMissing says what is still missing."""
        self.check()
        if self._desktop is None and asyncio.get_running_loop().time() - self._tried_at > _TRY_AGAIN_SECONDS:
            self.start()
        if self._opening is not None:
            await asyncio.shield(self._opening)
        if self._desktop is None:
            raise self._failure
        return self._desktop

    async def readiness(self, *, is_fresh: bool) -> Readiness:
        """What works. Not older than two seconds, or as it is now; a desktop that is missing has an issue."""
        self.check()
        now = asyncio.get_running_loop().time()
        if not is_fresh and self._readiness is not None and now - self._readiness[0] < _READINESS_SECONDS:
            return self._readiness[1]
        try:
            found = await (await self.get()).readiness()
        except Failure as failure:
            found = self._without(failure)
        self._readiness = now, found
        return found

    async def close(self) -> None:
        if self._opening is not None:
            self._opening.cancel()
            await asyncio.wait({self._opening})
        if self._desktop is not None:
            await self._desktop.close()

    def _without(self, failure: Failure) -> Readiness:
        issue = Issue("accessibility", failure.message, failure.hint or "")
        return Readiness(False, False, False, self._os_name, "", (issue,))

    async def _try(self) -> None:
        try:
            desktop = await self._open()
            self._readiness = asyncio.get_running_loop().time(), await desktop.readiness()
            self._desktop = desktop
        except Failure as failure:
            self._failure = failure if not isinstance(failure, NotReady) else Internal(failure.message)
        except Exception as fault:
            logger.exception("the desktop can't be opened")
            self._failure = Internal(f"The desktop can't be opened: {type(fault).__name__}: {fault}")
        finally:
            self._tried_at = asyncio.get_running_loop().time()
            self._opening = None
