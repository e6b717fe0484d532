"""`/api/webgal`: the project's game for the console. Only fixes change something, through the gate."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import client_gone, failed, refused, success
from handrail.faces.http.body_limit import MAX_BODY
from handrail.faces.http.context import HttpContext
from handrail.faces.http.credentials import caller, require_person, require_person_or_key
from handrail.faces.http.endpoint import run_while_connected
from handrail.faces.http.headers import trace_id
from handrail.faces.http.json_body import json_object, optional_text, text_field, whole_number
from handrail.features.webgal.opening import framed_previews, game_view, hosted_previews
from handrail.features.webgal.preview_ports import SHOWING_PATH, NotHosted, SceneRequest
from handrail.kernel import strict_json
from handrail.kernel.call import Call
from handrail.kernel.dialect import DIALECT
from handrail.ports.errors import Conflict, Failure, InvalidParams

if TYPE_CHECKING:
    from handrail.features.webgal.game_view import FixedFile, GameView, ProblemPlace
    from handrail.features.webgal.script.findings import Language

_VIEW_ACTION = "Viewing the game in the console"
_FIX_ACTION = "Fixing a scene in the console"
# A picture may be an SVG with a script: opened on its own, it must not run anything or send requests.
_INERT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


def webgal_routes(context: HttpContext) -> list[Route]:
    project_view = cache(lambda: game_view(context.project))
    previews = cache(lambda: framed_previews(context.project))

    async def run_view(read: Callable[["GameView"], Any]) -> Any:
        return await asyncio.to_thread(lambda: read(project_view()))

    def view_route(read: Callable[["GameView", Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            require_person(request, _VIEW_ACTION)
            return success(await run_view(lambda game: read(game, request)))

        return answer

    async def file(request: Request) -> Response:
        require_person(request, _VIEW_ACTION)
        media_type, data = await run_view(lambda fixed: fixed.file(_path(request)))
        # The page requests a specific version, so a cached one is never outdated.
        cache_control = "private, max-age=3600" if "v" in request.query_params else "no-store"
        headers = {"content-security-policy": _INERT_POLICY, "cache-control": cache_control, "accept-ranges": "bytes"}
        return _part(request.headers.get("range"), data, media_type, headers)

    async def fix(request: Request) -> Response:
        """Called twice: first to show the change, then to make it, with the hashes of what was shown."""
        require_person(request, _FIX_ACTION)
        body = await json_object(request, {"path", "line", "code", "start", "baseHash", "afterHash"})
        path, place = text_field(body, "path"), _place(body)
        fixed: FixedFile = await run_view(lambda fixed: fixed.fix_file(path, place))
        params = {"path": fixed.path, "content": fixed.content, "dryRun": True}
        hashes = (optional_text(body, "baseHash"), optional_text(body, "afterHash"))
        if hashes == (None, None):
            await _run(
                context, request, "write_to_file", params
            )  # the dry run also stores the hash that the write is bound to
            return success(_fix_json(fixed))
        if hashes != (fixed.base_hash, fixed.after_hash):
            raise Conflict(f"{fixed.path} has changed since it was shown.", hint="Reload it.", path=fixed.path)
        written = await _run(context, request, "write_to_file", {**params, "dryRun": False})
        return success({**_fix_json(fixed), "snapshotId": written.snapshot_id})

    async def preview(request: Request) -> Response:
        """Opens a screen, or sends an open one to another line."""
        require_person(request, _VIEW_ACTION)
        body = await json_object(request, {"path", "line", "screen"})
        line = whole_number(body, "line") if "line" in body else None  # the first line that shows something
        frame = await previews().show(text_field(body, "path"), line, None, optional_text(body, "screen"))
        return success({"screen": frame.screen, "address": frame.address})

    async def hide_preview(request: Request) -> Response:
        require_person(request, _VIEW_ACTION)
        previews().hide(request.path_params["screen"])
        return success({})

    return [
        Route("/api/webgal/stamp", view_route(lambda game, request: {"stamp": game.stamp()})),
        Route("/api/webgal/game", view_route(lambda game, request: game.overview(_language(request)))),
        Route("/api/webgal/scene", view_route(lambda game, request: game.scene(_path(request)))),
        Route("/api/webgal/graph", view_route(lambda game, request: game.graph())),
        Route("/api/webgal/resources", view_route(lambda game, request: game.resources())),
        Route("/api/webgal/file", file),
        Route("/api/webgal/mend", fix, methods=["POST"]),
        Route("/api/webgal/preview", preview, methods=["POST"]),
        Route("/api/webgal/preview/{screen}", hide_preview, methods=["DELETE"]),
    ]


async def _run(context: HttpContext, request: Request, tool: str, params: dict[str, Any]) -> Any:
    call = Call(tool, params, caller(request, context.person), trace_id=trace_id(request.scope))
    return (await context.persons_gate.run(call)).result


def _fix_json(fixed: "FixedFile") -> dict[str, Any]:
    return {"path": fixed.path, "diff": fixed.diff, "baseHash": fixed.base_hash, "afterHash": fixed.after_hash}


def _language(request: Request) -> "Language":
    return "zh" if request.query_params.get("lang") == "zh" else "en"


def _path(request: Request) -> str:
    path = request.query_params.get("path")
    if not path:
        raise InvalidParams("`path` must name a file of the game.")
    return path


def _place(body: Any) -> "ProblemPlace | None":
    """Returns the place of one problem, or None for all safe fixes if there is no rule's code."""
    from handrail.features.webgal.game_view import ProblemPlace

    code = optional_text(body, "code")
    if code is None:
        return None
    return ProblemPlace(whole_number(body, "line"), code, whole_number(body, "start"))


def _part(range_header: str | None, data: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """Returns the whole file, or the range that the player requests."""
    match = _RANGE.fullmatch(range_header or "")
    if match is None or match.groups() == ("", ""):
        return Response(data, media_type=media_type, headers=headers)
    first, last = match.groups()
    start = int(first) if first else max(len(data) - int(last), 0)
    end = min(int(last) + 1 if first and last else len(data), len(data))
    if start >= end:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{len(data)}"})
    headers = {**headers, "content-range": f"bytes {start}-{end - 1}/{len(data)}"}
    return Response(data[start:end], 206, headers, media_type)


_SHOW_ACTION = "Showing a scene without a tool call"
_HINT = "Call POST /api/tools/preview_scene instead, where it is checked and recorded."


def showing_routes(context: HttpContext) -> list[Route]:
    hosting = cache(lambda: hosted_previews(context.project))

    async def show(request: Request) -> Response:
        require_person_or_key(request, context.console_key, _SHOW_ACTION, _HINT)
        scene_request = _read_request(await request.body())
        try:
            return success(await run_while_connected(request.receive, hosting().show(scene_request)))
        except ClientDisconnect:
            return client_gone()
        except NotHosted as refusal:
            return refused("CONFLICT", refusal.message)
        except Failure as failure:
            return failed(failure, DIALECT)

    return [Route(SHOWING_PATH, show, methods=["POST"])]


def _read_request(body: bytes) -> SceneRequest:
    try:
        return msgspec.convert(strict_json.decode(body, max_bytes=MAX_BODY), SceneRequest)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"The body names no scene: {error}.") from None
