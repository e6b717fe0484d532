"""What `handrail webgal graph` shows: which scene leads to which, as data and as a picture."""

from typing import Any

import msgspec

from handrail.contract.call import Call
from handrail.contract.errors import InputOutput, InvalidParams, NotFound, OutsideRoot
from handrail.contract.tool import Preview, Tool
from handrail.core.threads import in_thread
from handrail.surfaces.webgal.place import games_below, only
from handrail.surfaces.webgal.port import WebGal


class Params(msgspec.Struct, frozen=True):
    path: str = "."


class Result(msgspec.Struct, frozen=True):
    graph: dict[str, Any]
    svg: str


async def show_scene_graph(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """The scenes of a game, the ways between them, and a picture of both."""
    return await in_thread(call, lambda: _shown(webgal, call, params))


def _shown(webgal: WebGal, call: Call, params: Params) -> Result:
    from handrail.core.webgal.graph_picture import svg

    may_read = webgal.games.may_read
    folder = only(games_below(webgal.games.files, params.path, may_read), params.path, may_read)
    graph = webgal.games.opened(folder, call.checkpoint)[0].graph()
    return Result(graph.as_data(), svg(graph))


TOOL = Tool(
    name="show_scene_graph",
    title="Show the scenes",
    params=Params,
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {"path": {"type": "string"}},
    },
    errors=(NotFound, OutsideRoot, InputOutput, InvalidParams),
    is_idempotent=True,
    is_for_agents=False,
    run=show_scene_graph,
)
