"""What MCP has beside tools, where a surface has any of it: prompts, resources and their names, through the gate."""

from collections.abc import Callable
from typing import Any

from handrail.faces.mcp.completion import completion, meant_shelf
from handrail.faces.mcp.prompts import listed_prompt, prompt_result
from handrail.faces.mcp.resources import contents, page, shelf_of, template
from handrail.faces.mcp.sdk import MCPError, Server, ServerRequestContext, types
from handrail.kernel.call import Call, Role
from handrail.kernel.dialects import envelope
from handrail.kernel.gate import Gate
from handrail.kernel.tool import Listed, Shelf
from handrail.ports.errors import Failure, Internal, NotFound

Context = ServerRequestContext[Any, Any]
MakeCall = Callable[[Context, str, Any, Role], Call]

_FRESH = {"ttlMs": 0, "cacheScope": "private"}
_COMPLETE = {"resultType": "complete"}
# Until protocol 2026-07-28, which has no code of its own for it.
_RESOURCE_NOT_FOUND = -32002
_WITHOUT_THAT_CODE = "2026-07-28"


def offer_reading(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    """A capability is declared only where there is something behind it."""
    if gate.registry.prompts:
        _offer_prompts(server, gate, make_call)
    if gate.registry.shelves:
        _offer_resources(server, gate, make_call)
        _offer_completion(server, gate, make_call)


def _offer_prompts(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    async def list_prompts(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"prompts": [listed_prompt(entry.tool) for entry in gate.registry.prompts], **_FRESH, **_COMPLETE}

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        names = [entry.tool.name for entry in gate.registry.prompts]
        if params.name not in names:
            message = f"There is no prompt named {params.name!r}, only {', '.join(names)}."
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        try:
            reply = await gate.run(make_call(context, params.name, params.arguments, "prompt"))
        except Failure as failure:
            raise _refusal(failure, types.INVALID_PARAMS) from None
        return {**prompt_result(gate.registry.find(params.name).tool, reply), **_COMPLETE}

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)


def _offer_resources(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    async def list_resources(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        known: list[tuple[Shelf, Listed]] = []
        try:
            for shelf in gate.registry.shelves:
                reply = await gate.run(make_call(context, shelf.listing.name, {}, "resource"))
                known += [(shelf, listed) for listed in reply.result]
            return {**page(known, params.cursor), **_FRESH, **_COMPLETE}
        except Failure as failure:
            raise _refusal(failure, types.INVALID_PARAMS) from None

    async def list_templates(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"resourceTemplates": [template(shelf) for shelf in gate.registry.shelves], **_FRESH, **_COMPLETE}

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        uri, dialect = str(params.uri), "webgal"
        try:
            shelf = shelf_of(gate.registry.shelves, uri)
            dialect = gate.registry.find(shelf.reading.name).surface.dialect
            reply = await gate.run(make_call(context, shelf.reading.name, {"uri": uri}, "resource"))
        except NotFound as missing:
            is_known = context.protocol_version < _WITHOUT_THAT_CODE
            raise _refusal(missing, _RESOURCE_NOT_FOUND if is_known else types.INVALID_PARAMS, dialect) from None
        except Failure as failure:
            raise _refusal(failure, types.INVALID_PARAMS, dialect) from None
        return {**contents(reply), **_FRESH, **_COMPLETE}

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read_resource)


def _offer_completion(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    async def complete(context: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        try:
            prompts = [entry.tool for entry in gate.registry.prompts]
            shelf = meant_shelf(params, prompts, gate.registry.shelves)
            if shelf is None:
                return {**completion([], ""), **_COMPLETE}
            reply = await gate.run(make_call(context, shelf.listing.name, {}, "resource"))
        except Failure as failure:
            raise _refusal(failure, types.INVALID_PARAMS) from None
        return {**completion([listed.name for listed in reply.result], params.argument.value), **_COMPLETE}

    server.add_request_handler("completion/complete", types.CompleteRequestParams, complete)


def _refusal(failure: Failure, code: int, dialect: str = "webgal") -> MCPError:
    """The protocol's code, and the error object of the contract that is spoken there beside it."""
    known = types.INTERNAL_ERROR if isinstance(failure, Internal) else code
    text = failure.message if failure.hint is None else f"{failure.message} {failure.hint}"
    return MCPError(code=known, message=text, data=envelope(dialect, failure))
