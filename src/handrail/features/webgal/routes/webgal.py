"""`/api/webgal`: the project's game for the console. Only fixing changes something, through the gate."""

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

_LOOKING = "Looking at the game in the console"
_MENDING = "Fixing a scene in the console"
# A picture may be an SVG with script in it: opened by itself, it runs nothing and reaches nobody.
_SEALED_OFF = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_RANGE = re.compile(r"bytes=([0-9]{0,15})-([0-9]{0,15})")


def webgal_routes(context: HttpContext) -> list[Route]:
    game_of_project = cache(lambda: game_view(context.project))
    previews = cache(lambda: framed_previews(context.project))

    async def seen(look: Callable[["GameView"], Any]) -> Any:
        return await asyncio.to_thread(lambda: look(game_of_project()))

    def looking(look: Callable[["GameView", Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            require_person(request, _LOOKING)
            return success(await seen(lambda game: look(game, request)))

        return answer

    async def file(request: Request) -> Response:
        require_person(request, _LOOKING)
        media_type, data = await seen(lambda shown: shown.file(_path(request)))
        # The page names the version that it wants, so a kept one is never an old one.
        kept = "private, max-age=3600" if "v" in request.query_params else "no-store"
        headers = {"content-security-policy": _SEALED_OFF, "cache-control": kept, "accept-ranges": "bytes"}
        return _part(request.headers.get("range"), data, media_type, headers)

    async def mend(request: Request) -> Response:
        """Called twice: first to show the change, then with the hashes of what was shown to make it."""
        require_person(request, _MENDING)
        given = await json_object(request, {"path", "line", "code", "start", "baseHash", "afterHash"})
        path, place = text_field(given, "path"), _place(given)
        shown: FixedFile = await seen(lambda shown: shown.fix_file(path, place))
        wanted = {"path": shown.path, "content": shown.content, "dryRun": True}
        bound = (optional_text(given, "baseHash"), optional_text(given, "afterHash"))
        if bound == (None, None):
            await _run(context, request, "write_to_file", wanted)  # what it is bound to is kept by the dry run, too
            return success(_told(shown))
        if bound != (shown.base_hash, shown.after_hash):
            raise Conflict(f"{shown.path} has changed since it was shown.", hint="Look at it again.", path=shown.path)
        written = await _run(context, request, "write_to_file", {**wanted, "dryRun": False})
        return success({**_told(shown), "snapshotId": written.snapshot_id})

    async def preview(request: Request) -> Response:
        """Opens a screen, or sends an open one to another line."""
        require_person(request, _LOOKING)
        given = await json_object(request, {"path", "line", "screen"})
        line = whole_number(given, "line") if "line" in given else None  # then the first that shows something
        frame = await previews().show(text_field(given, "path"), line, None, optional_text(given, "screen"))
        return success({"screen": frame.screen, "address": frame.address})

    async def hide_preview(request: Request) -> Response:
        require_person(request, _LOOKING)
        previews().hide(request.path_params["screen"])
        return success({})

    return [
        Route("/api/webgal/stamp", looking(lambda game, request: {"stamp": game.stamp()})),
        Route("/api/webgal/game", looking(lambda game, request: game.overview(_language(request)))),
        Route("/api/webgal/scene", looking(lambda game, request: game.scene(_path(request)))),
        Route("/api/webgal/graph", looking(lambda game, request: game.graph())),
        Route("/api/webgal/resources", looking(lambda game, request: game.resources())),
        Route("/api/webgal/file", file),
        Route("/api/webgal/mend", mend, methods=["POST"]),
        Route("/api/webgal/preview", preview, methods=["POST"]),
        Route("/api/webgal/preview/{screen}", hide_preview, methods=["DELETE"]),
    ]


async def _run(context: HttpContext, request: Request, tool: str, params: dict[str, Any]) -> Any:
    call = Call(tool, params, caller(request, context.person), trace_id=trace_id(request.scope))
    return (await context.persons_gate.run(call)).result


def _told(shown: "FixedFile") -> dict[str, Any]:
    return {"path": shown.path, "diff": shown.diff, "baseHash": shown.base_hash, "afterHash": shown.after_hash}


def _language(request: Request) -> "Language":
    return "zh" if request.query_params.get("lang") == "zh" else "en"


def _path(request: Request) -> str:
    path = request.query_params.get("path")
    if not path:
        raise InvalidParams("`path` must name a file of the game.")
    return path


def _place(given: Any) -> "ProblemPlace | None":
    """The place of one problem. Without a rule's code, all safe fixes are meant."""
    from handrail.features.webgal.game_view import ProblemPlace

    code = optional_text(given, "code")
    if code is None:
        return None
    return ProblemPlace(whole_number(given, "line"), code, whole_number(given, "start"))


def _part(wanted: str | None, data: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """The whole file, or the range that the player asks for."""
    asked = _RANGE.fullmatch(wanted or "")
    if asked is None or asked.groups() == ("", ""):
        return Response(data, media_type=media_type, headers=headers)
    first, last = asked.groups()
    start = int(first) if first else max(len(data) - int(last), 0)
    end = min(int(last) + 1 if first and last else len(data), len(data))
    if start >= end:
        return Response(status_code=416, headers={**headers, "content-range": f"bytes */{len(data)}"})
    headers = {**headers, "content-range": f"bytes {start}-{end - 1}/{len(data)}"}
    return Response(data[start:end], 206, headers, media_type)


_WHAT = "Showing a scene past handrail's tools"
_HINT = "Call POST /api/tools/preview_scene instead: there it is checked and recorded."


def showing_routes(context: HttpContext) -> list[Route]:
    hosting = cache(lambda: hosted_previews(context.project))

    async def show(request: Request) -> Response:
        require_person_or_key(request, context.console_key, _WHAT, _HINT)
        wanted = _wanted(await request.body())
        try:
            return success(await run_while_connected(request.receive, hosting().show(wanted)))
        except ClientDisconnect:
            return client_gone()
        except NotHosted as refusal:
            return refused("CONFLICT", refusal.message)
        except Failure as failure:
            return failed(failure, DIALECT)

    return [Route(SHOWING_PATH, show, methods=["POST"])]


def _wanted(body: bytes) -> SceneRequest:
    try:
        return msgspec.convert(strict_json.decode(body, max_bytes=MAX_BODY), SceneRequest)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"The body names no scene: {error}.") from None
