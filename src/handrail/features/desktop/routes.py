"""`/api/desktop`: the last look at the desktop, read from its evidence; a person's own look; what is missing."""

import asyncio
import os
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from handrail.faces.http.answers import success
from handrail.faces.http.context import HttpContext, Mount
from handrail.faces.http.credentials import caller, require_person
from handrail.faces.http.headers import trace_id
from handrail.faces.http.json_body import json_object, optional_text
from handrail.features.desktop.host.execution import INDEX
from handrail.kernel.call import Call
from handrail.ports.errors import Failure, NotFound
from handrail.ports.files import Folder

_OBSERVE = "desktop.observe"
_LARGEST = 64 * 1024 * 1024
_MOST_LOOKED_AT = 50
_MOST_REMEMBERED = 20
_LINE = re.compile(r"^(?P<indent> *)(?P<id>e:\d+) (?P<text>.*)$")


class LastLook:
    """`workspace` is the project. Every method blocks."""

    def __init__(self, workspace: Folder) -> None:
        self._workspace = workspace
        self._root = os.path.realpath(workspace.location)
        self._folders: OrderedDict[str, str] = OrderedDict()

    def read(self) -> dict[str, Any] | None:
        """The newest look that has a picture and an outline."""
        for looked_at, line in enumerate(self._observed()):
            if looked_at == _MOST_LOOKED_AT:
                break
            look = self._look(line)
            if look is not None:
                return look
        return None

    def picture(self, execution_id: str) -> bytes:
        """The picture of a look that `read` has returned; otherwise NotFound."""
        folder = self._folders.get(execution_id)
        if folder is None:
            raise NotFound(f"No picture of {execution_id!r} was shown here.", hint="Look again.")
        return self._workspace.read(f"{folder}/observe.png", _LARGEST)

    def _observed(self) -> Iterator[Mapping[str, Any]]:
        """Lines of the index, the newest first; other programs may have written there."""
        try:
            lines = self._workspace.read(INDEX, _LARGEST).splitlines()
        except Failure:
            return
        for line in reversed(lines):
            entry = (_decoded(line) or {}) if _OBSERVE.encode() in line else {}
            is_seen = entry.get("method") == _OBSERVE and entry.get("ok") is True
            if is_seen and isinstance(entry.get("evidenceDir"), str):
                yield entry

    def _look(self, line: Mapping[str, Any]) -> dict[str, Any] | None:
        folder = os.path.relpath(line["evidenceDir"], self._root)
        result = self._json(folder, "result.json").get("result")
        if not isinstance(result, dict) or not isinstance(result.get("outline"), str) or "area" not in result:
            return None
        tree = self._json(folder, "ax.json")
        frames = dict(_frames(tree.get("root")))
        execution_id = str(line.get("executionId"))
        self._folders[execution_id] = folder
        if len(self._folders) > _MOST_REMEMBERED:
            self._folders.popitem(last=False)
        return {
            "executionId": execution_id,
            "takenAt": line.get("ts"),
            "route": result.get("routeResolved"),
            "windows": result.get("windows", []),
            "area": result["area"],
            "lines": [told for text in result["outline"].split("\n") if (told := _line(text, frames)) is not None],
            "truncated": result.get("truncated") is True,
        }

    def _json(self, folder: str, name: str) -> Mapping[str, Any]:
        try:
            return _decoded(self._workspace.read(f"{folder}/{name}", _LARGEST)) or {}
        except Failure:
            return {}


def _line(text: str, frames: Mapping[str, Any]) -> dict[str, Any] | None:
    found = _LINE.match(text)
    if found is None:
        return None
    return {
        "elementId": found["id"],
        "depth": len(found["indent"]) // 2,
        "text": found["text"],
        "frame": frames.get(found["id"]),
    }


def _frames(node: Any) -> Iterator[tuple[str, Any]]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(one.get("elementId"), str):
                yield one["elementId"], one.get("frame")
            waiting.extend(one.get("children") or ())


def _decoded(data: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return value if isinstance(value, dict) else None


_SEALED_OFF = {"content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}
_LOOKING = "Looking at the desktop in the console"


def mount(context: HttpContext) -> Mount:
    last_look = LastLook(context.project.files)

    async def done(request: Request, tool: str, params: Mapping[str, Any]) -> Any:
        """Through the gate, so that a person's look is recorded and follows the rules."""
        call = Call(tool, dict(params), caller(request, context.person), trace_id=trace_id(request.scope))
        return (await context.persons_gate.run(call)).result

    async def state(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success(await done(request, "desktop_doctor", {}))

    async def view(request: Request) -> Response:
        require_person(request, _LOOKING)
        return success(await asyncio.to_thread(last_look.read))

    async def look(request: Request) -> Response:
        require_person(request, _LOOKING)
        given = await json_object(request, {"app", "title"})
        await done(request, "desktop_observe", _observed(optional_text(given, "app"), optional_text(given, "title")))
        return success(await asyncio.to_thread(last_look.read))

    async def picture(request: Request) -> Response:
        require_person(request, _LOOKING)
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
