"""tools_call: another way to call any tool. The gate calls that tool, under its own rules, and records it."""

from typing import Annotated, Any

import msgspec

from handrail.features.gateway.gateway import Gateway
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.tool import Preview, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(max_length=200)]
    arguments: dict[str, Any] = {}


async def tools_call(gateway: Gateway, call: Call, params: Params, preview: Preview | None) -> None:
    """Call a tool by name. May ask the person first, as if you had called it directly."""
    raise AssertionError("the gate calls the tool that is named")


def _resolve(gateway: Gateway, raw: Any) -> tuple[str, Any]:
    try:
        params = msgspec.convert(raw, Params)
    except msgspec.ValidationError as error:
        raise InvalidParams(f"The parameters are not valid: {error}") from None
    if params.name in TOOL.names:
        raise InvalidParams("tools_call can't call itself.", hint="Name the tool that you want.")
    return params.name, params.arguments


TOOL = Tool(
    name="tools_call",
    title="Call a tool",
    params=Params,
    input_schema=schema_of(Params),
    effect=Effect.EXECUTE,
    errors=(InvalidParams,),
    finds_tools=True,
    forwards_to=_resolve,
    run=tools_call,
)
