"""What MCP offers beside tools: prompts, resources and the completion of arguments, all through the gate."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from handrail.faces.mcp.listing import as_content, as_resource
from handrail.faces.mcp.sdk import MCPError, Server, ServerRequestContext, types
from handrail.kernel.call import Call, Role
from handrail.kernel.content import Resource
from handrail.kernel.dialect import DIALECT, Dialect
from handrail.kernel.gate import Gate
from handrail.kernel.tool import RESOURCES_KEYWORD, ListedResource, ResourceKind, Tool
from handrail.ports.errors import Failure, Internal, InvalidParams, NotFound

Context = ServerRequestContext[Any, Any]
MakeCall = Callable[[Context, str, Any, Role], Call]

_FRESH = {"ttlMs": 0, "cacheScope": "private"}
_COMPLETE = {"resultType": "complete"}
# Until protocol 2026-07-28, which has no code of its own for it.
_RESOURCE_NOT_FOUND = -32002
_WITHOUT_THAT_CODE = "2026-07-28"
_RESOURCES_A_PAGE = 1000
_MOST_COMPLETIONS = 100
_VARIABLE = re.compile(r"\{[+#./;?&]?([A-Za-z0-9_]+)\}")


def offer_resources(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    """Declares only the capabilities that have something behind them."""
    if gate.registry.prompts:
        _offer_prompts(server, gate, make_call)
    if gate.registry.resources:
        _offer_resources(server, gate, make_call)
        _offer_completion(server, gate, make_call)


def _offer_prompts(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    async def list_prompts(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"prompts": [_listed_prompt(entry.tool) for entry in gate.registry.prompts], **_FRESH, **_COMPLETE}

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> dict[str, Any]:
        names = [entry.tool.listed_name for entry in gate.registry.prompts]
        if params.name not in names:
            message = f"There is no prompt named {params.name!r}, only {', '.join(names)}."
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        prompt = next(entry.tool for entry in gate.registry.prompts if entry.tool.listed_name == params.name)
        try:
            reply = await gate.run(make_call(context, prompt.name, params.arguments, "prompt"))
        except Failure as failure:
            raise _refusal(failure) from None
        # A message has one content, so each part is a message.
        messages = [{"role": "user", "content": as_content(part)} for part in reply.content]
        return {"description": prompt.description, "messages": messages, **_COMPLETE}

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)


def _offer_resources(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    async def list_resources(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        known: list[tuple[ResourceKind, ListedResource]] = []
        try:
            for kind in gate.registry.resources:
                reply = await gate.run(make_call(context, kind.listing.name, {}, "resource"))
                known += [(kind, listed) for listed in reply.result]
            return {**_page(known, params.cursor), **_FRESH, **_COMPLETE}
        except Failure as failure:
            raise _refusal(failure) from None

    async def list_templates(context: Context, params: types.PaginatedRequestParams) -> dict[str, Any]:
        return {"resourceTemplates": [_template(kind) for kind in gate.registry.resources], **_FRESH, **_COMPLETE}

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> dict[str, Any]:
        uri, dialect = str(params.uri), DIALECT
        try:
            kind = _kind_of(gate.registry.resources, uri)
            dialect = gate.registry.find(kind.reading.name).surface.dialect
            reply = await gate.run(make_call(context, kind.reading.name, {"uri": uri}, "resource"))
        except NotFound as missing:
            has_code = context.protocol_version < _WITHOUT_THAT_CODE
            raise _refusal(missing, _RESOURCE_NOT_FOUND if has_code else types.INVALID_PARAMS, dialect) from None
        except Failure as failure:
            raise _refusal(failure, dialect=dialect) from None
        contents = [as_resource(part) for part in reply.content if isinstance(part, Resource)]
        return {"contents": contents, **_FRESH, **_COMPLETE}

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read_resource)


def _offer_completion(server: Server[Any], gate: Gate, make_call: MakeCall) -> None:
    async def complete(context: Context, params: types.CompleteRequestParams) -> dict[str, Any]:
        try:
            prompts = [entry.tool for entry in gate.registry.prompts]
            kind = _completed_from(params, prompts, gate.registry.resources)
            if kind is None:
                return {**_completion([], ""), **_COMPLETE}
            reply = await gate.run(make_call(context, kind.listing.name, {}, "resource"))
        except Failure as failure:
            raise _refusal(failure) from None
        return {**_completion([listed.name for listed in reply.result], params.argument.value), **_COMPLETE}

    server.add_request_handler("completion/complete", types.CompleteRequestParams, complete)


def _listed_prompt(prompt: Tool[Any, Any]) -> dict[str, Any]:
    schema = prompt.input_schema
    required = schema.get("required", ())
    return {
        "name": prompt.listed_name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": name, "description": argument.get("description", ""), "required": name in required}
            for name, argument in schema.get("properties", {}).items()
        ],
    }


def _template(kind: ResourceKind) -> dict[str, Any]:
    return {
        "uriTemplate": kind.template,
        "name": kind.name,
        "title": kind.title,
        "description": kind.description,
        "mimeType": kind.mime,
    }


def _page(known: Sequence[tuple[ResourceKind, ListedResource]], cursor: str | None) -> dict[str, Any]:
    """The cursor is how many came before. InvalidParams."""
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and 0 < int(cursor) < 10**9):
        raise InvalidParams("That cursor was never given out.")
    start = int(cursor or 0)
    end = start + _RESOURCES_A_PAGE
    shown: dict[str, Any] = {"resources": [_listed_resource(kind, listed) for kind, listed in known[start:end]]}
    if end < len(known):
        shown["nextCursor"] = str(end)
    return shown


def _listed_resource(kind: ResourceKind, listed: ListedResource) -> dict[str, Any]:
    title = {"title": listed.title} if listed.title else {}
    description = listed.description or kind.title
    mime = listed.mime or kind.mime
    return {"uri": listed.uri, "name": listed.name, **title, "description": description, "mimeType": mime}


def _kind_of(kinds: Sequence[ResourceKind], uri: str) -> ResourceKind:
    """By what its addresses begin with. NotFound."""
    for kind in kinds:
        if uri.startswith(kind.template.partition("{")[0]):
            return kind
    raise NotFound(f"There is no resource {uri}.", hint="resources/list tells what there is.")


def _completed_from(
    params: types.CompleteRequestParams, prompts: Sequence[Tool[Any, Any]], kinds: Sequence[ResourceKind]
) -> ResourceKind | None:
    """Whose names the argument takes; None if it takes any text. NotFound."""
    wanted = params.argument.name
    if isinstance(params.ref, types.PromptReference):
        for prompt in prompts:
            if prompt.listed_name == params.ref.name:
                argument = prompt.input_schema.get("properties", {}).get(wanted, {})
                return next((kind for kind in kinds if kind.name == argument.get(RESOURCES_KEYWORD)), None)
        raise NotFound(f"There is no prompt named {params.ref.name!r}.")
    for kind in kinds:
        if kind.template == params.ref.uri:
            return kind if wanted in _VARIABLE.findall(kind.template) else None
    raise NotFound(f"There is no template {params.ref.uri}.")


def _completion(names: Sequence[str], typed: str) -> dict[str, Any]:
    """Names that begin with what was typed come first, then those that contain it."""
    typed = typed.casefold()
    matches = sorted(
        (name for name in names if typed in name.casefold()),
        key=lambda name: (not name.casefold().startswith(typed), name),
    )
    values = matches[:_MOST_COMPLETIONS]
    return {"completion": {"values": values, "total": len(matches), "hasMore": len(matches) > len(values)}}


def _refusal(failure: Failure, code: int = types.INVALID_PARAMS, dialect: Dialect = DIALECT) -> MCPError:
    """The protocol's code, and as data the error object of the contract that is spoken there."""
    code = types.INTERNAL_ERROR if isinstance(failure, Internal) else code
    text = failure.message if failure.hint is None else f"{failure.message} {failure.hint}"
    return MCPError(code=code, message=text, data=dialect.envelope(failure))
