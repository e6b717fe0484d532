"""The game's scenes as MCP resources: `webgal://scene/start.txt`."""

from urllib.parse import quote, unquote

import msgspec

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.scene_finder import SCENES, project_game
from handrail.features.webgal.tools.list_project_resources import list_resources
from handrail.kernel.call import Call
from handrail.kernel.content import Resource
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import ListedResource, Preview, Reply, ResourceKind, Tool
from handrail.ports.errors import Damaged, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge

_PREFIX = "webgal://scene/"


class Params(msgspec.Struct, frozen=True):
    uri: str


class NoParams(msgspec.Struct, frozen=True):
    pass


def address(scene: str) -> str:
    return _PREFIX + quote(scene)


async def list_scenes(webgal: WebGal, call: Call, params: NoParams, preview: Preview | None) -> list[ListedResource]:
    """List the game's scenes."""
    names = (await in_thread(call, lambda: list_resources(webgal))).scenes
    return [ListedResource(address(name), name) for name in names]


async def read_scene(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Read a scene's text."""
    path = _path(webgal, params)
    text = await in_thread(call, lambda: webgal.games.text_of(path))
    return Reply(None, [Resource(params.uri, text)])


async def locate(webgal: WebGal, call: Call, params: Params) -> Target:
    return Target(path=_path(webgal, params))


def _path(webgal: WebGal, params: Params) -> str:
    """Returns the path in the project, checked like a tool's path."""
    name = unquote(params.uri.removeprefix(_PREFIX)) if params.uri.startswith(_PREFIX) else ""
    if not name.endswith(".txt"):
        raise NotFound(f"There is no scene {params.uri}.", hint=f"Scenes are {_PREFIX}NAME.txt.", uri=params.uri)
    folder = project_game(webgal.games.files, webgal.games.may_read)
    path = f"{SCENES}/{name}" if folder == "." else f"{folder}/{SCENES}/{name}"
    return "/".join(webgal.games.files.parse(path))


_ERRORS = (NotFound, OutsideRoot, TooLarge, Damaged, InputOutput, InvalidParams)
RESOURCE = ResourceKind(
    name="scene",
    title="场景",
    description="游戏的场景脚本，按 game/scene 下的文件名读取。",
    template=f"{_PREFIX}{{+path}}",
    mime="text/plain",
    listing=Tool(
        name="webgal.scenes",
        title="List scenes",
        params=NoParams,
        input_schema={"type": "object", "additionalProperties": False, "properties": {}},
        errors=_ERRORS,
        is_idempotent=True,
        run=list_scenes,
    ),
    reading=Tool(
        name="webgal.scene",
        title="Read a scene",
        params=Params,
        input_schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {"uri": {"type": "string"}},
            "required": ["uri"],
        },
        errors=_ERRORS,
        is_idempotent=True,
        locate=locate,
        run=read_scene,
    ),
)
