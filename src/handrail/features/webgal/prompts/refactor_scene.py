"""webgal.refactor_scene: rework a scene that is there."""

from typing import TYPE_CHECKING

import msgspec

from handrail.features.webgal import guidance
from handrail.features.webgal.port import WebGal
from handrail.features.webgal.prompts.declaration import game, prompt, scene_part
from handrail.features.webgal.prompts.findings import told
from handrail.features.webgal.scene_names import known_scene, scene_path
from handrail.features.webgal.scene_shelf import address
from handrail.features.webgal.tools.list_project_resources import listed
from handrail.kernel.call import Call
from handrail.kernel.content import Text
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Reply

if TYPE_CHECKING:
    from handrail.features.webgal.script.project import Project


class Params(msgspec.Struct, frozen=True):
    path: str
    goal: str = ""


async def refactor_scene(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Reply:
    """改写一个已有的场景：带上它的全文、谁会走到它、检查结果和本游戏的素材，并说明检查、写入和预览的步骤。"""
    return await in_thread(call, lambda: _reply(webgal, call, params))


def _reply(webgal: WebGal, call: Call, params: Params) -> Reply:
    project = game(webgal, call)
    name = known_scene(project, params.path)
    path = scene_path(project, name)
    text = "\n\n".join(
        [
            f"请改写这个 WebGAL 场景：{path}（全文见附上的资源）。",
            f"目标：{params.goal or '不改变剧情和分支，让台词更自然、指令更整齐，去掉重复。'}",
            _neighbours(project, name),
            guidance.problems(project, [name], told(webgal, project, [name])),
            guidance.facts(project, listed(webgal)),
            guidance.WRITING,
            guidance.steps(
                "先用几句话说明打算怎么改，再动手。",
                guidance.CHECKING,
                guidance.SAVING + "只改一两处时，用 replace_in_file 更稳。",
                guidance.SHOWING,
            ),
        ]
    )
    return Reply(None, [scene_part(path, address(name), project.scenes[name].text), Text(text)])


def _neighbours(project: "Project", name: str) -> str:
    ways = project.graph().ways
    before = sorted({way.source for way in ways if way.target == name})
    after = sorted({way.target for way in ways if way.source == name})
    return "\n".join(
        [
            "## 它和别的场景",
            f"- 从哪里来：{'、'.join(before) or '（没有场景指向它）'}",
            f"- 到哪里去：{'、'.join(after) or '（不去别的场景）'}",
            "这些去向、标签和变量要保持可用，除非目标要求改变。",
        ]
    )


async def where(webgal: WebGal, call: Call, params: Params) -> Target:
    return await in_thread(call, lambda: Target(path=scene_path(game(webgal, call), params.path)))


PROMPT = prompt(
    "webgal.refactor_scene",
    "改写场景",
    Params,
    {"path": "场景的路径或名字，例如 game/scene/start.txt 或 start。", "goal": "想改成什么样。"},
    refactor_scene,
    required=("path",),
    locate=where,
)
