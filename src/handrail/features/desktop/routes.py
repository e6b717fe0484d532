"""`/api/desktop`: the latest observation of the desktop with its screenshot, a new one, and the doctor's report."""

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
from handrail.ports.unreadable_json import UNREADABLE_JSON

_OBSERVE = "desktop.observe"
_MAX_BYTES = 64 * 1024 * 1024
_MAX_ENTRIES_READ = 50
_MAX_FOLDERS = 20
_LINE = re.compile(r"^(?P<indent> *)(?P<id>e:\d+) (?P<text>.*)$")


class LatestObservation:
    """The latest observation of the desktop, read from its evidence. Every method blocks."""

    def __init__(self, workspace: Folder) -> None:
        self._workspace = workspace
        self._root = os.path.realpath(workspace.location)
        self._folders: OrderedDict[str, str] = OrderedDict()

    def read(self) -> dict[str, Any] | None:
        """Returns the newest observation that has a screenshot and an outline."""
        for count, entry in enumerate(self._observations()):
            if count == _MAX_ENTRIES_READ:
                break
            observation = self._read_observation(entry)
            if observation is not None:
                return observation
        return None

    def picture(self, execution_id: str) -> bytes:
        """Returns the screenshot of an observation that `read` has returned. NotFound."""
        folder = self._folders.get(execution_id)
        if folder is None:
            raise NotFound(f"There is no screenshot of {execution_id!r} here.", hint="Look again.")
        return self._workspace.read(f"{folder}/observe.png", _MAX_BYTES)

    def _observations(self) -> Iterator[Mapping[str, Any]]:
        """Yields entries of the index, the newest first; other programs may have written to it."""
        try:
            lines = self._workspace.read(INDEX, _MAX_BYTES).splitlines()
        except Failure:
            return
        for line in reversed(lines):
            entry = (_decode_object(line) or {}) if _OBSERVE.encode() in line else {}
            is_observation = entry.get("method") == _OBSERVE and entry.get("ok") is True
            if is_observation and isinstance(entry.get("evidenceDir"), str):
                yield entry

    def _read_observation(self, entry: Mapping[str, Any]) -> dict[str, Any] | None:
        folder = os.path.relpath(entry["evidenceDir"], self._root)
        result = self._json(folder, "result.json").get("result")
        if not isinstance(result, dict) or not isinstance(result.get("outline"), str) or "area" not in result:
            return None
        tree = self._json(folder, "ax.json")
        frames = dict(_frames(tree.get("root")))
        execution_id = str(entry.get("executionId"))
        self._folders[execution_id] = folder
        if len(self._folders) > _MAX_FOLDERS:
            self._folders.popitem(last=False)
        return {
            "executionId": execution_id,
            "takenAt": entry.get("ts"),
            "route": result.get("routeResolved"),
            "windows": result.get("windows", []),
            "area": result["area"],
            "lines": [parsed for text in result["outline"].split("\n") if (parsed := _line(text, frames)) is not None],
            "truncated": result.get("truncated") is True,
        }

    def _json(self, folder: str, name: str) -> Mapping[str, Any]:
        try:
            return _decode_object(self._workspace.read(f"{folder}/{name}", _MAX_BYTES)) or {}
        except Failure:
            return {}


def _line(text: str, frames: Mapping[str, Any]) -> dict[str, Any] | None:
    match = _LINE.match(text)
    if match is None:
        return None
    return {
        "elementId": match["id"],
        "depth": len(match["indent"]) // 2,
        "text": match["text"],
        "frame": frames.get(match["id"]),
    }


def _frames(root: Any) -> Iterator[tuple[str, Any]]:
    unvisited = [root]
    while unvisited:
        node = unvisited.pop()
        if isinstance(node, dict):
            if isinstance(node.get("elementId"), str):
                yield node["elementId"], node.get("frame")
            unvisited.extend(node.get("children") or ())


def _decode_object(data: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(data)
    except UNREADABLE_JSON:
        return None
    return value if isinstance(value, dict) else None


_SANDBOX_HEADERS = {"content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'"}
_PURPOSE = "Looking at the desktop in the console"


def mount(context: HttpContext) -> Mount:
    latest_observation = LatestObservation(context.project.files)

    async def call_tool(request: Request, tool: str, params: Mapping[str, Any], *, is_status: bool = False) -> Any:
        """Calls a tool through the gate, so that what a person does here is recorded and follows the rules."""
        by, trace = caller(request, context.person), trace_id(request.scope)
        call = Call(tool, dict(params), by, trace_id=trace, is_status=is_status)
        return (await context.persons_gate.run(call)).result

    async def state(request: Request) -> Response:
        require_person(request, _PURPOSE)
        return success(await call_tool(request, "desktop_doctor", {}, is_status=True))

    async def view(request: Request) -> Response:
        require_person(request, _PURPOSE)
        return success(await asyncio.to_thread(latest_observation.read))

    async def observe(request: Request) -> Response:
        require_person(request, _PURPOSE)
        body = await json_object(request, {"app", "title"})
        await call_tool(
            request, "desktop_observe", _observe_params(optional_text(body, "app"), optional_text(body, "title"))
        )
        return success(await asyncio.to_thread(latest_observation.read))

    async def picture(request: Request) -> Response:
        require_person(request, _PURPOSE)
        data = await asyncio.to_thread(latest_observation.picture, request.path_params["execution"])
        return Response(data, media_type="image/png", headers=_SANDBOX_HEADERS)

    return Mount(
        [
            Route("/api/desktop/doctor", state),
            Route("/api/desktop/view", view),
            Route("/api/desktop/look", observe, methods=["POST"]),
            Route("/api/desktop/picture/{execution}", picture),
        ]
    )


def _observe_params(app: str | None, title: str | None) -> dict[str, Any]:
    """Means the window with exactly this title; without a title the app's window; without either the one in front."""
    route: dict[str, Any] = {}
    if app is not None:
        route["app"] = {"name": app}
    if title is not None:
        route["window"] = {"titlePattern": f"^{re.escape(title)}$"}
    return {"route": route} if route else {}
