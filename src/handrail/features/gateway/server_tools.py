"""Makes handrail tools, prompts and resources from the definitions that a person has accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import msgspec

from handrail.features.gateway.names import listed_name, rule_name
from handrail.features.gateway.results import (
    MAX_PARTS,
    listed_resources,
    prompt_reply,
    resource_reply,
    tool_reply,
)
from handrail.kernel.call import Call
from handrail.kernel.content import Part, Resource
from handrail.kernel.json_schema import Validator
from handrail.kernel.target import Target
from handrail.kernel.tool import CallSubject, ListedResource, Preview, Reply, ResourceKind, Tool
from handrail.kernel.visible import visible
from handrail.ports.effect import Effect
from handrail.ports.errors import (
    AuthRequired,
    BadAnswer,
    Changed,
    Declined,
    Failure,
    InvalidParams,
    NotFound,
    Offline,
    Reported,
    Timeout,
)

if TYPE_CHECKING:
    from handrail.features.gateway.gateway import Gateway
    from handrail.features.gateway.model import Server
    from handrail.features.gateway.server_file import AcceptedDefinition

_ERRORS: tuple[type[Failure], ...] = (
    InvalidParams,
    Declined,
    Changed,
    Offline,
    Timeout,
    Reported,
    BadAnswer,
    AuthRequired,
)
_SCHEME = "mcp"
_MAX_PAGES = 50


class PinnedDefinition:
    """One accepted definition of a server, and what its tool does at each step of the gate."""

    def __init__(self, server: Server, accepted: AcceptedDefinition) -> None:
        self.server = server
        self.target = Target(server=server.name, listed_as=listed_name(server.name, accepted.definition.name))
        self.definition = accepted.definition
        self.reads = accepted.reads
        self.digest = accepted.definition.digest
        output = accepted.definition.output_schema
        self._output = None if output is None else Validator(output)
        self._may_repeat = accepted.reads or accepted.definition.annotations.get("idempotentHint") is True

    async def locate(self, gateway: Gateway, call: Call, params: Any) -> Target:
        """SchemaChecks that the server still offers the accepted definition; if it doesn't, a person is asked first."""
        await gateway.ensure_current(self, call)
        return self.target

    async def preview(self, gateway: Gateway, call: Call, params: Any) -> Preview:
        definition, server = self.definition, self.server
        label = definition.name if definition.kind == "tool" else definition.label
        description = [("it says", definition.description)] if definition.description else []
        return Preview(
            f"{server.name}: {label}",
            about=CallSubject(label, definition.kind, server.name),
            binding={"definition": self.digest, "server": server.digest},
            facts=[("MCP server", f"{server.name} ({server.place})"), (definition.kind, label), *description],
        )

    async def run(self, gateway: Gateway, call: Call, params: dict[str, Any], preview: Preview | None) -> Reply:
        """Sends the call if the server and its definition are still what was accepted."""
        connection = await gateway.verified_connection(self)
        if preview is not None:
            call.add_evidence(
                "server.json", {"server": self.server.name, "place": self.server.place, "pin": self.digest}
            )
        arguments = {"name": self.definition.name, "arguments": params}
        if self.definition.kind == "prompt":
            return prompt_reply(self.server.name, await connection.call(call, "prompts/get", arguments))
        result = await connection.call(call, "tools/call", arguments, may_repeat=self._may_repeat)
        if preview is not None:
            call.add_evidence("reply.json", _bounded(result))
        return tool_reply(self.server.name, self.definition, result, self._output)


def as_tool(server: Server, accepted: AcceptedDefinition, *, keeps_names: bool = False) -> Tool[Any, Any]:
    """With `keeps_names`, clients see the server's own name, title and description."""
    pinned, definition = PinnedDefinition(server, accepted), accepted.definition
    name = definition.name
    return Tool(
        name=rule_name(server.name, name if definition.kind == "tool" else f"prompt:{name}"),
        alias=name if keeps_names else listed_name(server.name, name),
        title=visible(definition.title) if keeps_names and definition.title else f"{server.name}: {name}",
        words=visible(definition.description) if keeps_names else quoted(server.name, definition.description),
        params=dict,
        input_schema=definition.input_schema,
        output_schema=_object_or_none(definition.output_schema),
        effect=Effect.READ if pinned.reads else Effect.EXECUTE,
        is_idempotent=definition.annotations.get("idempotentHint") is True,
        errors=_ERRORS,
        has_own_timeouts=True,
        lane=partial(_lane, server.name),
        locate=pinned.locate,
        preview=pinned.preview,
        run=pinned.run,
    )


