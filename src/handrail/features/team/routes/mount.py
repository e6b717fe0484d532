"""A team server's routes that replace those for a single person: sign-in, health and members."""

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
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.headers import header
from handrail.faces.http.json_body import json_object, text_field
from handrail.features.team import oidc
from handrail.features.team.routes.credentials import TeamCredentials
from handrail.features.team.routes.nodes import node_routes
from handrail.features.team.routes.page import STYLE_SOURCE, WRONG_TOKEN, sign_in_page
from handrail.kernel.access import record_access
from handrail.kernel.prompts.entries import timestamp
from handrail.ports.agents import PREFIX
from handrail.ports.errors import Conflict, Failure, NotFound
from handrail.ports.identity import Caller
from handrail.ports.team import PROGRAM_ROLES, Limits, Member, Role, TeamStores, validate_role
from handrail.ports.waiting import run_in_thread

SIGN_IN = "/team/sign-in"
_SESSION = "/api/session"
_OPEN = (SIGN_IN, oidc.SIGN_IN_PATH, oidc.CALLBACK_PATH)
_MOST_FORM = 4096


def mount(context: HttpContext) -> Mount:
    """Adds nothing on a server for one person."""
    team = context.project.stores.team
    if team is None:
        return Mount()

    def is_open(scope: Scope) -> bool:
        path: str = scope["path"]
        return scope["type"] == "http" and (path in _OPEN or (path == _SESSION and scope["method"] == "POST"))

    return Mount([*_sign_in(context, team), *_members(context, team), *node_routes(context, team)], is_open=is_open)


def _sign_in(context: HttpContext, team: TeamStores) -> list[Route]:
    server_info = {
        "version": __version__,
        "project": context.project.location,
        "lang": context.language,
        "features": sorted(context.project.features),
    }

    async def health(request: Request) -> Response:
        faults = {name: fault for name, fault in (await run_in_thread(team.parts)).items() if fault is not None}
        info: dict[str, Any] = {"name": "handrail", "version": __version__, "pid": os.getpid(), "server": team.server}
        if faults:
            return refused("UNAVAILABLE", " ".join(faults.values()), status=503)
        return success({**info, "tenant": team.tenant})

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
            redirect = await run_in_thread(lambda: oidc.start_sign_in(team))
        except Failure as failure:
            return _page(team, failure.message)
        response = RedirectResponse(redirect.address, status_code=303, headers=_PAGE_HEADERS)
        response.headers["set-cookie"] = oidc.state_cookie(redirect.state, is_secure=team.url.startswith("https:"))
        return response

    async def from_provider(request: Request) -> Response:
        if team.provider is None:
            raise NotFound("This team has no identity provider.")
        query, cookies = dict(request.query_params), request.cookies
        try:
            member = await run_in_thread(lambda: oidc.finish_sign_in(team, query, cookies.get(oidc.COOKIE)))
        except Failure as refusal:
            return _page(team, f"{refusal.message} {refusal.hint or ''}".strip())
        event = f"signed in through {team.provider.issuer} with the role {member.role}"
        by = Caller("console", member.name, caller(request, member.name).peer, f"console:{member.name}")
        await record_access(context.project.audit, by, event)
        code = await run_in_thread(lambda: team.sessions.make_code(member.id))
        return RedirectResponse(f"/#code={code}/inbox", status_code=303, headers=_PAGE_HEADERS)

    async def show_session(request: Request) -> Response:
        return success({**server_info, **_person(request, context)})

    async def exchange(request: Request) -> Response:
        code = text_field(await json_object(request, {"code"}), "code")
        id = await run_in_thread(lambda: team.sessions.use_code(code))
        if id is None:
            return refused("UNAUTHORIZED", f"This code was used or has expired. Sign in again at {SIGN_IN}.")
        user_agent = (header(request.scope, b"user-agent") or "")[:300]
        cookie, secret = await run_in_thread(lambda: team.sessions.start(id, user_agent))
        await team.members.refresh()
        response = success({**server_info, "pageSecret": secret})
        response.headers["set-cookie"] = _credentials(request).set_cookie(cookie)
        return response

    async def sign_out(request: Request) -> Response:
        require_person(request, "Signing out")
        session = _credentials(request).session(request.scope) or ""
        await run_in_thread(lambda: team.sessions.end(session))
        response = success({})
        response.headers["set-cookie"] = _credentials(request).clear_cookie()
        return response

    return [
        Route("/health", health),
        Route(SIGN_IN, page),
        Route(SIGN_IN, with_token, methods=["POST"]),
        Route(oidc.SIGN_IN_PATH, to_provider),
        Route(oidc.CALLBACK_PATH, from_provider),
        Route(_SESSION, show_session),
        Route(_SESSION, exchange, methods=["POST"]),
        Route(_SESSION, sign_out, methods=["DELETE"]),
    ]


