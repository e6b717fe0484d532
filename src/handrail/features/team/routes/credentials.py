"""Identifies the callers of a team's server: an agent or a service by its token, or a member who has signed in."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import Scope

from handrail.faces.http.credentials import PAGE_HEADER, Credential, Credentials, Programs, bearer_token
from handrail.faces.http.headers import header
from handrail.faces.http.server_file import Published
from handrail.faces.http.sessions import Sessions as LocalSessions
from handrail.ports.agents import Agents
from handrail.ports.team import Member, Session, TeamStores

COOKIE = "handrail_team"
SOCKETS = "/socket.io/"
_LIFETIME_SECONDS = 12 * 3600


class TeamCredentials(Credentials):
    """Uses the copy of members and sessions that the guard refreshed for this request."""

    def __init__(
        self,
        team: TeamStores,
        is_secure: bool,
        published: Published,
        sessions: LocalSessions,
        programs: Programs,
        is_paired: Callable[[str], bool],
        agents: Agents,
    ) -> None:
        super().__init__(published, sessions, programs, is_paired, agents)
        self._team = team
        self._cookie = COOKIE
        self._flags = "Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if is_secure else "")

    def _is_signed_in(self, scope: Scope, page: str | None) -> bool:
        return self.person(scope, page) is not None

    def _of_token(self, scope: Scope, token: str) -> Credential | None:
        member = self._team.members.with_token(token)
        if member is None:
            return Credential.PLUGIN if self._is_paired(token) else None
        if scope["path"] == SOCKETS:  # only people who have signed in may connect to sockets
            return None
        return Credential.AGENT if member.role == "agent" else Credential.TOKEN

    def session(self, scope: Scope, page: str | None = None) -> str | None:
        session = self.signed_in(scope, page)
        return None if session is None else session.id

    def signed_in(self, scope: Scope, page: str | None = None) -> Session | None:
        cookie = self._secret(header(scope, b"cookie"))
        page = header(scope, PAGE_HEADER.encode()) if page is None else page
        return None if cookie is None or page is None else self._team.sessions.find(cookie, page)

    def person(self, scope: Scope, page: str | None = None) -> Member | None:
        session = self.signed_in(scope, page)
        return None if session is None else self._team.sessions.member(session)

    def person_name(self, scope: Scope, page: str | None = None) -> str:
        person = self.person(scope, page)
        return "" if person is None else person.name

    def may_write(self, scope: Scope, page: str | None = None) -> bool:
        person = self.person(scope, page)
        return person is not None and person.is_at_least("operator")

    def node(self, scope: Scope) -> Member | None:
        """Returns the node whose token was sent; None for any other token."""
        member = self._team.members.with_token(bearer_token(scope) or "")
        return member if member is not None and member.role == "node" else None

    def set_cookie(self, secret: str) -> str:
        return f"{self._cookie}={secret}; Max-Age={_LIFETIME_SECONDS}; {self._flags}"

    def clear_cookie(self) -> str:
        return f"{self._cookie}=; Max-Age=0; {self._flags}"
