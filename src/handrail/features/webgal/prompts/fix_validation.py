"""webgal.fix_validation: mend what the checks complain about."""

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


class Params(msgspec.Struct, frozen=True):
    path: str = ""


async def fix_validation(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Reply:
    """修正检查出的问题：一个场景的，或整个游戏的；带上每个问题、建议的写法和可以引用的素材。"""
    return await in_thread(call, lambda: _reply(webgal, call, params))


def _reply(webgal: WebGal, call: Call, params: Params) -> Reply:
    project = game(webgal, call)
    names = [known_scene(project, params.path)] if params.path else sorted(project.scenes)
    what = f"场景 {scene_path(project, params.path)}（全文见附上的资源）" if params.path else "整个游戏"
    text = "\n\n".join(
        [
            f"请修正{what}的检查结果里的问题。",
            guidance.problems(project, names, told(webgal, project, names)),
            guidance.facts(project, listed(webgal)),
            guidance.WRITING,
            guidance.steps(
                "逐条判断：建议合适就照改；建议是猜测（例如相近的文件名）时，看上下文再定；剧情上拿不准的，问人。",
                "只改有问题的行，不动别的内容。用 replace_in_file 一次改一处；改动多时用 write_to_file。",
                "改完用 validate_script 检查每个改过的场景，直到 valid 为 true。",
                "确实是有意写成那样的，在行尾用“;nolint 代码”让检查不再提它，并说明理由。",
            ),
        ]
    )
    if not params.path:
        return Reply(None, [Text(text)])
    (name,) = names
    return Reply(None, [scene_part(scene_path(project, name), address(name), project.scenes[name].text), Text(text)])


async def where(webgal: WebGal, call: Call, params: Params) -> Target:
    if not params.path:
        return Target()
    return await in_thread(call, lambda: Target(path=scene_path(game(webgal, call), params.path)))


PROMPT = prompt(
    "webgal.fix_validation",
    "修正问题",
    Params,
    {"path": "场景的路径或名字；不写就是整个游戏。"},
    fix_validation,
    locate=where,
)
