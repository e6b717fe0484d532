"""`/api/doctor`: the setup check, for the console."""

import asyncio
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.features.doctor.report import report


def mount(context: HttpContext) -> Mount:
    folder, state = Path(context.project.location), context.project.stores.path

    async def doctor(request: Request) -> Response:
        return success(await asyncio.to_thread(report, context.program, folder, state))

    return Mount([Route("/api/doctor", doctor)])
