"""Prompts for a person to give to an agent, filled with the facts of this game."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from handrail.features.webgal import guidance
from handrail.features.webgal.guidance import known_scene, scene_findings, scene_name, scene_path
from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.place import the_game
from handrail.features.webgal.scene_resource import address
from handrail.features.webgal.tools.list_project_resources import listed
from handrail.kernel.call import Call
from handrail.kernel.content import Resource, Text
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import RESOURCES_KEYWORD, Preview, Reply, Tool
from handrail.ports.errors import Conflict, Damaged, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge

if TYPE_CHECKING:
    from handrail.features.webgal.script.project import Project

_LARGEST_SCENE = 200_000
ParamsT = TypeVar("ParamsT")


def prompt(
    name: str,
    title: str,
    params: type[ParamsT],
    arguments: Mapping[str, str],
    run: Callable[[WebGal, Call, ParamsT, Preview | None], Awaitable[Any]],
    *,
    required: tuple[str, ...] = (),
    locate: Callable[[WebGal, Call, ParamsT], Awaitable[Target]] | None = None,
) -> Tool[WebGal, ParamsT]:
    """`arguments` says what each argument is for. `locate` is called if one of them names a file."""
    return Tool(
        name=name,
        title=title,
        params=params,
        input_schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {key: _argument(key, text) for key, text in arguments.items()},
            "required": list(required),
        },
        errors=(NotFound, OutsideRoot, Conflict, TooLarge, Damaged, InputOutput, InvalidParams),
        is_idempotent=True,
        locate=locate,
        run=run,
    )


def _argument(name: str, text: str) -> dict[str, str]:
    named = {RESOURCES_KEYWORD: "scene"} if name == "path" else {}
    return {"type": "string", "description": text, **named}


def game(webgal: WebGal, call: Call) -> "Project":
    """The project's game as it is now. NotFound."""
    folder = the_game(webgal.games.files, webgal.games.may_read)
    return webgal.games.opened(folder, call.checkpoint)[0]


def scene_part(path: str, uri: str, text: str) -> Resource:
    """A scene's whole text as a part of the prompt."""
    if len(text) > _LARGEST_SCENE:
        raise TooLarge(
            f"{path} has {len(text)} characters; at most {_LARGEST_SCENE} fit into a prompt.",
            hint="Split the scene, or have the agent work on it with search_files and replace_in_file.",
            path=path,
        )
    return Resource(uri, text)


class NewScene(msgspec.Struct, frozen=True):
    name: str
    outline: str = ""
    characters: str = ""


async def create_scene(webgal: WebGal, call: Call, params: NewScene, preview: Preview | None) -> Reply:
    """新建一个 WebGAL 场景：带上本游戏的角色、素材、变量和写法，并说明检查、写入和预览的步骤。"""
    return await in_thread(call, lambda: Reply(None, [Text(_create_text(webgal, call, params))]))


def _create_text(webgal: WebGal, call: Call, params: NewScene) -> str:
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


CREATE_SCENE = prompt(
    "webgal.create_scene",
    "新建场景",
    NewScene,
    {
        "name": "场景的文件名，例如 beach_date；可以带子文件夹。",
        "outline": "这一场发生什么。",
        "characters": "出场的角色。",
    },
    create_scene,
    required=("name",),
)


class SceneToFix(msgspec.Struct, frozen=True):
    path: str = ""


async def fix_validation(webgal: WebGal, call: Call, params: SceneToFix, preview: Preview | None) -> Reply:
    """修正检查出的问题：一个场景的，或整个游戏的；带上每个问题、建议的写法和可以引用的素材。"""
    return await in_thread(call, lambda: _fix_reply(webgal, call, params))


def _fix_reply(webgal: WebGal, call: Call, params: SceneToFix) -> Reply:
    project = game(webgal, call)
    names = [known_scene(project, params.path)] if params.path else sorted(project.scenes)
    what = f"场景 {scene_path(project, params.path)}（全文见附上的资源）" if params.path else "整个游戏"
    text = "\n\n".join(
        [
            f"请修正{what}的检查结果里的问题。",
            guidance.problems(project, names, scene_findings(webgal, project, names)),
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


async def scene_target(webgal: WebGal, call: Call, params: "SceneToFix | SceneToRework") -> Target:
    if not params.path:
        return Target()
    return await in_thread(call, lambda: Target(path=scene_path(game(webgal, call), params.path)))


FIX_VALIDATION = prompt(
    "webgal.fix_validation",
    "修正问题",
    SceneToFix,
    {"path": "场景的路径或名字；不写就是整个游戏。"},
    fix_validation,
    locate=scene_target,
)


class SceneToRework(msgspec.Struct, frozen=True):
    path: str
    goal: str = ""


async def refactor_scene(webgal: WebGal, call: Call, params: SceneToRework, preview: Preview | None) -> Reply:
    """改写一个已有的场景：带上它的全文、谁会走到它、检查结果和本游戏的素材，并说明检查、写入和预览的步骤。"""
    return await in_thread(call, lambda: _refactor_reply(webgal, call, params))


def _refactor_reply(webgal: WebGal, call: Call, params: SceneToRework) -> Reply:
    project = game(webgal, call)
    name = known_scene(project, params.path)
    path = scene_path(project, name)
    text = "\n\n".join(
        [
            f"请改写这个 WebGAL 场景：{path}（全文见附上的资源）。",
            f"目标：{params.goal or '不改变剧情和分支，让台词更自然、指令更整齐，去掉重复。'}",
            _neighbours(project, name),
            guidance.problems(project, [name], scene_findings(webgal, project, [name])),
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


REFACTOR_SCENE = prompt(
    "webgal.refactor_scene",
    "改写场景",
    SceneToRework,
    {"path": "场景的路径或名字，例如 game/scene/start.txt 或 start。", "goal": "想改成什么样。"},
    refactor_scene,
    required=("path",),
    locate=scene_target,
)

PROMPTS = (CREATE_SCENE, REFACTOR_SCENE, FIX_VALIDATION)
