"""`/api/policy`: which rules are in force here."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import must_be_person
from handrail.features.policy.rule_list import listed, remove
from handrail.features.policy.summary import in_force


def mount(context: HttpContext) -> Mount:
    async def policy(request: Request) -> Response:
        return success(await asyncio.to_thread(in_force, context.project.policy))

    async def rules(request: Request) -> Response:
        return success({"rules": await listed(context.project.stores)})

    async def remove_rule(request: Request) -> Response:
        must_be_person(request, "Removing a rule")
        return success(await remove(context.project.stores, request.path_params["id"]))

    return Mount(
        [
            Route("/api/policy", policy),
            Route("/api/rules", rules),
            Route("/api/rules/{id}", remove_rule, methods=["DELETE"]),
        ]
    )
