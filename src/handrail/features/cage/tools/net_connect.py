"""net_connect: connects to a host outside the cage. Programs ask for it through the proxy, not as a tool."""

from typing import Literal

import msgspec

from handrail.features.cage.connections import TOOL_NAME, Connections
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Preview, Tool
from handrail.kernel.web_address import Place
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined, Offline


class Params(msgspec.Struct, frozen=True):
    scheme: Literal["http", "https"]
    host: str
    port: int
    is_model: bool = False
    """A host of the client's own model, which the person allowed by choosing the client."""


class Result(msgspec.Struct, frozen=True):
    address: str


async def net_connect(connections: Connections, call: Call, params: Params, preview: Preview | None) -> Result:
    """Connect to a host outside the cage."""
    destination = await connections.resolve(params.scheme, params.host, params.port, call.caller.agent)
    return Result(await connections.open(call.execution_id, destination))


async def preview(connections: Connections, call: Call, params: Params) -> Preview:
    """The name is resolved only after a yes: a question to a name server tells its owner what the agent wrote in it."""
    return Preview(
        f"{call.caller.name} wants to connect to {params.host}:{params.port}",
        about=CallSubject(f"{params.host}:{params.port}", leaves=True),
        place=_target(params).place,
        facts=[("a yes covers", "further connections to this host and port for ten minutes")],
    )


def _target(params: Params) -> Target:
    return Target(place=str(Place(params.scheme, params.host, params.port)))


def _lane(params: Params) -> str:
    """A question about one host must not block others."""
    return f"{params.host}:{params.port}"


TOOL = Tool(
    name=TOOL_NAME,
    title="Connect to a host",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    run=net_connect,
    effect=lambda params: Effect.READ if params.is_model else Effect.EXECUTE,
    errors=(Declined, Offline),
    preview=preview,
    target=_target,
    lane=_lane,
    is_for_agents=False,
)
