"""list_project_resources of contract 3 §2.1."""

import posixpath
from collections.abc import Collection
from typing import TYPE_CHECKING

import msgspec

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.scene_finder import has_games, project_game
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import InputOutput, NotFound
from handrail.ports.schemas import schema

if TYPE_CHECKING:
    from handrail.features.webgal.script.listing import GameAssets


class Params(msgspec.Struct, frozen=True):
    pass


class Result(msgspec.Struct, frozen=True):
    backgrounds: list[str]
    figures: list[str]
    bgm: list[str]
    vocals: list[str]
    scenes: list[str]


async def list_project_resources(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """List what the game's scripts can use, each path relative to its own folder: backgrounds, figures, bgm, vocals
    (voices and sound effects) and scenes.
    """
    return await in_thread(call, lambda: list_resources(webgal))


def list_resources(webgal: WebGal) -> Result:
    from handrail.features.webgal.script.listing import GameAssets
    from handrail.features.webgal.script.media import IMAGES, SOUNDS, VIDEOS

    games = webgal.games
    assets = games.assets(project_game(games.files, games.may_read)) if has_games(games.files) else GameAssets()
    return Result(
        backgrounds=_with_ending(assets, "background", IMAGES | VIDEOS | {".skel"}),
        figures=_figures(assets),
        bgm=_with_ending(assets, "bgm", SOUNDS),
        vocals=_with_ending(assets, "vocal", SOUNDS),
        scenes=_with_ending(assets, "scene", {".txt"}),
    )


def _with_ending(assets: "GameAssets", folder: str, endings: Collection[str]) -> list[str]:
    names = assets.listing.by_folder.get(folder, ())
    return sorted(name for name in names if posixpath.splitext(name)[1].lower() in endings)


def _figures(assets: "GameAssets") -> list[str]:
    from handrail.features.webgal.script.media import IMAGES, is_model

    return sorted(
        name
        for name in assets.listing.by_folder.get("figure", ())
        if (path := f"figure/{name}") not in assets.parts
        and (path in assets.models or is_model(name) or posixpath.splitext(name)[1].lower() in IMAGES)
    )


TOOL = Tool(
    name="list_project_resources",
    title="List a game's resources",
    params=Params,
    input_schema={"type": "object", "additionalProperties": False, "properties": {}},
    output_schema=schema("webgal", "list_project_resources.response"),
    errors=(NotFound, InputOutput),
    is_idempotent=True,
    run=list_project_resources,
)
