"""preview_scene of contract 3 §2.3."""

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.preview_ports import Destination
from handrail.features.webgal.previews.place import SceneFile, find_scene
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


class Params(msgspec.Struct, frozen=True, rename="camel"):
    scene_path: str | None = None


class Result(msgspec.Struct, frozen=True, rename="camel"):
    url: str
    logs: list[str]
    first_error_line: int | UnsetType = UNSET


async def preview_scene(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Show a scene in the game's own engine, up to the first line at which there is something to see, with a picture of
    it. Without `scenePath`, the scene that the game starts with. `logs` tells what the engine asked for in vain and
    what went wrong, `firstErrorLine` the first line of the scene that is to blame. A person on this machine can open
    `url`.
    """
    from handrail.features.webgal.engines import engine_note
    from handrail.features.webgal.previews.preview_session import as_not_shown
    from handrail.features.webgal.script.preview_log import fetched_ahead, first_shown_line, preview_log

    def read() -> tuple[SceneFile, str, str | None]:
        scene = find_scene(webgal.games.files, params.scene_path, webgal.games.may_read)
        return scene, webgal.games.text_of(scene.path), engine_note(webgal.games.files, scene.game)

    scene, text, note = await in_thread(call, read)
    destination = Destination(scene.name, first_shown_line(text))
    try:
        showing = await webgal.previews.show(scene.game, destination, fetched_ahead(text))
    except Failure as failure:
        raise as_not_shown(failure) from None
    log = preview_log(showing, destination, text, scene.game)
    first = log.first_error_line
    notes = [] if note is None else [note]
    result = Result(showing.url, [*log.lines, *notes, showing.whereabouts], UNSET if first is None else first)
    return Reply(result, [Image(showing.picture)])


async def locate(webgal: WebGal, call: Call, params: Params) -> Target:
    scene = await in_thread(call, lambda: find_scene(webgal.games.files, params.scene_path, webgal.games.may_read))
    return Target(path=scene.path)


TOOL = Tool(
    name="preview_scene",
    title="Show a scene",
    params=Params,
    input_schema=schema("webgal", "preview_scene.request"),
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
