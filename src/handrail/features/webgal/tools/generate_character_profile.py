"""generate_character_profile of contract 3 §2.7: adds a character's definition to the project's file."""

import json

import msgspec

from handrail.features.webgal.port import WebGal
from handrail.features.webgal.previews.scene_finder import find_game, project_game
from handrail.features.webgal.script.character_file import characters_of
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import NoChange, Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    Conflict,
    Damaged,
    Declined,
    Failure,
    InputOutput,
    InvalidParams,
    NotFound,
    OutsideRoot,
)
from handrail.ports.paths import parse_path
from handrail.ports.schemas import schema


def with_character(text: str, path: str, profile: dict[str, str]) -> str | None:
    """Adds a character; returns None if it is already there. Raises Conflict if it is defined differently."""
    try:
        document = json.loads(text) if text.strip() else {"characters": []}
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path} is not JSON: {error}", hint="Fix it by hand first.", path=path) from None
    characters = characters_of(document)
    name = profile["name"]
    if isinstance(characters, dict):
        existing, definition = characters.get(name), {key: value for key, value in profile.items() if key != "name"}
        characters[name] = definition
    elif isinstance(characters, list):
        matches = [each for each in characters if isinstance(each, dict) and each.get("name") == name]
        existing, definition = matches[0] if matches else None, dict(profile)
        characters.append(definition)
    else:
        raise Damaged(f"{path} contains no list or table of characters.", path=path)
    if existing is not None:
        if existing == definition:
            return None
        raise Conflict(
            f"{name} is already defined differently.",
            hint=f"Change {path} with replace_in_file if that is intended.",
            path=path,
        )
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


_FILE = "characters.json"


class Params(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    name: str
    image_file: str
    default_expression: str | None = None


class Result(msgspec.Struct, frozen=True):
    success: bool


async def generate_character_profile(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """Define a character in `characters.json`, so that script checks know the name: its picture or model in
    `game/figure` and, optionally, its usual expression. E_CONFLICT: the character is already defined differently.
    """
    assert preview is not None
    await in_thread(call, lambda: webgal.changes.commit(call, preview), is_final=True)
    return Result(True)


async def preview(webgal: WebGal, call: Call, params: Params) -> Preview | NoChange:
    return await in_thread(call, lambda: _plan(webgal, params))


async def locate(webgal: WebGal, call: Call, params: Params) -> Target:
    return Target(path=_file(webgal))


def _plan(webgal: WebGal, params: Params) -> Preview | NoChange:
    _check_image(webgal, params.image_file)
    path = _file(webgal)
    try:
        before = webgal.games.text_of(path)
    except NotFound:
        before = ""
    after = with_character(before, path, msgspec.to_builtins(params))
    if after is None:
        return NoChange(Result(True))
    return webgal.changes.preview(path, after.encode(), f"Define the character {params.name} in {path}")


def _check_image(webgal: WebGal, name: str) -> None:
    from handrail.features.webgal.script.listing import FileStatus

    parse_path(name)
    folder = project_game(webgal.games.files, webgal.games.may_read)
    listing = webgal.games.assets(folder).listing
    if listing.find("figure", name)[0] in (FileStatus.EXISTS, FileStatus.UNKNOWN):
        return
    near = listing.near("figure", name)
    hint = f"Did you mean {', '.join(near)}?" if near else "list_project_resources shows the figures."
    raise NotFound(f"There is no figure {name!r}.", hint=hint, path=f"{folder}/figure/{name}", near=near)


def _file(webgal: WebGal) -> str:
    """Returns the file that the project already has, or the game's own."""
    files, folder = webgal.games.files, find_game(webgal.games.files)
    own = _FILE if folder in (None, ".") else f"{folder}/{_FILE}"
    for path in (own, _FILE):
        try:
            if files.mode(path) is not None:
                return path
        except Failure:
            continue
    return own


TOOL = Tool(
    name="generate_character_profile",
    title="Define a character",
    params=Params,
    input_schema=schema("webgal", "generate_character_profile.request"),
    output_schema=schema("webgal", "generate_character_profile.response"),
    effect=Effect.WRITE,
    errors=(OutsideRoot, Conflict, NotFound, Damaged, Declined, InputOutput, InvalidParams),
    locate=locate,
    preview=preview,
    run=generate_character_profile,
)
