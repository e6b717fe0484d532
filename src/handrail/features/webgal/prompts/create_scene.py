"""webgal.create_scene: write a new scene for this game."""

import msgspec

from handrail.features.webgal import guidance
from handrail.features.webgal.port import WebGal
from handrail.features.webgal.prompts.declaration import game, prompt
from handrail.features.webgal.scene_names import scene_name, scene_path
from handrail.features.webgal.tools.list_project_resources import listed
from handrail.kernel.call import Call
from handrail.kernel.content import Text
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Reply
from handrail.ports.errors import Conflict


class Params(msgspec.Struct, frozen=True):
    name: str
    outline: str = ""
    characters: str = ""


async def create_scene(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Reply:
    """新建一个 WebGAL 场景：带上本游戏的角色、素材、变量和写法，并说明检查、写入和预览的步骤。"""
    return await in_thread(call, lambda: Reply(None, [Text(_text(webgal, call, params))]))


def _text(webgal: WebGal, call: Call, params: Params) -> str:
    project = game(webgal, call)
    path = scene_path(project, params.name)
    if scene_name(project, params.name) in project.scenes:
        raise Conflict(f"{path} is there already.", hint="webgal.refactor_scene changes a scene.", path=path)
    wishes = [
        f"梗概：{params.outline or '由你来想，和已有的场景衔接得上。'}",
        f"出场角色：{params.characters or '从下面的角色里选。'}",
    ]
    return "\n\n".join(
        [
            f"请为这个 WebGAL 游戏写一个新场景：{path}。",
            "\n".join(wishes),
            guidance.facts(project, listed(webgal)),
            guidance.WRITING,
            guidance.steps(
                "用 read_file 读一两个已有的场景，跟上它们的语气和习惯。",
                guidance.CHECKING,
                guidance.SAVING,
                f"让故事走得到它：在合适的场景里用 changeScene 或 choose 指向 {scene_name(project, params.name)}。",
                guidance.SHOWING,
            ),
        ]
    )


PROMPT = prompt(
    "webgal.create_scene",
    "新建场景",
    Params,
    {
        "name": "场景的文件名，例如 beach_date；可以带子文件夹。",
        "outline": "这一场发生什么。",
        "characters": "出场的角色。",
    },
    create_scene,
    required=("name",),
)
