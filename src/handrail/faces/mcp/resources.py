"""Serves MCP prompts, resources and argument completion, all through the gate."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from handrail.faces.mcp.listing import as_content, as_resource
from handrail.faces.mcp.protocol import COMPLETE, FRESH, INTERNAL_ERROR, INVALID_PARAMS, Method, Page, Request, RpcError
from handrail.kernel.call import Call, Role
from handrail.kernel.content import Resource
from handrail.kernel.dialect import DIALECT, Dialect
from handrail.kernel.gate import Gate
from handrail.kernel.tool import RESOURCES_KEYWORD, ListedResource, ResourceKind, Tool
from handrail.ports.errors import Failure, Internal, InvalidParams, NotFound

MakeCall = Callable[[Request, str, Any, Role], Call]
Methods = dict[str, Method[Any]]

# Used before protocol 2026-07-28, which has no such code.
_RESOURCE_NOT_FOUND = -32002
_FIRST_WITHOUT_CODE = "2026-07-28"
_RESOURCES_A_PAGE = 1000
_MOST_COMPLETIONS = 100
_VARIABLE = re.compile(r"\{[+#./;?&]?([A-Za-z0-9_]+)\}")


class Prompt(msgspec.Struct, frozen=True):
    name: str
    arguments: dict[str, str] | None = None


class Address(msgspec.Struct, frozen=True):
    uri: str


class Reference(msgspec.Struct, frozen=True):
    """Refers to a prompt by name, or to a resource template by `uri`."""

    type: Literal["ref/prompt", "ref/resource"]
    name: str = ""
    uri: str = ""


class Argument(msgspec.Struct, frozen=True):
    name: str
    value: str


class Completion(msgspec.Struct, frozen=True):
    ref: Reference
    argument: Argument


def resource_methods(gate: Gate, make_call: MakeCall) -> Methods:
    """The methods for prompts and resources, as far as there are any."""
    methods: Methods = {}
    if gate.registry.prompts:
        methods |= _prompts(gate, make_call)
    if gate.registry.resources:
        methods |= _resources(gate, make_call) | _completions(gate, make_call)
    return methods


def _prompts(gate: Gate, make_call: MakeCall) -> Methods:
    async def list_prompts(request: Request, params: Page) -> dict[str, Any]:
        return {"prompts": [_listed_prompt(entry.tool) for entry in gate.registry.prompts], **FRESH, **COMPLETE}

    async def get_prompt(request: Request, params: Prompt) -> dict[str, Any]:
        names = [entry.tool.listed_name for entry in gate.registry.prompts]
        if params.name not in names:
            message = f"There is no prompt named {params.name!r}, only {', '.join(names)}."
            raise RpcError(INVALID_PARAMS, message)
        prompt = next(entry.tool for entry in gate.registry.prompts if entry.tool.listed_name == params.name)
        try:
            reply = await gate.run(make_call(request, prompt.name, params.arguments, "prompt"))
        except Failure as failure:
            raise _refusal(failure) from None
        # A message has one content, so each part becomes a message.
        messages = [{"role": "user", "content": as_content(part)} for part in reply.content]
        return {"description": prompt.description, "messages": messages, **COMPLETE}

    return {"prompts/list": Method(Page, list_prompts), "prompts/get": Method(Prompt, get_prompt)}


def _resources(gate: Gate, make_call: MakeCall) -> Methods:
    async def list_resources(request: Request, params: Page) -> dict[str, Any]:
        entries: list[tuple[ResourceKind, ListedResource]] = []
        try:
            for kind in gate.registry.resources:
                reply = await gate.run(make_call(request, kind.listing.name, {}, "resource"))
                entries += [(kind, listed) for listed in reply.result]
            return {**_page(entries, params.cursor), **FRESH, **COMPLETE}
        except Failure as failure:
            raise _refusal(failure) from None

    async def list_templates(request: Request, params: Page) -> dict[str, Any]:
        return {"resourceTemplates": [_template(kind) for kind in gate.registry.resources], **FRESH, **COMPLETE}

    async def read_resource(request: Request, params: Address) -> dict[str, Any]:
        uri, dialect = params.uri, DIALECT
        try:
            kind = _kind_of(gate.registry.resources, uri)
            dialect = gate.registry.find(kind.reading.name).surface.dialect
            reply = await gate.run(make_call(request, kind.reading.name, {"uri": uri}, "resource"))
        except NotFound as missing:
            has_code = request.version < _FIRST_WITHOUT_CODE
            raise _refusal(missing, _RESOURCE_NOT_FOUND if has_code else INVALID_PARAMS, dialect) from None
        except Failure as failure:
            raise _refusal(failure, dialect=dialect) from None
        contents = [as_resource(part) for part in reply.content if isinstance(part, Resource)]
        return {"contents": contents, **FRESH, **COMPLETE}

    return {
        "resources/list": Method(Page, list_resources),
        "resources/templates/list": Method(Page, list_templates),
        "resources/read": Method(Address, read_resource),
    }


def _completions(gate: Gate, make_call: MakeCall) -> Methods:
    async def complete(request: Request, params: Completion) -> dict[str, Any]:
        try:
            prompts = [entry.tool for entry in gate.registry.prompts]
            kind = _completed_from(params, prompts, gate.registry.resources)
            if kind is None:
                return {**_completion([], ""), **COMPLETE}
            reply = await gate.run(make_call(request, kind.listing.name, {}, "resource"))
        except Failure as failure:
            raise _refusal(failure) from None
        return {**_completion([listed.name for listed in reply.result], params.argument.value), **COMPLETE}

    return {"completion/complete": Method(Completion, complete)}


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


def _page(entries: Sequence[tuple[ResourceKind, ListedResource]], cursor: str | None) -> dict[str, Any]:
    """One page of resources. The cursor is the number of earlier ones. Raises InvalidParams."""
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and 0 < int(cursor) < 10**9):
        raise InvalidParams("Unknown cursor.")
    start = int(cursor or 0)
    end = start + _RESOURCES_A_PAGE
    page: dict[str, Any] = {"resources": [_listed_resource(kind, listed) for kind, listed in entries[start:end]]}
    if end < len(entries):
        page["nextCursor"] = str(end)
    return page


def _listed_resource(kind: ResourceKind, listed: ListedResource) -> dict[str, Any]:
    title = {"title": listed.title} if listed.title else {}
    description = listed.description or kind.title
    mime = listed.mime or kind.mime
    return {"uri": listed.uri, "name": listed.name, **title, "description": description, "mimeType": mime}


def _kind_of(kinds: Sequence[ResourceKind], uri: str) -> ResourceKind:
    """The kind whose addresses begin like this one. Raises NotFound."""
    for kind in kinds:
        if uri.startswith(kind.template.partition("{")[0]):
            return kind
    raise NotFound(f"There is no resource {uri}.", hint="resources/list shows what exists.")


def _completed_from(
    params: Completion, prompts: Sequence[Tool[Any, Any]], kinds: Sequence[ResourceKind]
) -> ResourceKind | None:
    """The kind of resource whose names the argument takes; None if it takes any text. Raises NotFound."""
    name = params.argument.name
    if params.ref.type == "ref/prompt":
        for prompt in prompts:
            if prompt.listed_name == params.ref.name:
                argument = prompt.input_schema.get("properties", {}).get(name, {})
                return next((kind for kind in kinds if kind.name == argument.get(RESOURCES_KEYWORD)), None)
        raise NotFound(f"There is no prompt named {params.ref.name!r}.")
    for kind in kinds:
        if kind.template == params.ref.uri:
            return kind if name in _VARIABLE.findall(kind.template) else None
    raise NotFound(f"There is no template {params.ref.uri}.")


def _completion(names: Sequence[str], typed: str) -> dict[str, Any]:
    """Names that begin with the typed text come first, then names that contain it."""
    typed = typed.casefold()
    matches = sorted(
        (name for name in names if typed in name.casefold()),
        key=lambda name: (not name.casefold().startswith(typed), name),
    )
    values = matches[:_MOST_COMPLETIONS]
    return {"completion": {"values": values, "total": len(matches), "hasMore": len(matches) > len(values)}}


def _refusal(failure: Failure, code: int = INVALID_PARAMS, dialect: Dialect = DIALECT) -> RpcError:
    """A protocol error, with the contract's error object as data."""
    code = INTERNAL_ERROR if isinstance(failure, Internal) else code
    text = failure.message if failure.hint is None else f"{failure.message} {failure.hint}"
    return RpcError(code, text, msgspec.to_builtins(dialect.envelope(failure)))
