"""The server's own project, and other projects of local callers, which are opened when they are first needed."""

import asyncio
import os
from collections.abc import Callable

from handrail.kernel.project import Project
from handrail.ports.errors import Busy, InvalidParams
from handrail.ports.waiting import run_in_thread

MOST = 32


class OpenProjects:
    """`open_other` opens another folder with the same stores. It blocks."""

    def __init__(self, own: Project, open_other: Callable[[str], Project]) -> None:
        self._own = own
        self._open_other = open_other
        self._others: dict[str, Project] = {}
        self._turn = asyncio.Lock()

    async def find(self, folder: str | None) -> Project:
        """None means the server's own. InvalidParams; NotFound; Busy: too many are open."""
        if folder is None:
            return self._own
        if not os.path.isabs(folder) or "\0" in folder:
            raise InvalidParams("`project` must be an absolute path.", project=folder)
        place = await asyncio.to_thread(os.path.realpath, folder)
        if place == self._own.policy.project:
            return self._own
        async with self._turn:
            if place not in self._others:
                if len(self._others) >= MOST:
                    raise Busy(f"{MOST} other projects are open in this server already.")
                self._others[place] = await run_in_thread(lambda: self._open_other(place))
            return self._others[place]

    async def close(self) -> None:
        for project in self._others.values():
            async with project.in_use():
                pass
            await asyncio.to_thread(project.release)
        self._others.clear()
