"""preview_scene of contract 3 §2.3, with optional fields added: any line or lines, unsaved text, variables, choices."""

import asyncio
import posixpath
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.preview_ports import Destination, ShownScene
from handrail.features.webgal.previews.scene_finder import SceneFile, find_scene
from handrail.kernel.call import Call
from handrail.kernel.content import Image
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Reply, Tool
from handrail.ports.errors import (
    Damaged,
    Declined,
    Failure,
    InputOutput,
    InvalidParams,
    NotShown,
    OutsideRoot,
    Timeout,
    TooLarge,
    Unsupported,
)
from handrail.ports.schemas import schema

if TYPE_CHECKING:
    from handrail.features.webgal.script.preview_log import PreviewLog

_MAX_LINES = 20
_MAX_TRIES = 3
_MAX_SCENES = 50
_NAME = r"^[^\s=;:{}]+$"
_LINE = {"type": "integer", "minimum": 1}
_ADDITIONS: dict[str, Any] = {
    "line": {**_LINE, "description": "Show this line, by the way that a player would take to it"},
    "lines": {
        "type": "array",
        "items": _LINE,
        "minItems": 1,
        "maxItems": _MAX_LINES,
        "description": "Show each of these lines: one picture a line, in this order",
    },
    "content": {"type": "string", "description": "Unsaved text to show in place of the file's"},
    "variables": {
        "type": "object",
        "propertyNames": {"pattern": _NAME},
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
        "description": "Variables to set before the scene starts",
    },
    "choices": {
        "type": "array",
        "items": _LINE,
        "description": "Options to take at the choices on the way, counted from 1",
    },
}
Number = Annotated[int, Meta(ge=1)]


class Params(msgspec.Struct, frozen=True, rename="camel"):
    scene_path: str | None = None
    line: Number | None = None
    lines: tuple[Number, ...] = ()
    content: str | None = None
    variables: dict[str, str | int | float | bool] = {}
    choices: tuple[Number, ...] = ()


class Result(msgspec.Struct, frozen=True, rename="camel"):
    url: str
    logs: list[str]
    first_error_line: int | UnsetType = UNSET


