"""The prompts and resources that the official conformance suite asks a server to have."""

from typing import Any

import msgspec

from handrail.kernel.call import Call
from handrail.kernel.content import Image, Resource, Text
from handrail.kernel.tool import ListedResource, Preview, Reply, ResourceKind, Tool
from tests.conformance.fixture_tools import RED_PIXEL, NoParams


class Words(msgspec.Struct, frozen=True):
    arg1: str
    arg2: str


class Embedded(msgspec.Struct, frozen=True, rename="camel"):
    resource_uri: str


class Address(msgspec.Struct, frozen=True):
    uri: str


async def simple(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Says one thing."""
    return Reply(None, [Text("This is a simple prompt for testing.")])


async def with_arguments(port: None, call: Call, params: Words, preview: Preview | None) -> Reply:
    """Says what it was given."""
    return Reply(None, [Text(f"Prompt with arguments: arg1='{params.arg1}', arg2='{params.arg2}'")])


async def with_resource(port: None, call: Call, params: Embedded, preview: Preview | None) -> Reply:
    """Hands a resource over."""
    part = Resource(params.resource_uri, "Embedded resource content for testing.")
    return Reply(None, [part, Text("Please process the embedded resource above.")])


async def with_image(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Hands a picture over."""
    return Reply(None, [Image(RED_PIXEL), Text("Please analyze the image above.")])


async def list_texts(port: None, call: Call, params: NoParams, preview: Preview | None) -> list[ListedResource]:
    """Lists the one text."""
    return [ListedResource("test://static-text", "static-text")]


async def read_text(port: None, call: Call, params: Address, preview: Preview | None) -> Reply:
    """Reads it, or what the template stands for."""
    if params.uri == "test://static-text":
        return Reply(None, [Resource(params.uri, "This is the content of the static text resource.")])
    number = params.uri.removeprefix("test://template/").removesuffix("/data")
    return Reply(None, [Resource(params.uri, f'{{"id":"{number}","templateTest":true}}', "application/json")])


def _tool(name: str, params: Any, run: Any) -> Tool[Any, Any]:
    fields = params.__struct_encode_fields__
    schema = {"type": "object", "properties": {field: {"type": "string"} for field in fields}, "required": [*fields]}
    return Tool(name, name, params, schema, run)


PROMPTS = (
    _tool("test_simple_prompt", NoParams, simple),
    _tool("test_prompt_with_arguments", Words, with_arguments),
    _tool("test_prompt_with_embedded_resource", Embedded, with_resource),
    _tool("test_prompt_with_image", NoParams, with_image),
)
RESOURCE = ResourceKind(
    name="test",
    title="Test",
    description="Texts of the suite.",
    template="test://{+path}",
    mime="text/plain",
    listing=_tool("test.list", NoParams, list_texts),
    reading=_tool("test.read", Address, read_text),
)
