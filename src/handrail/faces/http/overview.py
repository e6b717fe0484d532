"""`/api/policy` and `/api/doctor`: which rules hold here, and what works on this machine."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.desk import Desk


def routes(desk: Desk) -> list[Route]:
    async def policy(request: Request) -> Response:
        return success(await asyncio.to_thread(desk.policy))

    async def doctor(request: Request) -> Response:
        return success(await asyncio.to_thread(desk.checkup))

    return [Route("/api/policy", policy), Route("/api/doctor", doctor)]
