"""Issues and revokes tokens and sessions. Revoking takes effect at once, also for connected pages and programs."""

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
class AccessControl:
    published: Published
    console_key: ConsoleKey
    codes: Codes
    sessions: Sessions
    credentials: Credentials
    programs: Programs
    drop_invalid_clients: Callable[[], Awaitable[None]]
    end_mcp_sessions: Callable[[Callable[[str], bool]], Awaitable[None]]
    agents: Agents
    cancel_revoked_requests: Callable[[], None]
    removed_agents: RecentlyRemoved[Agent] = field(default_factory=lambda: RecentlyRemoved("agent"))

    async def renew_token(self, session: str) -> str:
        """Returns a new page secret for this session. The old token and all other sessions become invalid."""
        await run_in_thread(self.published.renew_token)
        page_secret = await run_in_thread(lambda: self.sessions.renew(session))
        self.programs.forget()
        await self.drop_invalid_clients()
        return page_secret

    async def add_agent(self, name: str) -> tuple[Agent, str]:
        return await run_in_thread(lambda: self.agents.add(name))

    async def remove_agent(self, id: str) -> Agent:
        removed = await run_in_thread(lambda: self.agents.remove(id))
        await self._drop_revoked()
        self.removed_agents.keep(removed.id, removed)
        return removed

    async def restore_agent(self, id: str) -> Agent:
        """Undoes a recent removal; the agent's token is valid again. Raises NotFound or Conflict."""
        agent = self.removed_agents.take(id)
        await run_in_thread(lambda: self.agents.restore(agent))
        return agent

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Until left, closes connections whose token or session another process revokes, or which expires."""

        def known() -> object:
            return self.agents.stamp(), [session.id for session in self.sessions.alive()]

        async def watch() -> None:
            current = known()
            while True:
                await asyncio.sleep(_LOOK_EVERY)
                previous, current = current, known()
                if previous != current:
                    await self._drop_revoked()

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait({watching})

    async def _drop_revoked(self) -> None:
        self.cancel_revoked_requests()
        await self.drop_invalid_clients()
        await self.end_mcp_sessions(self.agents.is_valid)

    async def end_session(self, id: str) -> None:
        if not await run_in_thread(lambda: self.sessions.end(id)):
            raise NotFound("There is no such session; it may have ended.")
        await self.drop_invalid_clients()
