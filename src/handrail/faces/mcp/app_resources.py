"""Each app as a resource `app:<id>`: the list and what an app can do, both asked for at the gate like any call."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from handrail.contract.call import Call, Caller
from handrail.contract.errors import Failure
from handrail.core.gate import Gate
from handrail.faces.mcp.sdk import MCPError, Server, ServerRequestContext, types

Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Caller]

_SCHEME = "app:"
_A_PAGE = 100
_COMMON = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}


def offer_apps(server: Server[Any], gate: Gate, caller: CallerOf) -> None:
    """To clients that read resources, where the apps are switched on here."""
    if not any(entry.tool.name == "apps_describe" for entry in gate.registry):
        return

    async def ask(context: Context, tool: str, params: dict[str, Any]) -> dict[str, Any]:
        try:
            reply = await gate.run(Call(tool=tool, params=params, caller=caller(context)))
        except Failure as failure:
            raise MCPError(code=types.INVALID_PARAMS, message=failure.message) from None
        told: dict[str, Any] = msgspec.to_builtins(reply.result)
        return told

    server.add_request_handler("resources/list", types.PaginatedRequestParams, _listing(ask))
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, _list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, _reading(ask))


_Ask = Callable[[Context, str, dict[str, Any]], Awaitable[dict[str, Any]]]


def _listing(ask: _Ask) -> Callable[[Context, types.PaginatedRequestParams], Awaitable[dict[str, Any]]]:
    async def list_resources(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        cursor = params.cursor or "0"
        if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 9:
            raise MCPError(code=types.INVALID_PARAMS, message="This cursor is none of ours.")
        page = await ask(context, "apps_list", {"limit": _A_PAGE, "offset": int(cursor)})
        resources = [
            {
                "uri": _SCHEME + app["id"],
                "name": app["id"],
                "title": app["name"],
                "description": app["description"],
                "mimeType": "application/json",
            }
            for app in page["apps"]
        ]
        after = {"nextCursor": str(page["nextOffset"])} if "nextOffset" in page else {}
        return {"resources": resources, **after, **_COMMON}

    return list_resources


async def _list_templates(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
    template = {
        "uriTemplate": _SCHEME + "{id}",
        "name": "app",
        "title": "An app of this machine",
        "description": "What it can do, for apps_call.",
        "mimeType": "application/json",
    }
    return {"resourceTemplates": [template], **_COMMON}


def _reading(ask: _Ask) -> Callable[[Context, types.ReadResourceRequestParams], Awaitable[dict[str, Any]]]:
    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        uri = str(params.uri)
        if not uri.startswith(_SCHEME):
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no resource {uri[:200]!r}.", data={"uri": uri})
        told = await ask(context, "apps_describe", {"app": uri.removeprefix(_SCHEME)})
        text = msgspec.json.encode(told).decode()
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}], **_COMMON}

    return read_resource
