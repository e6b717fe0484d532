"""native_fetch, native_mcp, native_other: clients' own tools other than commands and files."""

import re

from handrail.features.hooks.native import ALLOWED, Allowed, Fetch, Mcp, Other
from handrail.features.hooks.project_hooks import Hooks
from handrail.kernel.call import Call
from handrail.kernel.target import ANY_PLACE, Target
from handrail.kernel.tool import CallSubject, NoChange, Preview, Tool
from handrail.kernel.visible import quoted_line
from handrail.kernel.web_address import parse_address
from handrail.ports.effect import Effect
from handrail.ports.errors import Declined, InvalidParams

_WEB_SOCKET = re.compile(r"^\s*ws(s?)(?=://)", re.IGNORECASE)


def _place(params: Fetch) -> Target:
    try:
        return Target(place=parse_address(_WEB_SOCKET.sub(r"http\1", params.url)).place or ANY_PLACE)
    except InvalidParams:
        return Target(place=ANY_PLACE)


async def _fetch_preview(hooks: Hooks, call: Call, params: Fetch) -> Preview | NoChange:
    return Preview(
        f"{call.caller.name} wants to fetch {quoted_line(params.url[:200])}",
        about=CallSubject(params.url),
        place=_place(params).place,
    )


async def native_fetch(hooks: Hooks, call: Call, params: Fetch, preview: Preview | None) -> Allowed:
    """Fetches a page. It is allowed or denied here; the client fetches it."""
    return ALLOWED


async def _mcp_preview(hooks: Hooks, call: Call, params: Mcp) -> Preview | NoChange:
    return Preview(
        f"{call.caller.name} wants to call {quoted_line(params.tool)} of {quoted_line(params.server)}",
        about=CallSubject(params.tool, within=params.server),
    )


async def native_mcp(hooks: Hooks, call: Call, params: Mcp, preview: Preview | None) -> Allowed:
    """Calls a tool of an MCP server. It is allowed or denied here; the client calls it."""
    return ALLOWED


async def _other_preview(hooks: Hooks, call: Call, params: Other) -> Preview | NoChange:
    return Preview(
        f"{call.caller.name} wants to use its tool {quoted_line(params.tool)}", about=CallSubject(params.tool)
    )


async def native_other(hooks: Hooks, call: Call, params: Other, preview: Preview | None) -> Allowed:
    """Uses any other tool of the client. It is allowed or denied here; the client runs it."""
    return ALLOWED


_TEXT = {"type": "string", "minLength": 1, "maxLength": 8192}
FETCH = Tool(
    name="native_fetch",
    title="Fetch a page",
    params=Fetch,
    input_schema={"type": "object", "properties": {"url": _TEXT}, "required": ["url"], "additionalProperties": False},
    effect=Effect.EXECUTE,
    errors=(Declined, InvalidParams),
    target=_place,
    preview=_fetch_preview,
    run=native_fetch,
    is_for_agents=False,
    face="hook",
)
MCP = Tool(
    name="native_mcp",
    title="Call another MCP server",
    params=Mcp,
    input_schema={
        "type": "object",
        "properties": {"server": _TEXT, "tool": _TEXT, "arguments": {"type": "object"}},
        "required": ["server", "tool"],
        "additionalProperties": False,
    },
    effect=Effect.EXECUTE,
    errors=(Declined, InvalidParams),
    target=lambda params: Target(server=params.server, command=params.tool),
    preview=_mcp_preview,
    run=native_mcp,
    is_for_agents=False,
    face="hook",
)
OTHER = Tool(
    name="native_other",
    title="Use a tool of the client",
    params=Other,
    input_schema={
        "type": "object",
        "properties": {"tool": _TEXT, "input": {"type": "object"}, "isHarmless": {"type": "boolean"}},
        "required": ["tool"],
        "additionalProperties": False,
    },
    effect=lambda params: Effect.READ if params.is_harmless else Effect.EXECUTE,
    errors=(Declined, InvalidParams),
    target=lambda params: Target(command=params.tool),
    preview=_other_preview,
    run=native_other,
    is_for_agents=False,
    face="hook",
)