async def preview_scene(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Show a scene in the game's own engine, with a picture: the first line that shows something, or any `line` or
    `lines`. Without `scenePath`, the scene the game starts with. `logs` lists missing files and errors with their
    lines; `firstErrorLine` is the first. A person on this machine can open `url`.
    """
    from handrail.features.webgal.engines import engine_note

    def read() -> tuple[SceneFile, str, str | None]:
        scene = find_scene(webgal.games.files, params.scene_path, webgal.games.may_read)
        text = webgal.games.text_of(scene.path) if params.content is None else params.content
        return scene, text, engine_note(webgal.games.files, scene.game)

    scene, text, note = await in_thread(call, read)
    lines = params.lines or (params.line,)
    _check_lines(scene, text, lines)
    previews = [await _show(webgal, scene, text, line, params) for line in lines]
    errors = [log.first_error_line for _, log in previews if log.first_error_line is not None]
    last, _ = previews[-1]
    notes = [*([] if note is None else [note]), last.whereabouts]
    logs = [*dict.fromkeys(line for _, log in previews for line in log.lines), *notes]
    result = Result(last.url, logs, min(errors) if errors else UNSET)
    mime = "image/jpeg" if params.lines else "image/png"
    return Reply(result, [Image(showing.picture, mime) for showing, _ in previews])


def _check_lines(scene: SceneFile, text: str, lines: Sequence[int | None]) -> None:
    count = text.count("\n") + 1
    for line in lines:
        if line is not None and line > count:
            raise InvalidParams(f"{scene.name} has {count} lines, no line {line}.", scenePath=scene.path)


async def _show(
    webgal: WebGal, scene: SceneFile, text: str, line: int | None, params: Params
) -> tuple[ShownScene, "PreviewLog"]:
    from handrail.features.webgal.previews.preview_session import as_not_shown

    try:
        if line is None and not params.variables and not params.choices:
            return await _from_start(webgal, scene, text, params)
        return await _at_line(webgal, scene, text, line, params)
    except Failure as failure:
        raise as_not_shown(failure) from None


async def _from_start(webgal: WebGal, scene: SceneFile, text: str, params: Params) -> tuple[ShownScene, "PreviewLog"]:
    """Shows it as a player sees it. If a condition skips the line, uses the next line that shows something."""
    from handrail.features.webgal.script.preview_log import fetched_ahead, preview_log
    from handrail.features.webgal.script.route import first_shown_line, next_shown_line

    destination = Destination(scene.name, first_shown_line(text), params.content)
    showing = await webgal.previews.show(scene.game, destination, fetched_ahead(text))
    for _ in range(_MAX_TRIES):
        position = showing.position
        next_line = next_shown_line(text, position.line)
        if position.has_left or position.is_waiting or next_line <= max(position.line, destination.line):
            break
        destination = replace(destination, line=next_line)
        showing = await webgal.previews.show(scene.game, destination, fetched_ahead(text))
    scenes = _following_scenes(webgal, scene, text)
    return showing, await asyncio.to_thread(preview_log, showing, destination, text, scene.game, scenes)


def _following_scenes(webgal: WebGal, scene: SceneFile, text: str) -> Iterator[tuple[str, str]]:
    """Yields scenes that this one leads to, directly or indirectly, with their texts; read on demand."""
    from handrail.features.webgal.script.preview_log import scenes_named

    pending, seen = scenes_named(text), {scene.name}
    while pending and len(seen) <= _MAX_SCENES:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        path = posixpath.normpath(posixpath.join(scene.game, "scene", name))
        with suppress(Failure):
            if webgal.games.may_read(path):
                inner = webgal.games.text_of(path)
                pending += scenes_named(inner)
                yield name, inner


async def _at_line(
    webgal: WebGal, scene: SceneFile, text: str, line: int | None, params: Params
) -> tuple[ShownScene, "PreviewLog"]:
    from handrail.features.webgal.script.preview_log import PreviewLog, fetched_ahead, preview_log
    from handrail.features.webgal.script.route import first_shown_line, line_after, route_to

    if line is None:
        line = line_after(text, params.choices) if params.choices else first_shown_line(text)
    if line is None:
        raise NotShown(f"These choices lead out of {scene.name}.", hint="Preview the scene that they lead to.")
    route = route_to(text, line, params.variables, params.choices)
    destination = Destination(scene.name, len(route.origins), route.text, as_jpeg=bool(params.lines))
    showing = await webgal.previews.show(scene.game, destination, fetched_ahead(route.text))
    position = showing.position
    if not position.has_left:
        position = replace(position, line=route.line_of(position.line))
    troubles = [
        each if each.line is None else replace(each, line=route.line_of(each.line)) for each in showing.troubles
    ]
    showing = replace(showing, position=position, troubles=troubles)
    requested, scenes = Destination(scene.name, line), _following_scenes(webgal, scene, text)
    log = await asyncio.to_thread(preview_log, showing, requested, text, scene.game, scenes)
    if route.is_reached:
        return showing, log
    note = f"line {line} can't be reached, so it is shown after the lines before it."
    return showing, PreviewLog([*log.lines, note], log.first_error_line)


async def locate(webgal: WebGal, call: Call, params: Params) -> Target:
    scene = await in_thread(call, lambda: find_scene(webgal.games.files, params.scene_path, webgal.games.may_read))
    return Target(path=scene.path)


def _request() -> dict[str, Any]:
    """Returns the contract's schema, with optional fields added."""
    published = schema("webgal", "preview_scene.request")
    return {**published, "properties": {**published["properties"], **_ADDITIONS}}


TOOL = Tool(
    name="preview_scene",
    title="Show a scene",
    params=Params,
    input_schema=_request(),
    output_schema=schema("webgal", "preview_scene.response"),
    errors=(
        NotShown,
        Timeout,
        Declined,
        OutsideRoot,
        Damaged,
        TooLarge,
        Unsupported,
        InputOutput,
        InvalidParams,
    ),
    deadline_ms=120_000,
    locate=locate,
    run=preview_scene,
)
