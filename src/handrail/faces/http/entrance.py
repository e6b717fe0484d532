"""Everything by which somebody is let in, in one hand: for those routes on which a person looks after it.

What ends here ends at once, also for pages and programs that are connected.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from handrail.faces.http.codes import Codes
from handrail.faces.http.console_key import ConsoleKey
from handrail.faces.http.credentials import Credentials, Programs
from handrail.faces.http.server_file import Published
from handrail.faces.http.sessions import Sessions
from handrail.ports.errors import NotFound
from handrail.ports.waiting import settled


@dataclass(frozen=True, slots=True)
class Entrance:
    published: Published
    console_key: ConsoleKey
    codes: Codes
    sessions: Sessions
    credentials: Credentials
    programs: Programs
    send_strangers_away: Callable[[], Awaitable[None]]
    hang_up: Callable[[], None]

    async def renew_token(self, session: str) -> str:
        """The new secret for the page of the session that asked; every other session ends with the old token."""
        await settled(self.published.renew_token)
        page_secret = await settled(lambda: self.sessions.renew(session))
        self.programs.forget()
        self.hang_up()
        await self.send_strangers_away()
        return page_secret

    async def end_session(self, id: str) -> None:
        if not await settled(lambda: self.sessions.end(id)):
            raise NotFound("There is no such session; it may have ended.")
        await self.send_strangers_away()
