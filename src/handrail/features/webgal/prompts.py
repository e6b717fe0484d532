"""MCP prompts that a person hands to an agent, filled with facts about this game."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from handrail.features.webgal import guidance
from handrail.features.webgal.guidance import TEXTS, existing_scene, format_text, scene_findings, scene_name, scene_path
from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.scene_finder import project_game
from handrail.features.webgal.scene_resource import address
from handrail.features.webgal.tools.list_project_resources import list_resources
from handrail.kernel.call import Call
from handrail.kernel.content import Resource, Text
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import RESOURCES_KEYWORD, Preview, Reply, Tool
from handrail.ports.errors import Conflict, Damaged, InputOutput, InvalidParams, NotFound, OutsideRoot, TooLarge

if TYPE_CHECKING:
    from handrail.features.webgal.script.project import Project

_MAX_SCENE = 200_000
ParamsT = TypeVar("ParamsT")


def prompt(
    name: str,
    about: str,
    params: type[ParamsT],
    arguments: Sequence[str],
    run: Callable[[WebGal, Call, ParamsT, Preview | None], Awaitable[Any]],
    *,
    required: tuple[str, ...] = (),
    locate: Callable[[WebGal, Call, ParamsT], Awaitable[Target]] | None = None,
) -> Tool[WebGal, ParamsT]:
    """`about` is the prefix of its texts. `locate` is called if one of the arguments names a file."""
    return Tool(
        name=name,
        title=TEXTS[f"{about} title"],
        words=TEXTS[f"{about} about"],
        params=params,
        input_schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {key: _argument(key, TEXTS[f"{about} {key}"]) for key in arguments},
            "required": list(required),
        },
        errors=(NotFound, OutsideRoot, Conflict, TooLarge, Damaged, InputOutput, InvalidParams),
        is_idempotent=True,
        locate=locate,
        run=run,
    )


def _argument(name: str, text: str) -> dict[str, str]:
    keyword = {RESOURCES_KEYWORD: "scene"} if name == "path" else {}
    return {"type": "string", "description": text, **keyword}


def open_project_game(webgal: WebGal, call: Call) -> "Project":
    """Returns the project's game as it is now. Raises NotFound."""
    folder = project_game(webgal.games.files, webgal.games.may_read)
    return webgal.games.open_game(folder, call.checkpoint)[0]


def scene_part(path: str, uri: str, text: str) -> Resource:
    """Returns a scene's whole text as a part of the prompt."""
    if len(text) > _MAX_SCENE:
        raise TooLarge(
            f"{path} has {len(text)} characters; at most {_MAX_SCENE} fit into a prompt.",
            hint="Split the scene, or have the agent work on it with search_files and replace_in_file.",
            path=path,
        )
    return Resource(uri, text)


class NewScene(msgspec.Struct, frozen=True):
    name: str
    outline: str = ""
    characters: str = ""


async def create_scene(webgal: WebGal, call: Call, params: NewScene, preview: Preview | None) -> Reply:
    return await in_thread(call, lambda: Reply(None, [Text(_create_text(webgal, call, params))]))


def _create_text(webgal: WebGal, call: Call, params: NewScene) -> str:
    project = open_project_game(webgal, call)
    path = scene_path(project, params.name)
    if scene_name(project, params.name) in project.scenes:
        raise Conflict(f"{path} is there already.", hint="webgal.refactor_scene changes a scene.", path=path)
    wishes = [
        format_text("outline", text=params.outline or TEXTS["any outline"]),
        format_text("cast", text=params.characters or TEXTS["any cast"]),
    ]
    return "\n\n".join(
        [
            format_text("create", path=path),
            "\n".join(wishes),
            guidance.describe_game(project, list_resources(webgal)),
            TEXTS["writing"],
            guidance.numbered_steps(
                TEXTS["read some"],
                TEXTS["checking"],
                TEXTS["saving"],
                format_text("lead there", name=scene_name(project, params.name)),
                TEXTS["showing"],
            ),
        ]
    )


CREATE_SCENE = prompt(
    "webgal.create_scene",
    "create",
    NewScene,
    ("name", "outline", "characters"),
    create_scene,
    required=("name",),
)


class SceneToFix(msgspec.Struct, frozen=True):
    path: str = ""


async def fix_validation(webgal: WebGal, call: Call, params: SceneToFix, preview: Preview | None) -> Reply:
    return await in_thread(call, lambda: _fix_reply(webgal, call, params))


def _fix_reply(webgal: WebGal, call: Call, params: SceneToFix) -> Reply:
    project = open_project_game(webgal, call)
    names = [existing_scene(project, params.path)] if params.path else sorted(project.scenes)
    scope = format_text("one scene", path=scene_path(project, params.path)) if params.path else TEXTS["whole game"]
    text = "\n\n".join(
        [
            format_text("fix", what=scope),
            guidance.describe_problems(project, names, scene_findings(project, names)),
            guidance.describe_game(project, list_resources(webgal)),
            TEXTS["writing"],
            guidance.numbered_steps(
                TEXTS["judge"],
                TEXTS["only wrong lines"],
                TEXTS["check again"],
                TEXTS["on purpose"],
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
    return await in_thread(call, lambda: Target(path=scene_path(open_project_game(webgal, call), params.path)))


FIX_VALIDATION = prompt(
    "webgal.fix_validation",
    "fix",
    SceneToFix,
    ("path",),
    fix_validation,
    locate=scene_target,
)


class SceneToRework(msgspec.Struct, frozen=True):
    path: str
    goal: str = ""


async def refactor_scene(webgal: WebGal, call: Call, params: SceneToRework, preview: Preview | None) -> Reply:
    return await in_thread(call, lambda: _refactor_reply(webgal, call, params))


def _refactor_reply(webgal: WebGal, call: Call, params: SceneToRework) -> Reply:
    project = open_project_game(webgal, call)
    name = existing_scene(project, params.path)
    path = scene_path(project, name)
    text = "\n\n".join(
        [
            format_text("refactor", path=path),
            format_text("goal", text=params.goal or TEXTS["any goal"]),
            _neighbours(project, name),
            guidance.describe_problems(project, [name], scene_findings(project, [name])),
            guidance.describe_game(project, list_resources(webgal)),
            TEXTS["writing"],
            guidance.numbered_steps(
                TEXTS["plan first"],
                TEXTS["checking"],
                TEXTS["saving"] + TEXTS["saving few"],
                TEXTS["showing"],
            ),
        ]
    )
    return Reply(None, [scene_part(path, address(name), project.scenes[name].text), Text(text)])


def _neighbours(project: "Project", name: str) -> str:
    links = project.graph().links
    before = sorted({link.source for link in links if link.target == name})
    after = sorted({link.target for link in links if link.source == name})
    return "\n".join(
        [
            TEXTS["neighbours"],
            format_text("from", names=TEXTS["comma"].join(before) or TEXTS["from nowhere"]),
            format_text("to", names=TEXTS["comma"].join(after) or TEXTS["to nowhere"]),
            TEXTS["keep these"],
        ]
    )


REFACTOR_SCENE = prompt(
    "webgal.refactor_scene",
    "refactor",
    SceneToRework,
    ("path", "goal"),
    refactor_scene,
    required=("path",),
    locate=scene_target,
)

PROMPTS = (CREATE_SCENE, REFACTOR_SCENE, FIX_VALIDATION)
