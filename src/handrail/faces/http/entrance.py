"""Everything by which somebody is let in, in one hand: for those routes on which a person looks after it.

What ends here ends at once, also for pages and programs that are connected.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from handrail.faces.http.codes import Codes
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.credentials import Credentials, Programs
from handrail.faces.http.server_file import Published
from handrail.faces.http.sessions import Sessions
from handrail.kernel.recently_removed import RecentlyRemoved
from handrail.ports.agents import Agent, Agents
from handrail.ports.errors import NotFound
from handrail.ports.waiting import run_in_thread

_LOOK_EVERY = 0.2


@dataclass(frozen=True, slots=True)
class Entrance:
    published: Published
    console_key: ConsoleKey
    codes: Codes
    sessions: Sessions
    credentials: Credentials
    programs: Programs
    send_strangers_away: Callable[[], Awaitable[None]]
    end_mcp_sessions: Callable[[Callable[[str], bool]], Awaitable[None]]
    agents: Agents
    end_visits: Callable[[], None]
    removed_agents: RecentlyRemoved[Agent] = field(default_factory=lambda: RecentlyRemoved("agent"))

    async def renew_token(self, session: str) -> str:
        """The new secret for the page of the session that asked; every other session ends with the old token."""
        await run_in_thread(self.published.renew_token)
        page_secret = await run_in_thread(lambda: self.sessions.renew(session))
        self.programs.forget()
        await self.send_strangers_away()
        return page_secret

    async def add_agent(self, name: str) -> tuple[Agent, str]:
        return await run_in_thread(lambda: self.agents.add(name))

    async def remove_agent(self, id: str) -> Agent:
        removed = await run_in_thread(lambda: self.agents.remove(id))
        await self._send_revoked_away()
        self.removed_agents.keep(removed.id, removed)
        return removed

    async def restore_agent(self, id: str) -> Agent:
        """Undoes a removal a moment later: its token is valid again. NotFound, Conflict."""
        agent = self.removed_agents.take(id)
        await run_in_thread(lambda: self.agents.restore(agent))
        return agent

    @asynccontextmanager
    async def watching_agents(self) -> AsyncIterator[None]:
        """While inside, a token that another process revokes ends its connections here, too."""

        async def watch() -> None:
            stamp = self.agents.stamp()
            while True:
                await asyncio.sleep(_LOOK_EVERY)
                before, stamp = stamp, self.agents.stamp()
                if before != stamp:
                    await self._send_revoked_away()

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait({watching})

    async def _send_revoked_away(self) -> None:
        self.end_visits()
        await self.send_strangers_away()
        await self.end_mcp_sessions(self.agents.is_valid)

    async def end_session(self, id: str) -> None:
        if not await run_in_thread(lambda: self.sessions.end(id)):
            raise NotFound("There is no such session; it may have ended.")
        await self.send_strangers_away()
