"""agent_permission: sends another agent's permission request through the gate, like any other call."""

from collections.abc import Sequence

import msgspec

from handrail.kernel.call import Call
from handrail.kernel.json_schema import schema_of
from handrail.kernel.tool import CallSubject, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.ports.effect import Effect

NAME = "agent_permission"
FACE = "acp"


class FileChange(msgspec.Struct, frozen=True):
    path: str
    new_text: str
    old_text: str = ""


class Params(msgspec.Struct, frozen=True):
    """Everything that the agent reports about its call; the approval is bound to all of it."""

    agent: str
    title: str
    kind: str = "other"
    input: str = ""
    """The tool's parameters, as JSON."""
    changes: Sequence[FileChange] = ()
    locations: Sequence[str] = ()


class Result(msgspec.Struct, frozen=True):
    allowed: bool


async def agent_permission(port: None, call: Call, params: Params, preview: Preview | None) -> Result:
    """Allow another agent's tool call inside its cage."""
    return Result(True)


async def preview(port: None, call: Call, params: Params) -> Preview:
    facts = [("kind", params.kind), ("where", "in its cage: the project itself changes only when you review it")]
    facts += [("file", path) for path in params.locations]
    facts += [(f"new content of {change.path}", change.new_text) for change in params.changes]
    if params.input:
        facts.append(("parameters", params.input))
    return Preview(f"{params.agent} wants to {quoted_line(params.title)}", about=CallSubject(params.title), facts=facts)


TOOLS = (
    Tool(
        name=NAME,
        title="Allow an agent's tool call",
        params=Params,
        input_schema=schema_of(Params),
        output_schema=schema_of(Result),
        effect=Effect.EXECUTE,
        preview=preview,
        run=agent_permission,
        is_for_agents=False,
        face=FACE,
    ),
)


def no_port(project: object) -> None:
    """This feature's tool uses nothing of the project."""
