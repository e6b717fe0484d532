"""The routes that nodes call, each with its own token."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import refused, success
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import require_person
from handrail.faces.http.headers import header, is_visible
from handrail.features.team.node_link import NodeLink
from handrail.features.team.routes.credentials import TeamCredentials
from handrail.features.team.routes.guard import FOR_NODES
from handrail.ports.errors import Declined, InvalidParams
from handrail.ports.node import NodeOutcome, NodeQuestion, decode_as
from handrail.ports.team import Member, TeamStores
from handrail.ports.waiting import run_in_thread


def node_routes(context: HttpContext, team: TeamStores) -> list[Route]:
    stores = context.project.stores
    prompts: Any = stores.prompts
    link = NodeLink(team, stores.shared_rules, prompts.nodes, context.project.audit, stores.audit)

    async def news(request: Request) -> Response:
        try:
            seconds = float(request.query_params.get("seconds", "0"))
        except ValueError:
            raise InvalidParams("`seconds` must be a number.", field="seconds") from None
        try:
            update = await link.news(
                _node(request), request.query_params.get("version", ""), seconds, _program(request)
            )
        except Declined as error:
            return refused("UNAUTHORIZED", error.message)
        return success(msgspec.to_builtins(update))

    async def questions(request: Request) -> Response:
        await link.ask(_node(request), await _decode_list(request, NodeQuestion))
        return success({})

    async def answers(request: Request) -> Response:
        await link.settle(_node(request), await _decode_list(request, NodeOutcome))
        return success({})

    async def audit(request: Request) -> Response:
        start = request.query_params.get("start", "")
        if not start.isdecimal():
            raise InvalidParams("`start` must be a number.", field="start")
        return success(await link.keep_audit(_node(request), int(start), await request.body()))

    async def list_nodes(request: Request) -> Response:
        require_person(request, "Seeing the team's machines")
        policy, sightings = await link.policy(), await team.nodes.sightings()
        members = [each for each in await run_in_thread(team.members.all) if each.role == "node"]
        machines = [
            {"name": each.name, "owner": each.owner, "since": each.created_at}
            | ({} if each.id not in sightings else msgspec.to_builtins(sightings[each.id]))
            for each in members
        ]
        return success({"nodes": machines, "policy": policy.version})

    return [
        Route("/api/nodes", list_nodes),
        Route(f"{FOR_NODES}news", news),
        Route(f"{FOR_NODES}questions", questions, methods=["POST"]),
        Route(f"{FOR_NODES}answers", answers, methods=["POST"]),
        Route(f"{FOR_NODES}audit", audit, methods=["POST"]),
    ]


def _program(request: Request) -> str:
    """The node's version of handrail, as it reports it."""
    version = (header(request.scope, b"user-agent") or "").partition("/")[2]
    return version if is_visible(version) else ""


def _node(request: Request) -> Member:
    credentials: TeamCredentials = request.scope["handrail.team"]
    if (node := credentials.node(request.scope)) is None:
        raise Declined("Only nodes with a token of their own can use this.", reason="role")
    return node


async def _decode_list(request: Request, kind: type[Any]) -> Any:
    try:
        return decode_as(await request.body(), list[kind])  # type: ignore[valid-type]
    except ValueError as error:
        raise InvalidParams(f"The body is not what a node sends: {error}.", field="body") from None