def _lane(server: str, params: Any) -> str:
    """One lane per server, so that a hanging server doesn't delay calls of others."""
    return server


def quoted(server: str, words: str) -> str:
    """Another program's text, quoted so that no line of it can be mistaken for ours."""
    lines = "\n".join(f"> {line}" for line in visible(words).split("\n")) if words else "> (nothing)"
    return f"From the MCP server {server}, in its own words:\n{lines}"


def _object_or_none(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """MCP accepts only output schemas whose root is an object."""
    return schema if schema is not None and schema.get("type") == "object" else None


def _bounded(result: Any) -> Any:
    encoded = msgspec.json.encode(result)
    return result if len(encoded) <= 1 << 20 else f"({len(encoded)} bytes)"


class ResourceParams(msgspec.Struct, frozen=True):
    uri: str


class NoParams(msgspec.Struct, frozen=True):
    pass


_URI = {"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]}


class ServerResources:
    """The resources of one server. Their URIs begin with the server's name, to keep servers apart."""

    def __init__(self, server: Server, accepted: AcceptedDefinition, *, keeps_names: bool = False) -> None:
        self._pinned = PinnedDefinition(server, accepted)
        self._server = server
        self._prefix = "" if keeps_names else f"{_SCHEME}://{server.name}/"
        self._effect = Effect.READ if accepted.reads else Effect.EXECUTE

    def kind(self) -> ResourceKind:
        name = self._server.name
        return ResourceKind(
            name=f"{name}-resources",
            title=f"Resources of {name}",
            description=f"What the MCP server {name} lists.",
            template=f"{self._prefix}{{+uri}}",
            mime="text/plain",
            listing=self._tool("list", f"List what {name} has", NoParams, {"type": "object"}, self._list),
            reading=self._tool("read", f"Read a resource of {name}", ResourceParams, _URI, self._read),
        )

    def _tool(self, verb: str, title: str, params: type[Any], schema: Mapping[str, Any], run: Any) -> Tool[Any, Any]:
        return Tool(
            name=rule_name(self._server.name, f"resources:{verb}"),
            title=title,
            words=title,
            params=params,
            input_schema=schema,
            effect=self._effect,
            errors=(*_ERRORS, NotFound),
            has_own_timeouts=True,
            locate=self._pinned.locate,
            preview=self._pinned.preview,
            run=run,
        )

    async def _list(
        self, gateway: Gateway, call: Call, params: NoParams, preview: Preview | None
    ) -> list[ListedResource]:
        connection = await gateway.verified_connection(self._pinned)
        resources: list[ListedResource] = []
        cursor: Any = None
        for _ in range(_MAX_PAGES):
            page = await connection.call(call, "resources/list", {} if cursor is None else {"cursor": cursor})
            resources += listed_resources(self._server.name, page)
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or len(resources) > MAX_PARTS:
                break
        return [self._prefixed(each) for each in resources[:MAX_PARTS]]

    async def _read(self, gateway: Gateway, call: Call, params: ResourceParams, preview: Preview | None) -> Reply:
        connection = await gateway.verified_connection(self._pinned)
        uri = self._original_uri(params.uri)
        reply = resource_reply(self._server.name, await connection.call(call, "resources/read", {"uri": uri}))
        return Reply(None, content=[_at(part, params.uri) for part in reply.content], is_whole=True)

    def _prefixed(self, listed: ListedResource) -> ListedResource:
        if not self._prefix:
            return listed
        words = quoted(self._server.name, listed.description or listed.title)
        uri = self._prefix + quote(listed.uri, safe="")
        return ListedResource(uri, visible(listed.name or listed.uri), "", words, listed.mime)

    def _original_uri(self, uri: str) -> str:
        if not uri.startswith(self._prefix):
            raise NotFound(f"{uri} isn't an address of {self._server.name}.", hint="resources/list shows them.")
        return unquote(uri.removeprefix(self._prefix)) if self._prefix else uri


def _at(part: Part, uri: str) -> Part:
    """Gives what was read the URI that it was requested by."""
    return replace(part, uri=uri) if isinstance(part, Resource) else part
