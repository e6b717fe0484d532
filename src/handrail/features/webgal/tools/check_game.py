"""check_game, for `handrail webgal check`: problems of whole games or single files, and their fixed texts."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.webgal.port import WebGal
from handrail.kernel.call import Call
from handrail.kernel.threads import in_thread
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import Damaged, InputOutput, InvalidParams, NotFound, OutsideRoot


class Params(msgspec.Struct, frozen=True):
    paths: tuple[str, ...] = ()
    fix: bool = False


class Problem(msgspec.Struct, frozen=True, rename="camel"):
    """`start` and `end` are characters of `text`, the line with the problem; for a whole file there is no text."""

    line: int
    code: str
    kind: Literal["syntax", "resource", "style"]
    message: str
    start: int
    end: int
    text: str
    fix_hint: str | UnsetType = UNSET


class File(msgspec.Struct, frozen=True):
    path: str
    problems: list[Problem]
    mended: str | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True):
    """The files with problems, and how much was checked."""

    files: list[File]
    scenes: int
    lines: int
    engines: list[str] = []
    """Versions of the engines included in the games."""


async def check_game(webgal: WebGal, call: Call, params: Params, preview: Preview | None) -> Result:
    """Check whole games, or the files that are named. With `fix`, each file's text with its safe fixes applied."""
    from handrail.features.webgal.game_check import check_games

    return await in_thread(call, lambda: check_games(webgal, call, params))


TOOL = Tool(
    name="check_game",
    title="Check a game",
    params=Params,
    input_schema={
        "type": "object",
        "additionalProperties": False,
        "properties": {"paths": {"type": "array", "items": {"type": "string"}}, "fix": {"type": "boolean"}},
    },
    errors=(NotFound, OutsideRoot, Damaged, InputOutput, InvalidParams),
    is_idempotent=True,
    is_for_agents=False,
    run=check_game,
)
