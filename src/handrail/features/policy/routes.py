"""`/api/policy`: which rules are in force here."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.features.policy.summary import in_force


def mount(context: HttpContext) -> Mount:
    async def policy(request: Request) -> Response:
        return success(await asyncio.to_thread(in_force, context.project.policy))

    return Mount([Route("/api/policy", policy)])
