"""apps_list: finds apps by what they do, one page at a time."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.apps.apps import Apps, closed_schema
from handrail.features.apps.model import ListedApp
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.quoting import fence_text
from handrail.kernel.tool import Preview, Reply, Tool
from handrail.kernel.visible import one_line
from handrail.ports.errors import InvalidParams

_MOST = 100
_MAX_TOOLS = 5
_LONGEST_DESCRIPTION = 120


class Params(msgspec.Struct, frozen=True):
    query: Annotated[str, msgspec.Meta(description="Words that the app or one of its tools has.")] = ""
    limit: Annotated[int, msgspec.Meta(ge=1, le=_MOST)] = 20
    offset: Annotated[int, msgspec.Meta(ge=0)] = 0


class Found(msgspec.Struct, frozen=True):
    id: str
    name: str
    description: str
    tools: int
    matching: tuple[str, ...] | UnsetType = UNSET
    """Names of tools that match the query."""


class Result(msgspec.Struct, frozen=True, rename="camel"):
    apps: tuple[Found, ...]
    total: int
    next_offset: int | UnsetType = UNSET


async def apps_list(apps: Apps, call: Call, params: Params, preview: Preview | None) -> Reply:
    """List the apps that can be called, or with `query` those that do what you need. apps_describe shows their tools,
    apps_call calls one.
    """
    words = params.query.lower().split()
    while True:
        matches = [match for app in apps.catalogue.apps() if (match := _match(app, words)) is not None]
        page = tuple(matches[params.offset : params.offset + params.limit])
        # Lists are read cheaply. Every app that is shown is checked completely; broken ones are left out from then on.
        if all(apps.catalogue.is_valid_app(app.id) for app in page):
            break
    after = params.offset + len(page)
    result = Result(page, len(matches), after if after < len(matches) else UNSET)
    return Reply(result, text=_to_text(result))


def _match(app: ListedApp, words: list[str]) -> Found | None:
    """Each word must be in the app's own text, or all of them in one of its tools."""
    own = f"{app.id} {app.name} {app.description}".lower()
    missing = [word for word in words if word not in own]
    matching = [
        tool.name
        for tool in (app.tools if words else ())
        if all(word in f"{tool.name} {tool.description}".lower() for word in (missing or words))
    ]
    if missing and not matching:
        return None
    shown = tuple(matching[:_MAX_TOOLS]) or UNSET
    return Found(app.id, app.name, _shorten(app.description), len(app.tools), shown)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_DESCRIPTION else f"{text[: _LONGEST_DESCRIPTION - 1]}…"


def _to_text(result: Result) -> str:
    if not result.apps:
        return "No app."
    more = "" if result.next_offset is UNSET else f" More with offset {result.next_offset}."
    lines = [
        f"{app.id} ({one_line(app.name)}): {one_line(app.description)} "
        f"[{f'{app.tools} tools' if app.matching is UNSET else ', '.join(app.matching)}]"
        for app in result.apps
    ]
    return f"{len(result.apps)} of {result.total} apps.{more}\n{fence_text(chr(10).join(lines), 'text of apps')}"


TOOL = Tool(
    name="apps_list",
    title="List apps",
    params=Params,
    input_schema=closed_schema(schema_of(Params)),
    output_schema=schema_of(Result),
    errors=(InvalidParams,),
    run=apps_list,
)
