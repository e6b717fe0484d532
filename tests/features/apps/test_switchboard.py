"""Concurrency, timeouts and retries of calls, with a scripted transport; real transports are tested elsewhere."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.calls.envelopes import encode_request, error_reply, read_result, request_for, success_reply
from handrail.features.apps.model import App, AppRequest, AppTool, DBusExecution, StdioExecution
from handrail.ports.errors import BadAnswer, InvalidParams, Offline, Reported, Timeout

Say = Callable[[AppRequest], bytes]


class Scripted:
    """Answers with each line of the script in turn, the last one forever; exceptions are raised."""

    def __init__(self, *script: Say | Exception) -> None:
        self._script = list(script)
        self.requests: list[AppRequest] = []
        self.concurrency_limit = self.most_at_once = 0
        self.asked = asyncio.Condition()
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def call(self, app: App, tool: AppTool, request: AppRequest, *, timeout: float) -> bytes:
        self.requests.append(request)
        self.concurrency_limit += 1
        self.most_at_once = max(self.most_at_once, self.concurrency_limit)
        async with self.asked:
            self.asked.notify_all()
        try:
            await self.go_on.wait()
        finally:
            self.concurrency_limit -= 1
        answer = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(request)

    async def until_asked(self, concurrency_limit: int) -> None:
        async with self.asked:
            await self.asked.wait_for(lambda: self.concurrency_limit >= concurrency_limit)

    async def close(self) -> None: ...


def well(request: AppRequest) -> bytes:
    return success_reply(request, {"n": 1})


def app_with(execution: Any = None, *, is_idempotent: bool = False, **members: Any) -> App:
    tool = AppTool(name="act", description="Acts.", parameters={}, is_idempotent=is_idempotent)
    execution = execution or DBusExecution(service="com.example.a")
    return App(id="com.example.a", name="A", description="A.", execution=execution, tools=(tool,), **members)


async def call(transport: Scripted, app: App, timeout_ms: int | None = None) -> Any:
    board = AppCaller(lambda execution: transport, SchemaChecks())
    return await board.call(app, app.tools[0], {}, timeout_ms=timeout_ms, on_reply=lambda *reply: None)


async def test_a_tool_that_is_not_idempotent_is_never_retried() -> None:
    transport = Scripted(Offline("gone"), well)
    with pytest.raises(Offline):
        await call(transport, app_with())
    assert len(transport.requests) == 1


async def test_an_idempotent_tool_is_retried_once_with_another_request_id() -> None:
    transport = Scripted(Offline("gone"), well)
    assert await call(transport, app_with(is_idempotent=True)) == {"n": 1}
    assert len({request.request_id for request in transport.requests}) == 2
    transport = Scripted(Offline("gone"))
    with pytest.raises(Offline):
        await call(transport, app_with(is_idempotent=True))
    assert len(transport.requests) == 2


@pytest.mark.parametrize(("code", "tries"), [("SERVICE_UNAVAILABLE", 2), ("NO_SUCH_NOTE", 1), ("INVALID_PARAMS", 1)])
async def test_permanent_failures_are_not_retried(code: str, tries: int) -> None:
    transport = Scripted(lambda request: error_reply(request, code, "No."))
    with pytest.raises(Reported):
        await call(transport, app_with(is_idempotent=True))
    assert len(transport.requests) == tries


async def test_a_bad_answer_is_not_retried() -> None:
    transport = Scripted(lambda request: b"?")
    with pytest.raises(BadAnswer):
        await call(transport, app_with(is_idempotent=True))
    assert len(transport.requests) == 1


@pytest.mark.parametrize(
    ("members", "limit"),
    [({}, 8), ({"execution": StdioExecution(command="x")}, 1), ({"max_concurrent": 3}, 3)],
)
async def test_concurrent_calls_of_an_app_are_limited(members: dict[str, Any], limit: int) -> None:
    transport = Scripted(well)
    transport.go_on.clear()
    board, app = AppCaller(lambda execution: transport, SchemaChecks()), app_with(**members)
    calls = [
        asyncio.create_task(board.call(app, app.tools[0], {}, timeout_ms=20_000, on_reply=lambda *reply: None))
        for _ in range(12)
    ]
    await transport.until_asked(limit)
    transport.go_on.set()
    await asyncio.gather(*calls)
    assert transport.most_at_once == limit


async def test_a_hanging_app_delays_no_other() -> None:
    hanging, other = Scripted(well), Scripted(well)
    hanging.go_on.clear()
    transports = {"com.example.a": hanging, "com.example.b": other}
    board = AppCaller(lambda execution: transports[execution.service], SchemaChecks())  # type: ignore[union-attr]
    first, second = (
        app_with(),
        App(
            id="com.example.b",
            name="B",
            description="B.",
            execution=DBusExecution(service="com.example.b"),
            tools=app_with().tools,
        ),
    )
    waiting = [
        asyncio.create_task(board.call(first, first.tools[0], {}, timeout_ms=None, on_reply=lambda *reply: None))
        for _ in range(20)
    ]
    await hanging.until_asked(1)
    assert await board.call(second, second.tools[0], {}, timeout_ms=None, on_reply=lambda *reply: None) == {"n": 1}
    for task in waiting:
        task.cancel()


async def test_waiting_for_a_slot_counts_toward_the_timeout() -> None:
    transport = Scripted(well)
    transport.go_on.clear()
    with pytest.raises(Timeout, match="within 20 ms"):
        await call(transport, app_with(), timeout_ms=20)


async def test_the_tools_own_timeout_takes_precedence_over_the_apps() -> None:
    transport = Scripted(well)
    transport.go_on.clear()
    app = app_with(timeout_ms=30)
    with pytest.raises(Timeout, match="within 30 ms"):
        await call(transport, app)


@pytest.mark.parametrize("reply", ["", "null", "7", '{"version":"2.0"}', '{"version":"1.0","request_id":7}'])
def test_text_that_is_not_a_reply_is_never_a_success(reply: str) -> None:
    with pytest.raises(BadAnswer):
        read_result(reply.encode(), AppRequest(tool="act", params={}, request_id="req_1"))


def test_a_request_has_exactly_the_contract_s_members() -> None:
    message = json.loads(encode_request(request_for("act", {"a": 1})))
    assert list(message) == ["version", "tool", "params", "request_id"]
    assert (message["version"], message["tool"], message["params"]) == ("1.0", "act", {"a": 1})


def test_parameters_are_checked_against_json_schema_2020_12() -> None:
    schema = {
        "properties": {"name": {}, "pair": {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}},
        "dependentRequired": {"pair": ["name"]},
        "unevaluatedProperties": False,
    }
    app = app_with()
    tool = AppTool(name="act", description="Acts.", parameters=schema)
    checks = SchemaChecks()
    checks.check_params(app, tool, {"pair": ["a", 1], "name": "x"})
    for wrong in ({"pair": [1, "a"], "name": "x"}, {"pair": ["a", 1, 2]}, {"pair": ["a", 1]}, {"other": 1}):
        with pytest.raises(InvalidParams) as raised:
            checks.check_params(app, tool, wrong)
        assert raised.value.details["fieldErrors"]


def test_an_endless_pattern_is_abandoned() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "^(a|a)*(?=b)$"}}}
    tool = AppTool(name="act", description="Acts.", parameters=schema)
    with pytest.raises(InvalidParams):
        SchemaChecks().check_params(app_with(), tool, {"a": "a" * 40})


EXPRESSION = {
    "$defs": {
        "node": {
            "type": "object",
            "anyOf": [
                {"properties": {"of": {"$ref": "#/$defs/node"}}, "required": ["plus"]},
                {"properties": {"of": {"$ref": "#/$defs/node"}}, "required": ["minus"]},
            ],
        }
    },
    "properties": {"node": {"$ref": "#/$defs/node"}},
}
DYNAMIC_REFERENCES = {
    "$dynamicAnchor": "node",
    "type": "object",
    "allOf": [{"properties": {"of": {"$dynamicRef": "#node"}}}, {"properties": {"of": {"$dynamicRef": "#node"}}}],
}
DEEPEST = 60


def nested(levels: int, last: Any) -> Any:
    return {"plus": 1, "of": nested(levels - 1, last)} if levels else last


@pytest.mark.parametrize(("schema", "member"), [(EXPRESSION, "node"), (DYNAMIC_REFERENCES, "of")])
def test_a_schema_that_doubles_with_each_level_of_a_value_is_answered_all_the_same(
    schema: dict[str, Any], member: str
) -> None:
    tool = AppTool(name="act", description="Acts.", parameters=schema)
    checks = SchemaChecks()
    checks.check_params(app_with(), tool, {member: nested(DEEPEST, {"plus": 1})})
    with pytest.raises(InvalidParams, match="too complex to show where"):
        checks.check_params(app_with(), tool, {member: nested(DEEPEST, 7)})
    with pytest.raises(InvalidParams, match=r"7 is not of type|not valid under any"):
        checks.check_params(app_with(), tool, {member: nested(2, 7)})


def test_a_recursive_schema_is_reported_at_any_depth() -> None:
    schema = {"properties": {"of": {"$ref": "#"}, "plus": {"type": "integer"}}}
    tool = AppTool(name="act", description="Acts.", parameters=schema)
    with pytest.raises(InvalidParams) as raised:
        SchemaChecks().check_params(app_with(), tool, {"of": nested(DEEPEST, {"plus": "x"})})
    assert raised.value.details["fieldErrors"][0]["field"].endswith("of.plus")