def _members(context: HttpContext, team: TeamStores) -> list[Route]:
    async def list_members(request: Request) -> Response:
        require_person(request, "Seeing the team's members")
        return success({"members": [_member_as_json(each) for each in await run_in_thread(team.members.all)]})

    async def add(request: Request) -> Response:
        require_person(request, "Adding a member")
        body = await json_object(request, {"name", "role", "owner"})
        name, role = text_field(body, "name"), validate_role(text_field(body, "role"))
        member, token = await issue(request, name, role, str(body.get("owner") or ""))
        return success({**_member_as_json(member), "token": token})

    async def revoke(request: Request) -> Response:
        require_person(request, "Revoking a token")
        return success(_member_as_json(await revoked(request, request.path_params["name"])))

    async def access(request: Request) -> Response:
        require_person(request, "Listing tokens and sessions")
        return success(await overview(request))

    async def add_agent(request: Request) -> Response:
        """The person who issues the token is the agent's owner, and can't approve what it asks."""
        require_person(request, "Issuing a token to an agent")
        name = text_field(await json_object(request, {"name", "presence"}), "name")
        member, token = await issue(request, name, "agent", caller(request, context.person).name)
        return success({"id": member.id, "name": member.name, "token": token})

    async def remove_agent(request: Request) -> Response:
        require_person(request, "Revoking an agent's token")
        await revoked(request, request.path_params["id"])
        return success(await overview(request))

    async def restore_agent(request: Request) -> Response:
        raise Conflict("A revoked token stays revoked. Issue a new one.")

    async def issue(request: Request, name: str, role: Role, owner: str) -> tuple[Member, str]:
        by = caller(request, context.person)
        member, token = await run_in_thread(lambda: team.members.add(name, role, Limits(), owner=owner, by=by.name))
        await record_access(context.project.audit, by, f"issued a token to {member.id} with the role {member.role}")
        return member, token

    async def revoked(request: Request, name: str) -> Member:
        member = await run_in_thread(lambda: team.members.revoke(name))
        await record_access(context.project.audit, caller(request, context.person), f"revoked the token of {member.id}")
        return member

    async def overview(request: Request) -> dict[str, Any]:
        """What the console's pages show: agents, and the sessions that this person may end."""
        members = await run_in_thread(team.members.all)
        credentials = _credentials(request)
        person, current = credentials.person(request.scope), credentials.session(request.scope)
        is_administrator = person is not None and person.is_at_least("administrator")
        sessions = team.sessions.alive() if is_administrator else []
        return {
            "tokens": [],
            "agents": [
                {"id": each.id, "name": each.name, "identity": PREFIX + each.id, "createdAt": each.created_at,
                 "lastSeen": None}
                for each in members
                if each.role == "agent"
            ],
            "sessions": [{**_session_as_json(each, team), "isCurrent": each.id == current} for each in sessions],
        }  # fmt: skip

    async def not_found(request: Request) -> Response:
        raise NotFound("On a team's server, /api/team/members has the members.")

    async def sessions(request: Request) -> Response:
        require_person(request, "Seeing who has signed in")
        return success({"sessions": [_session_as_json(each, team) for each in team.sessions.alive()]})

    async def end_session(request: Request) -> Response:
        require_person(request, "Ending a session")
        id = request.path_params["id"]
        if not await run_in_thread(lambda: team.sessions.end(id)):
            raise NotFound("There is no such session; it may have ended.")
        await record_access(context.project.audit, caller(request, context.person), f"ended the session {id}")
        await team.members.refresh()
        return success(await overview(request))

    all_methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return [
        Route("/api/team/members", list_members),
        Route("/api/team/members", add, methods=["POST"]),
        Route("/api/team/members/{name}", revoke, methods=["DELETE"]),
        Route("/api/team/sessions", sessions),
        Route("/api/team/sessions/{id}", end_session, methods=["DELETE"]),
        Route("/api/access", access),
        Route("/api/access/agents", add_agent, methods=["POST"]),
        Route("/api/access/agents/{id}", remove_agent, methods=["DELETE"]),
        Route("/api/access/agents/{id}/restore", restore_agent, methods=["POST"]),
        Route("/api/access/sessions/{id}", end_session, methods=["DELETE"]),
        Route("/api/access/{rest:path}", not_found, methods=all_methods),
        Route(f"{_SESSION}/code", not_found, methods=all_methods),
    ]


_PAGE_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "same-origin",  # with `no-referrer`, a browser sends the form with `Origin: null`
    "content-security-policy": (
        f"default-src 'none'; img-src 'self'; style-src 'self' {STYLE_SOURCE}; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
}


def _page(team: TeamStores, wrong: str = "") -> Response:
    page = sign_in_page(team.tenant, wrong=wrong, has_provider=team.provider is not None)
    return HTMLResponse(page, status_code=401 if wrong else 200, headers=_PAGE_HEADERS)


def _credentials(request: Request) -> TeamCredentials:
    credentials: TeamCredentials = request.scope["handrail.team"]
    return credentials


def _person(request: Request, context: HttpContext) -> dict[str, str]:
    person = _credentials(request).person(request.scope)
    return {} if person is None else {"person": person.name, "role": person.role}


def _member_as_json(member: Member) -> dict[str, Any]:
    return {
        "id": member.id,
        "name": member.name,
        "role": member.role,
        "limits": str(member.limits),
        "owner": member.owner,
        "createdAt": member.created_at,
    }


def _session_as_json(session: Any, team: TeamStores) -> dict[str, Any]:
    member = team.sessions.member(session)
    return {
        "id": session.id,
        "member": session.member if member is None else member.name,
        "userAgent": session.user_agent,
        "createdAt": timestamp(session.created_at),
        "expiresAt": timestamp(session.expires_at),
    }
