"""What the prompts share: how one is declared, and the game that it speaks of."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.place import the_game
from handrail.kernel.call import Call
from handrail.kernel.content import Resource
from handrail.kernel.target import Target
from handrail.kernel.tool import SHELF_KEYWORD, Preview, Tool
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
    """`arguments`: what each one is for. `locate` is asked where one of them names a file."""
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
    named = {SHELF_KEYWORD: "scene"} if name == "path" else {}
    return {"type": "string", "description": text, **named}


def game(webgal: WebGal, call: Call) -> "Project":
    """The project's game as it stands. NotFound."""
    folder = the_game(webgal.games.files, webgal.games.may_read)
    return webgal.games.opened(folder, call.checkpoint)[0]


def scene_part(path: str, uri: str, text: str) -> Resource:
    """A scene's whole text, as a part of what is said."""
    if len(text) > _LARGEST_SCENE:
        raise TooLarge(
            f"{path} has {len(text)} characters; at most {_LARGEST_SCENE} fit into a prompt.",
            hint="Split the scene, or have the agent work on it with search_files and replace_in_file.",
            path=path,
        )
    return Resource(uri, text)
