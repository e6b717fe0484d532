"""Checks who may do what on a team's server, freshly for every request."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from handrail.faces.http.answers import failed, refused
from handrail.faces.http.credentials import Credential, credential_of, store_person
from handrail.faces.http.guard import Guard, Origins, own_hosts
from handrail.faces.http.headers import header
from handrail.features.team.routes.credentials import TeamCredentials
from handrail.ports.errors import Failure
from handrail.ports.team import Member, Role, TeamStores

HEALTH = "/health"
METRICS = "/metrics"
FOR_NODES = "/api/node/"
_READING = ("GET", "HEAD", "OPTIONS")
_TRY_AGAIN_LATER = 1013
_FOR_OPERATORS = (
    "/api/tools/", "/api/prompts", "/socket.io/", "/api/task/", "/api/agent/task/", "/api/artifacts/",
    "/api/extension/pair-code",
)  # fmt: skip
_ACCESS = "/api/access"
_FOR_ADMINISTRATORS = (_ACCESS, "/api/team")
_FOR_EVERYONE = ("/api/session", "/api/notifications/push")
_FOR_AGENTS = ("/mcp", "/api/tools")
_NOT_FOR_AGENTS = "An agent's token opens /mcp and /api/tools. People sign in to see more."


def needed_role(method: str, path: str) -> Role:
    """The role that a signed-in person needs. Requests not listed change how the team works: only administrators."""
    if path.startswith(_FOR_EVERYONE) or (path == _ACCESS and method in _READING):
        return "viewer"
    if path.startswith(_FOR_ADMINISTRATORS):
        return "administrator"
    if method in _READING:
        return "viewer"
    return "operator" if path.startswith(_FOR_OPERATORS) else "administrator"


class TeamGuard(Guard):
    """`url` is the address that people use, such as the load balancer's."""

    def __init__(self, team: TeamStores, url: str, app: ASGIApp, *, port: int, origins: Origins, **rest: Any) -> None:
        host = urlsplit(url).netloc.lower()
        own = Origins(frozenset({*origins.own, url.rstrip("/").lower()}), origins.listed, frozenset())
        super().__init__(app, port=port, origins=own, **rest)
        self._team = team
        self._hosts = frozenset({*own_hosts(port), host})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        try:
            await self._team.members.refresh()
        except Failure as failure:  # membership can't be checked, so nobody is let in
            if scope["type"] == "http":
                await failed(failure)(scope, receive, send)
            else:
                await WebSocketClose(_TRY_AGAIN_LATER)(scope, receive, send)
            return
        await super().__call__(scope, receive, send)

    def _check_origin(self, scope: Scope) -> Response | None:
        """Prometheus calls each server by its own name. A page can't do that, because it has no token."""
        if scope["path"] == METRICS and header(scope, b"origin") is None and header(scope, b"authorization"):
            return None
        return super()._check_origin(scope)

    def _check_credential(self, scope: Scope) -> Response | None:
        scope["handrail.team"] = self._credentials
        answer = super()._check_credential(scope)
        if answer is None and credential_of(scope) is Credential.AGENT and not self._is_open(scope):
            answer = None if scope["path"].startswith(_FOR_AGENTS) else refused("FORBIDDEN", _NOT_FOR_AGENTS)
        member = self._member(scope)
        store_person(scope, None if member is None else member.name)
        if answer is not None or member is None or scope["type"] != "http" or self._is_open(scope):
            return answer
        role = needed_role(scope["method"], scope["path"])
        if member.is_at_least(role):
            return None
        return refused("FORBIDDEN", f"This needs the role {role}; {member.name} has the role {member.role}.")

    def _may_program(self, scope: Scope) -> bool:
        """A person's or service's token can only read; a node's opens only the paths for nodes."""
        credentials, path = self._credentials, scope["path"]
        assert isinstance(credentials, TeamCredentials)
        if scope["type"] != "http" or credentials.node(scope) is not None or path.startswith(FOR_NODES):
            return scope["type"] == "http" and path.startswith(FOR_NODES) and credentials.node(scope) is not None
        return scope["method"] in _READING and not path.startswith(_FOR_AGENTS)

    def _member(self, scope: Scope) -> Member | None:
        """The member who has signed in. Agents pass the gate, and services' tokens only read."""
        credentials = self._credentials
        assert isinstance(credentials, TeamCredentials)
        return credentials.person(scope) if credential_of(scope) is Credential.COOKIE else None
