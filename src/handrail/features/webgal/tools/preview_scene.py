"""preview_scene of contract 3 §2.3, with optional fields added: any line or lines, unsaved text, variables, choices."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from handrail.features.webgal.port import WebGal
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

_MAX_LINES = 20
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
    "content": {"type": "string", "description": "Unsaved text to show in place of the file's, or of a new scene"},
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
    """Show a scene in the game's own engine, with a picture: without `scenePath` the start scene, without `line` or
    `lines` the first line that shows something. `logs` lists missing files and errors.
    """
    from handrail.features.webgal.engines import older_engine, older_engine_note
    from handrail.features.webgal.previews.preview_session import as_not_shown
    from handrail.features.webgal.previews.scene_preview import PreviewRequest, ScenePreview
    from handrail.features.webgal.script.older_commands import without_older_commands

    def read() -> tuple[SceneFile, str, str | None, list[str]]:
        scene = _find(webgal, params)
        text = webgal.games.text_of(scene.path) if params.content is None else params.content
        older = older_engine(webgal.games.files, scene.game)
        if older is None:
            return scene, text, params.content, []
        text, left_out = without_older_commands(text, older.commands)
        notes = [older_engine_note(older)]
        if left_out:
            notes.append(f"It doesn't know {', '.join(left_out)}, so these lines are left out.")
        return scene, text, text if left_out else params.content, notes

    if params.line is not None and params.lines:
        raise InvalidParams("`line` shows one line and `lines` several: only one of them can be given.")
    scene, text, content, engine_notes = await in_thread(call, read)
    lines = params.lines or (params.line,)
    _check_lines(scene, text, lines)
    request = PreviewRequest(scene, text, content, params.variables, params.choices, bool(params.lines))
    scene_preview = ScenePreview(webgal.previews, webgal.games, request)
    try:
        previews = [await scene_preview.show(line) for line in lines]
    except Failure as failure:
        raise as_not_shown(failure) from None
    errors = [log.first_error_line for _, log in previews if log.first_error_line is not None]
    last, _ = previews[-1]
    logs = [*dict.fromkeys(line for _, log in previews for line in log.lines), *engine_notes, last.whereabouts]
    result = Result(last.url, logs, min(errors) if errors else UNSET)
    mime = "image/jpeg" if params.lines else "image/png"
    return Reply(result, [Image(showing.picture, mime) for showing, _ in previews])


def _check_lines(scene: SceneFile, text: str, lines: Sequence[int | None]) -> None:
    count = text.count("\n") + 1
    for line in lines:
        if line is not None and line > count:
            raise InvalidParams(f"{scene.name} has {count} lines, no line {line}.", scenePath=scene.path)


async def locate(webgal: WebGal, call: Call, params: Params) -> Target:
    scene = await in_thread(call, lambda: _find(webgal, params))
    return Target(path=scene.path)


def _find(webgal: WebGal, params: Params) -> SceneFile:
    is_unsaved = params.content is not None
    return find_scene(webgal.games.files, params.scene_path, webgal.games.may_read, is_unsaved=is_unsaved)


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
