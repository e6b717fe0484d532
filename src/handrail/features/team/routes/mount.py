"""What a team's server has in place of a single person's: its sign-in, its health, its members."""

from __future__ import annotations

import os
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from handrail import __version__
from handrail.faces.http.answers import refused, success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, must_be_person
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import json_object, text_field
from handrail.features.team import oidc
from handrail.features.team.routes.credentials import TeamCredentials
from handrail.features.team.routes.nodes import node_routes
from handrail.features.team.routes.page import STYLE_SOURCE, WRONG_TOKEN, sign_in_page
from handrail.kernel.access import record_access
from handrail.kernel.prompts.entries import timestamp
from handrail.ports.errors import Failure, NotFound
from handrail.ports.identity import Caller
from handrail.ports.team import PROGRAM_ROLES, Limits, Member, TeamStores, validate_role
from handrail.ports.waiting import run_in_thread

SIGN_IN = "/team/sign-in"
_SESSION = "/api/session"
_OPEN = (SIGN_IN, oidc.LEAVE, oidc.COME_BACK)
_MOST_FORM = 4096


def mount(context: HttpContext) -> Mount:
    """Nothing on a server that serves one person."""
    team = context.project.stores.team
    if team is None:
        return Mount()

    def is_open(scope: Scope) -> bool:
        path: str = scope["path"]
        return scope["type"] == "http" and (path in _OPEN or (path == _SESSION and scope["method"] == "POST"))

    return Mount([*_sign_in(context, team), *_members(context, team), *node_routes(context, team)], is_open=is_open)


def _sign_in(context: HttpContext, team: TeamStores) -> list[Route]:
    here = {
        "version": __version__,
        "project": context.project.location,
        "lang": context.language,
        "features": sorted(context.project.features),
    }

    async def health(request: Request) -> Response:
        faults = {name: fault for name, fault in (await run_in_thread(team.parts)).items() if fault is not None}
        said: dict[str, Any] = {"name": "handrail", "version": __version__, "pid": os.getpid(), "server": team.server}
        if faults:
            return refused("UNAVAILABLE", " ".join(faults.values()), status=503)
        return success({**said, "tenant": team.tenant})

    async def page(request: Request) -> Response:
        return _page(team)

    async def with_token(request: Request) -> Response:
        body = await request.body()
        token = body.decode("latin-1").removeprefix("token=").strip() if len(body) <= _MOST_FORM else ""
        member = team.members.with_token(token)
        if member is None or member.role in PROGRAM_ROLES:
            return _page(team, WRONG_TOKEN)
        code = await run_in_thread(lambda: team.sessions.make_code(member.id))
        return RedirectResponse(f"/#code={code}/inbox", status_code=303, headers=_PAGE_HEADERS)

    async def to_provider(request: Request) -> Response:
        if team.provider is None:
            raise NotFound("This team has no identity provider.")
        try:
            leaving = await run_in_thread(lambda: oidc.leave(team))
        except Failure as away:
            return _page(team, away.message)
        answer = RedirectResponse(leaving.address, status_code=303, headers=_PAGE_HEADERS)
        answer.headers["set-cookie"] = oidc.state_cookie(leaving.state, is_secure=team.url.startswith("https:"))
        return answer

    async def from_provider(request: Request) -> Response:
        if team.provider is None:
            raise NotFound("This team has no identity provider.")
        given, cookies = dict(request.query_params), request.cookies
        try:
            member = await run_in_thread(lambda: oidc.come_back(team, given, cookies.get(oidc.COOKIE)))
        except Failure as refusal:
            return _page(team, f"{refusal.message} {refusal.hint or ''}".strip())
        done = f"signed in through {team.provider.issuer} with the role {member.role}"
        by = Caller("console", member.name, caller(request, member.name).peer, f"console:{member.name}")
        await record_access(context.project.audit, by, done)
        code = await run_in_thread(lambda: team.sessions.make_code(member.id))
        return RedirectResponse(f"/#code={code}/inbox", status_code=303, headers=_PAGE_HEADERS)

    async def tell(request: Request) -> Response:
        return success({**here, **_who(request, context)})

    async def exchange(request: Request) -> Response:
        code = text_field(await json_object(request, {"code"}), "code")
        id = await run_in_thread(lambda: team.sessions.use_code(code))
        if id is None:
            return refused("UNAUTHORIZED", f"This code was used or has expired. Sign in again at {SIGN_IN}.")
        user_agent = (header(request.scope, b"user-agent") or "")[:300]
        cookie, secret = await run_in_thread(lambda: team.sessions.start(id, user_agent))
        await team.members.refresh()
        answer = success({**here, "pageSecret": secret})
        answer.headers["set-cookie"] = _credentials(request).set_cookie(cookie)
        return answer

    async def sign_out(request: Request) -> Response:
        must_be_person(request, "Signing out")
        session = _credentials(request).session(request.scope) or ""
        await run_in_thread(lambda: team.sessions.end(session))
        answer = success({})
        answer.headers["set-cookie"] = _credentials(request).no_cookie()
        return answer

    return [
        Route("/health", health),
        Route(SIGN_IN, page),
        Route(SIGN_IN, with_token, methods=["POST"]),
        Route(oidc.LEAVE, to_provider),
        Route(oidc.COME_BACK, from_provider),
        Route(_SESSION, tell),
        Route(_SESSION, exchange, methods=["POST"]),
        Route(_SESSION, sign_out, methods=["DELETE"]),
    ]


