"""net_publish: forwards a port that the agent has opened to the person's browser. The launcher calls it."""

import msgspec

from handrail.features.cage.connections import PUBLISH_NAME, Connections
from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, Preview, Tool
from handrail.kernel.web_address import Place
from handrail.ports.effect import Effect
from handrail.ports.errors import Offline


class Params(msgspec.Struct, frozen=True):
    """The port inside, and the port on this machine that is forwarded to it."""

    port: int
    outside: int


class Result(msgspec.Struct, frozen=True):
    address: str


async def net_publish(connections: Connections, call: Call, params: Params, preview: Preview | None) -> Result:
    """Forward a port of this machine to one in the cage."""
    await connections.publish(params.port, params.outside)
    return Result(f"http://localhost:{params.outside}")


async def preview(connections: Connections, call: Call, params: Params) -> Preview:
    return Preview(
        f"{call.caller.name} opened port {params.port}. Forward it to your browser?",
        about=CallSubject(str(params.port), "port"),
        facts=[
            ("address", f"http://localhost:{params.outside}"),
            ("a yes covers", "this run; only programs on this machine can connect"),
        ],
    )


def _target(params: Params) -> Target:
    return Target(place=str(Place("http", "127.0.0.1", params.port)))


def _lane(params: Params) -> str:
    """A question about one port must not block others."""
    return str(params.port)


TOOL = Tool(
    name=PUBLISH_NAME,
    title="Forward a port to the browser",
    params=Params,
    input_schema=schema_of(Params),
    output_schema=schema_of(Result),
    run=net_publish,
    effect=Effect.EXECUTE,
    errors=(Offline,),
    preview=preview,
    target=_target,
    lane=_lane,
    is_for_agents=False,
)
