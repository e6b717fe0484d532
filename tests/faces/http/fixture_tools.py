"""Tools that show how the HTTP face treats results, failures, bugs and clients that disconnect."""

import asyncio
from typing import Any

import msgspec

from handrail.kernel.call import Call
from handrail.kernel.dialect import DIALECT
from handrail.kernel.tool import Preview, Surface, Tool
from handrail.ports import errors
from handrail.ports.effect import Effect


class Nothing(msgspec.Struct, frozen=True):
    pass


class Echo(msgspec.Struct, frozen=True):
    value: Any = None


class Fail(msgspec.Struct, frozen=True):
    condition: str


async def echo(port: None, call: Call, params: Echo, preview: Preview | None) -> dict[str, Any]:
    """Says what it was told, & by <whom>."""
    caller = {"face": call.caller.face, "name": call.caller.name, "peer": call.caller.peer}
    return {"value": params.value, "task": call.task, "traceId": call.trace_id, "caller": caller}


async def fail(port: None, call: Call, params: Fail, preview: Preview | None) -> None:
    """Fails with the requested error."""
    raise getattr(errors, params.condition)("It failed.", hint="Try again.", path="a.txt")


async def crash(port: None, call: Call, params: Nothing, preview: Preview | None) -> None:
    """Has a bug."""
    raise RuntimeError("the fault")


async def unspeakable(port: None, call: Call, params: Nothing, preview: Preview | None) -> object:
    """Returns a value that JSON can't express."""
    return object()


async def wait(port: None, call: Call, params: Nothing, preview: Preview | None) -> None:
    """Never ends; reports its progress on stdout."""
    print("started", flush=True)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print("cancelled", flush=True)
        raise


def _closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": []}


def surface() -> Surface:
    echo_schema = _closed(value={"description": "anything"})
    fail_schema = {**_closed(condition={"type": "string"}), "required": ["condition"]}
    return Surface(
        "fixture",
        DIALECT,
        None,
        [
            Tool("echo", "Echo <b>", Echo, echo_schema, echo),
            Tool("fail", "Fail", Fail, fail_schema, fail),
            Tool("crash", "Crash", Nothing, _closed(), crash),
            Tool("unspeakable", "Unspeakable", Nothing, _closed(), unspeakable),
            Tool("wait", "Wait", Nothing, _closed(), wait),
            Tool("press", "Press", Nothing, _closed(), echo, effect=Effect.UI_CONTROL),
        ],
    )