def _members(context: HttpContext, team: TeamStores) -> list[Route]:
    async def listed(request: Request) -> Response:
        must_be_person(request, "Seeing who is in the team")
        return success({"members": [_shown(each) for each in await run_in_thread(team.members.all)]})

    async def add(request: Request) -> Response:
        must_be_person(request, "Adding a member")
        given = await json_object(request, {"name", "role", "owner"})
        name, role = text_field(given, "name"), validate_role(text_field(given, "role"))
        owner = given.get("owner") or ""
        by = caller(request, context.person)
        member, token = await run_in_thread(
            lambda: team.members.add(name, role, Limits(), owner=str(owner), by=by.name)
        )
        await record_access(context.project.audit, by, f"issued a token to {member.id} with the role {member.role}")
        return success({**_shown(member), "token": token})

    async def revoke(request: Request) -> Response:
        must_be_person(request, "Revoking a token")
        gone = await run_in_thread(lambda: team.members.revoke(request.path_params["name"]))
        await record_access(context.project.audit, caller(request, context.person), f"revoked the token of {gone.id}")
        return success(_shown(gone))

    async def nothing_else(request: Request) -> Response:
        raise NotFound("On a team's server, /api/team/members has the members.")

    async def sessions(request: Request) -> Response:
        must_be_person(request, "Seeing who has signed in")
        return success({"sessions": [_session(each, team) for each in team.sessions.alive()]})

    async def end_session(request: Request) -> Response:
        must_be_person(request, "Ending a session")
        id = request.path_params["id"]
        if not await run_in_thread(lambda: team.sessions.end(id)):
            raise NotFound("There is no such session; it may have ended.")
        await record_access(context.project.audit, caller(request, context.person), f"ended the session {id}")
        return success({})

    every = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return [
        Route("/api/team/members", listed),
        Route("/api/team/members", add, methods=["POST"]),
        Route("/api/team/members/{name}", revoke, methods=["DELETE"]),
        Route("/api/team/sessions", sessions),
        Route("/api/team/sessions/{id}", end_session, methods=["DELETE"]),
        Route("/api/access", nothing_else, methods=every),
        Route("/api/access/{rest:path}", nothing_else, methods=every),
        Route(f"{_SESSION}/code", nothing_else, methods=every),
    ]


_PAGE_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": (
        f"default-src 'none'; img-src 'self'; style-src 'self' {STYLE_SOURCE}; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
}


def _page(team: TeamStores, wrong: str = "") -> Response:
    page = sign_in_page(team.tenant, wrong=wrong, has_provider=team.provider is not None)
    return HTMLResponse(page, status_code=401 if wrong else 200, headers=_PAGE_HEADERS)


def _credentials(request: Request) -> TeamCredentials:
    found: TeamCredentials = request.scope["handrail.team"]
    return found


def _who(request: Request, context: HttpContext) -> dict[str, str]:
    person = _credentials(request).person(request.scope)
    return {} if person is None else {"person": person.name, "role": person.role}


def _shown(member: Member) -> dict[str, Any]:
    return {
        "id": member.id,
        "name": member.name,
        "role": member.role,
        "limits": str(member.limits),
        "owner": member.owner,
        "createdAt": member.created_at,
    }


def _session(session: Any, team: TeamStores) -> dict[str, Any]:
    member = team.sessions.member(session)
    return {
        "id": session.id,
        "member": session.member if member is None else member.name,
        "userAgent": session.user_agent,
        "createdAt": timestamp(session.created_at),
        "expiresAt": timestamp(session.expires_at),
    }
