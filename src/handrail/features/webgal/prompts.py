"""Prompts for a person to give to an agent, filled with the facts of this game."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from handrail.features.webgal import guidance
from handrail.features.webgal.guidance import WORDS, known_scene, said, scene_findings, scene_name, scene_path
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
    about: str,
    params: type[ParamsT],
    arguments: Sequence[str],
    run: Callable[[WebGal, Call, ParamsT, Preview | None], Awaitable[Any]],
    *,
    required: tuple[str, ...] = (),
    locate: Callable[[WebGal, Call, ParamsT], Awaitable[Target]] | None = None,
) -> Tool[WebGal, ParamsT]:
    """`about` is what its words begin with. `locate` is called if one of the arguments names a file."""
    return Tool(
        name=name,
        title=WORDS[f"{about} title"],
        words=WORDS[f"{about} about"],
        params=params,
        input_schema={
            "type": "object",
            "additionalProperties": False,
            "properties": {key: _argument(key, WORDS[f"{about} {key}"]) for key in arguments},
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
    return await in_thread(call, lambda: Reply(None, [Text(_create_text(webgal, call, params))]))


def _create_text(webgal: WebGal, call: Call, params: NewScene) -> str:
    project = game(webgal, call)
    path = scene_path(project, params.name)
    if scene_name(project, params.name) in project.scenes:
        raise Conflict(f"{path} is there already.", hint="webgal.refactor_scene changes a scene.", path=path)
    wishes = [
        said("outline", text=params.outline or WORDS["any outline"]),
        said("cast", text=params.characters or WORDS["any cast"]),
    ]
    return "\n\n".join(
        [
            said("create", path=path),
            "\n".join(wishes),
            guidance.facts(project, listed(webgal)),
            WORDS["writing"],
            guidance.steps(
                WORDS["read some"],
                WORDS["checking"],
                WORDS["saving"],
                said("lead there", name=scene_name(project, params.name)),
                WORDS["showing"],
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
    project = game(webgal, call)
    names = [known_scene(project, params.path)] if params.path else sorted(project.scenes)
    what = said("one scene", path=scene_path(project, params.path)) if params.path else WORDS["whole game"]
    text = "\n\n".join(
        [
            said("fix", what=what),
            guidance.problems(project, names, scene_findings(project, names)),
            guidance.facts(project, listed(webgal)),
            WORDS["writing"],
            guidance.steps(
                WORDS["judge"],
                WORDS["only wrong lines"],
                WORDS["check again"],
                WORDS["on purpose"],
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
    project = game(webgal, call)
    name = known_scene(project, params.path)
    path = scene_path(project, name)
    text = "\n\n".join(
        [
            said("refactor", path=path),
            said("goal", text=params.goal or WORDS["any goal"]),
            _neighbours(project, name),
            guidance.problems(project, [name], scene_findings(project, [name])),
            guidance.facts(project, listed(webgal)),
            WORDS["writing"],
            guidance.steps(
                WORDS["plan first"],
                WORDS["checking"],
                WORDS["saving"] + WORDS["saving few"],
                WORDS["showing"],
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
            WORDS["neighbours"],
            said("from", names=WORDS["comma"].join(before) or WORDS["from nowhere"]),
            said("to", names=WORDS["comma"].join(after) or WORDS["to nowhere"]),
            WORDS["keep these"],
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
