"""show_scene_graph, for `handrail webgal graph`: which scene leads to which, as data and as a picture."""

from typing import Any

import msgspec

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.scene_finder import games_below, only_game
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import InputOutput, InvalidParams, NotFound, OutsideRoot


class Params(msgspec.Struct, frozen=True):
    path: str = "."


class Result(msgspec.Struct, frozen=True):
    graph: dict[str, Any]
    svg: str


async def show_scene_graph(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """Show the scenes of a game, the paths between them, and a picture of both."""
    return await in_thread(call, lambda: _graph(webgal, call, params))


def _graph(webgal: WebGal, call: Call, params: Params) -> Result:
    from handrail.features.webgal.script.graph_picture import svg

    may_read = webgal.games.may_read
    folder = only_game(games_below(webgal.games.files, params.path, may_read), params.path, may_read)
    graph = webgal.games.open_game(folder, call.checkpoint)[0].graph()
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
