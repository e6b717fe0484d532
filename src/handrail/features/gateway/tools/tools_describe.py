"""tools_describe: shows everything that an agent needs to know to call a tool."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from handrail.features.gateway.gateway import Gateway
from handrail.features.gateway.tools.tools_search import searchable_tools
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.tool import Preview, Tool
from handrail.ports.errors import NotFound


class Params(msgspec.Struct, frozen=True):
    name: Annotated[str, msgspec.Meta(max_length=200)]


class Result(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | UnsetType = UNSET


async def tools_describe(gateway: Gateway, call: Call, params: Params, preview: Preview | None) -> Result:
    """Show what a tool does, takes and returns."""
    for entry in searchable_tools(gateway):
        if params.name in entry.tool.names:
            tool = entry.tool
            output_schema = UNSET if tool.output_schema is None else dict(tool.output_schema)
            return Result(tool.listed_name, tool.description, dict(tool.input_schema), output_schema)
    raise NotFound(f"There is no tool named {params.name!r}.", hint="tools_search finds them.")


TOOL = Tool(
    name="tools_describe",
    title="Describe a tool",
    params=Params,
    input_schema=schema_of(Params),
    errors=(NotFound,),
    finds_tools=True,
    run=tools_describe,
)
