"""apps_describe: what an app's tools do, take and return; also as a resource, `app:<id>`."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.apps.apps import AppId, Apps, app_target, closed_schema, find_tool
from handrail.features.apps.model import App, AppTool, UnknownApp, UnknownAppTool
from handrail.kernel.call import Call
from handrail.kernel.content import Resource
from handrail.kernel.json_schema import schema_of
from handrail.kernel.quoting import fence_text
from handrail.kernel.target import Target
from handrail.kernel.tool import ListedResource, Preview, Reply, ResourceKind, Tool
from handrail.kernel.visible import one_line
from handrail.ports.errors import InvalidParams

_FEW = 8
"""Apps with up to this many tools return all of their schemas; apps with more, one tool at a time."""


class Params(msgspec.Struct, frozen=True):
    app: AppId
    tool: Annotated[str, msgspec.Meta(description="With its schemas; without it, all of the app's tools.")] = ""


class ToolWords(msgspec.Struct, frozen=True):
    name: str
    description: str
    parameters: dict[str, Any] | UnsetType = UNSET
    returns: dict[str, Any] | UnsetType = UNSET
    idempotent: bool | UnsetType = UNSET


class Result(msgspec.Struct, frozen=True):
    id: str
    name: str
    description: str
    execution: str
    tools: tuple[ToolWords, ...]
    version: str | UnsetType = UNSET
    auth: str | UnsetType = UNSET


async def apps_describe(apps: Apps, call: Call, params: Params, preview: Preview | None) -> Reply:
    """Show an app's tools or, with `tool`, the JSON Schemas of one tool's parameters and result."""
    result = describe(apps.catalogue.find(params.app), params.tool)
    return Reply(result, text=_to_text(result))


def describe(app: App, tool: str = "") -> Result:
    """UnknownAppTool."""
    tools = (find_tool(app, tool),) if tool else app.tools
    has_schemas = bool(tool) or len(tools) <= _FEW
    return Result(
        id=app.id,
        name=app.name,
        description=app.description,
        execution=str(app.execution.__struct_config__.tag),
        tools=tuple(_tool_words(each, has_schemas) for each in tools),
        version=app.version or UNSET,
        auth=UNSET if app.auth is None else str(app.auth.__struct_config__.tag),
    )


def _tool_words(tool: AppTool, has_schemas: bool) -> ToolWords:
    if not has_schemas:
        return ToolWords(tool.name, tool.description)
    returns = UNSET if tool.returns is None else tool.returns
    return ToolWords(tool.name, tool.description, tool.parameters, returns, tool.is_idempotent or UNSET)


def _to_text(result: Result) -> str:
    about = ", ".join(filter(None, (result.version or "", f"needs {result.auth}" if result.auth else "")))
    lines = [f"{result.id} ({one_line(result.name)}{', ' + one_line(about) if about else ''}): {result.description}"]
    for tool in result.tools:
        lines.append(f"{tool.name}: {tool.description}")
        if tool.parameters is not UNSET:
            lines.append(f"  parameters {msgspec.json.encode(tool.parameters).decode()}")
        if tool.returns is not UNSET:
            lines.append(f"  returns {msgspec.json.encode(tool.returns).decode()}")
    return f"{result.id}, {len(result.tools)} tools.\n{fence_text(chr(10).join(lines), 'text of the app')}"


TOOL = Tool(
    name="apps_describe",
    title="Describe an app",
    params=Params,
    input_schema=closed_schema(schema_of(Params)),
    output_schema=schema_of(Result),
    errors=(InvalidParams, UnknownApp, UnknownAppTool),
    target=app_target,
    run=apps_describe,
)


_PREFIX = "app:"
_MIME = "application/json"


class ResourceParams(msgspec.Struct, frozen=True):
    uri: str


class NoParams(msgspec.Struct, frozen=True):
    pass


async def list_apps(apps: Apps, call: Call, params: NoParams, preview: Preview | None) -> list[ListedResource]:
    """List the apps of this machine."""
    return [ListedResource(_PREFIX + app.id, app.id, app.name, app.description) for app in apps.catalogue.apps()]


async def read_app(apps: Apps, call: Call, params: ResourceParams, preview: Preview | None) -> Reply:
    """Read what an app can do, for apps_call."""
    description = describe(apps.catalogue.find(_id(params)))
    return Reply(None, [Resource(params.uri, msgspec.json.encode(description).decode(), _MIME)])


def _target(params: ResourceParams) -> Target:
    return Target(app=_id(params))


def _id(params: ResourceParams) -> str:
    return params.uri.removeprefix(_PREFIX)


RESOURCE = ResourceKind(
    name="app",
    title="An app of this machine",
    description="What it can do, for apps_call.",
    template=f"{_PREFIX}{{id}}",
    mime=_MIME,
    listing=Tool(
        name="apps.apps",
        title="List apps",
        params=NoParams,
        input_schema=schema_of(NoParams),
        is_idempotent=True,
        run=list_apps,
    ),
    reading=Tool(
        name="apps.app",
        title="Read what an app can do",
        params=ResourceParams,
        input_schema=schema_of(ResourceParams),
        errors=(InvalidParams, UnknownApp),
        is_idempotent=True,
        target=_target,
        run=read_app,
    ),
)
