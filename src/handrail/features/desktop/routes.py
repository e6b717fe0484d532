"""`/api/desktop`: what was seen of the desktop last, a person's own look at it, and what it lacks."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, must_be_person
from handrail.faces.http.headers import trace_id
from handrail.faces.http.json_body import json_object, optional_text
from handrail.features.desktop.host.last_look import LastLook
from handrail.kernel.call import Call

_SEALED_OFF = {"content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}
_LOOKING = "Looking at the desktop in the console"


def mount(context: HttpContext) -> Mount:
    last_look = LastLook(context.project.files)

    async def done(request: Request, tool: str, params: Mapping[str, Any]) -> Any:
        """Through the gate, so that a person's look is on record as well, and rules hold for it."""
        call = Call(tool, dict(params), caller(request, context.person), trace_id=trace_id(request.scope))
        return (await context.persons_gate.run(call)).result

    async def state(request: Request) -> Response:
        must_be_person(request, _LOOKING)
        return success(await done(request, "desktop_doctor", {}))

    async def view(request: Request) -> Response:
        must_be_person(request, _LOOKING)
        return success(await asyncio.to_thread(last_look.read))

    async def look(request: Request) -> Response:
        must_be_person(request, _LOOKING)
        given = await json_object(request, {"app", "title"})
        await done(request, "desktop_observe", _observed(optional_text(given, "app"), optional_text(given, "title")))
        return success(await asyncio.to_thread(last_look.read))

    async def picture(request: Request) -> Response:
        must_be_person(request, _LOOKING)
        data = await asyncio.to_thread(last_look.picture, request.path_params["execution"])
        return Response(data, media_type="image/png", headers=_SEALED_OFF)

    return Mount(
        [
            Route("/api/desktop/doctor", state),
            Route("/api/desktop/view", view),
            Route("/api/desktop/look", look, methods=["POST"]),
            Route("/api/desktop/picture/{execution}", picture),
        ]
    )


def _observed(app: str | None, title: str | None) -> dict[str, Any]:
    """The window with exactly this title; without one, the app's; without either, the one in front."""
    route: dict[str, Any] = {}
    if app is not None:
        route["app"] = {"name": app}
    if title is not None:
        route["window"] = {"titlePattern": f"^{re.escape(title)}$"}
    return {"route": route} if route else {}
