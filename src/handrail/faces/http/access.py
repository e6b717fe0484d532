"""`/api/access`: lists and revokes tokens and sessions. For people only; no token gives access."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.access_control import AccessControl
from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.json_body import json_object, text_field
from handrail.faces.http.person_proof import Action, PersonProof
from handrail.kernel.access import record_access
from handrail.kernel.prompts.entries import timestamp
from handrail.ports.agents import validate_agent_name

PATH = "/api/access"
_HINT = "Do it in the console (`handrail open`)."
_AGENTS_HINT = "Do it in the console (`handrail open`) or with `handrail agents`."
_ENDING_CHARS = 4


def routes(context: HttpContext, access: AccessControl) -> list[Route]:
    proofs = PersonProof(context.project.stores.presence, context.windows)

    async def show(request: Request) -> Response:
        require_person(request, "Listing tokens and sessions", _HINT)
        return success(_overview(access, access.credentials.session(request.scope)))

    async def renew_token(request: Request) -> Response:
        require_person(request, "Renewing the token", _HINT)
        current = access.credentials.session(request.scope) or ""
        page_secret = await access.renew_token(current)
        await _record(request, "renewed the server's token")
        return success({**_overview(access, current), "pageSecret": page_secret})

    async def end_session(request: Request) -> Response:
        require_person(request, "Ending a session", _HINT)
        id = request.path_params["id"]
        await access.end_session(id)
        await _record(request, f"ended the console's session {id}")
        return success(_overview(access, access.credentials.session(request.scope)))

    async def add_agent(request: Request) -> Response:
        require_person(request, "Issuing a token to an agent", _AGENTS_HINT)
        body = await json_object(request, {"name", "presence"})
        name = text_field(body, "name")
        validate_agent_name(name)
        action = Action("agent", "Issuing a token to an agent", {"agent": name}, f"handrail agents add {name}")
        proof = await proofs.for_action(request, body.get("presence"), action)
        agent, token = await access.add_agent(name)
        await _record(request, f"issued a token to the agent {agent.id}", proof)
        return success({"id": agent.id, "name": agent.name, "token": token})

    async def remove_agent(request: Request) -> Response:
        require_person(request, "Revoking an agent's token", _AGENTS_HINT)
        agent = await access.remove_agent(request.path_params["id"])
        await _record(request, f"revoked the token of the agent {agent.id}")
        return success(_overview(access, access.credentials.session(request.scope)))

    async def restore_agent(request: Request) -> Response:
        require_person(request, "Restoring an agent's token", _AGENTS_HINT)
        body = await json_object(request, {"presence"})
        agent = access.removed_agents.find(request.path_params["id"])
        params, command = {"agent": agent.name}, f"handrail agents add {agent.name}"
        proof = await proofs.for_action(
            request, body.get("presence"), Action("agent", "Restoring an agent's token", params, command)
        )
        await access.restore_agent(agent.id)
        await _record(request, f"restored the token of the agent {agent.id}", proof)
        return success(_overview(access, access.credentials.session(request.scope)))

    async def _record(request: Request, what: str, presence: Mapping[str, Any] | None = None) -> None:
        await record_access(context.project.audit, caller(request, context.person), what, presence)

    return [
        Route(PATH, show),
        Route(f"{PATH}/token", renew_token, methods=["POST"]),
        Route(f"{PATH}/agents", add_agent, methods=["POST"]),
        Route(f"{PATH}/agents/{{id}}", remove_agent, methods=["DELETE"]),
        Route(f"{PATH}/agents/{{id}}/restore", restore_agent, methods=["POST"]),
        Route(f"{PATH}/sessions/{{id}}", end_session, methods=["DELETE"]),
    ]


def _overview(access: AccessControl, current: str | None) -> dict[str, Any]:
    """Tokens, agents and sessions. The server's token is shared by all programs, so it lists who has used it."""
    return {
        "tokens": [
            {
                "kind": "server",
                "file": str(access.published.path),
                "ending": access.published.token[-_ENDING_CHARS:],
                "programs": [
                    {"name": name, "lastSeen": timestamp(seconds)}
                    for name, seconds in access.programs.last_seen.items()
                ],
            }
        ],
        "agents": [
            {
                "id": agent.id,
                "name": agent.name,
                "identity": agent.identity,
                "createdAt": agent.created_at,
                "lastSeen": None
                if (last_seen := access.credentials.last_seen(agent)) is None
                else timestamp(last_seen),
            }
            for agent in access.agents.all()
        ],
        "sessions": [
            {
                "id": session.id,
                "createdAt": timestamp(session.created_at),
                "expiresAt": timestamp(session.expires_at),
                "userAgent": session.user_agent,
                "isCurrent": session.id == current,
            }
            for session in reversed(access.sessions.alive())
        ],
    }
