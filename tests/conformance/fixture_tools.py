"""The tools that the official conformance suite asks a server to have."""

from typing import Any

import msgspec

from handrail.features.people.asking import ask
from handrail.kernel.call import Call
from handrail.kernel.content import Audio, Image, Resource, Text
from handrail.kernel.dialect import DIALECT
from handrail.kernel.tool import Preview, Reply, Surface, Tool
from handrail.ports.effect import Effect
from handrail.ports.errors import InvalidParams
from handrail.ports.prompt_queue import PromptQueue

RED_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)
SILENCE = bytes.fromhex("52494646240000005741564566 6d7420100000000100010040 1f0000401f0000010008006461746100000000")


class NoParams(msgspec.Struct, frozen=True):
    pass


class Message(msgspec.Struct, frozen=True):
    message: str


async def simple_text(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Returns simple text."""
    return Reply(None, [Text("This is a simple text response for testing.")])


async def image(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Returns a picture."""
    return Reply(None, [Image(RED_PIXEL)])


async def audio(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Returns sound."""
    return Reply(None, [Audio(SILENCE)])


async def resource(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Returns an embedded resource."""
    return Reply(None, [Resource("test://embedded-resource", "This is an embedded resource content.")])


async def mixed(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Returns text, a picture and a resource."""
    data = Resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json")
    return Reply(None, [Text("Multiple content types test:"), Image(RED_PIXEL), data])


async def failing(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Always fails."""
    raise InvalidParams("This tool intentionally returns an error for testing")


async def slow(port: None, call: Call, params: NoParams, preview: Preview | None) -> Reply:
    """Reports progress three times."""
    for step in ("begun", "half done", "done"):
        await call.progress(step)
    return Reply(None, [Text("Tool with progress finished.")])


async def elicitation(queue: PromptQueue, call: Call, params: Message, preview: Preview | None) -> Reply:
    """Asks the person for two texts."""
    fields = [{"key": "username", "required": True}, {"key": "email", "required": True}]
    answer = await ask(queue, call, {"kind": "kv", "message": params.message, "fields": fields})
    return Reply(None, [Text(f"User response: {msgspec.json.encode(answer.response).decode()}")])


_RUNS: dict[str, Any] = {
    "test_simple_text": simple_text,
    "test_image_content": image,
    "test_audio_content": audio,
    "test_embedded_resource": resource,
    "test_multiple_content_types": mixed,
    "test_error_handling": failing,
    "test_tool_with_progress": slow,
}


def surface() -> Surface:
    tools = [
        Tool(name=name, title=name, params=NoParams, input_schema={"type": "object", "properties": {}}, run=run)
        for name, run in _RUNS.items()
    ]
    return Surface("conformance", DIALECT, None, tools)


def asking_surface(queue: PromptQueue) -> Surface:
    name, message = "test_elicitation", {"type": "object", "properties": {"message": {"type": "string"}}}
    tool = Tool(name=name, title=name, params=Message, input_schema=message, effect=Effect.ASK, run=elicitation)
    return Surface("asking", DIALECT, queue, [tool])
