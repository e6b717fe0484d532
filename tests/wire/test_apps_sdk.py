"""Contract 4 from the other side: an app made with the SDK, called by a bare dbus-fast client and over its stdio."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from dbus_fast import Message, MessageFlag, MessageType
from dbus_fast.aio import MessageBus

from handrail.features.apps.calls.envelopes import MAX_REPLY
from tests.aai import trial_app
from tests.session_bus import SessionBus

APP = "com.example.trial"
PROGRAM = str(trial_app.__file__)
IDLE_APP = """\
import os
from handrail.aai import App

app = App("com.example.idle", name="Idle", description="Ends soon.")

@app.tool
def tell() -> int:
    "Which process this is."
    return os.getpid()

app.run(idle=0.03)
"""
pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def session() -> Iterator[SessionBus]:
    with SessionBus() as session:
        session.run(sys.executable, PROGRAM, "--install")
        yield session


@asynccontextmanager
async def client_of(session: SessionBus) -> AsyncIterator[MessageBus]:
    bus = await MessageBus(bus_address=session.address).connect()
    try:
        yield bus
    finally:
        bus.disconnect()


@pytest.fixture
async def client(session: SessionBus) -> AsyncIterator[MessageBus]:
    async with client_of(session) as bus:
        yield bus


def message(body: Any, *, member: str = "Execute", **parts: Any) -> Message:
    return Message(
        path="/com/aai/Executor",
        interface="com.aai.Executor",
        member=member,
        **{"destination": APP, "signature": "s", "body": [body], **parts},
    )


def request(tool: str, params: Any = None, request_id: str = "req_1", **parts: Any) -> str:
    return json.dumps({"version": "1.0", "tool": tool, "params": params or {}, "request_id": request_id, **parts})


async def execute(client: MessageBus, text: str) -> dict[str, Any]:
    reply = await client.call(message(text))
    assert reply.message_type is MessageType.METHOD_RETURN, reply.body
    assert reply.signature == "s"
    answer: dict[str, Any] = json.loads(reply.body[0])
    return answer


async def test_the_bus_starts_an_installed_app_and_success_is_spelled_as_in_the_contract(client: MessageBus) -> None:
    answer = await execute(client, request("greet", {"name": "Ada"}, "req_123"))
    pid = answer["result"].pop("pid")
    assert answer == {
        "version": "1.0",
        "request_id": "req_123",
        "status": "success",
        "result": {"text": "Hello, Ada!"},
    }
    again = await execute(client, request("greet", {"name": "Ada", "mood": "loud", "times": 2.0}))
    assert again["result"] == {"text": "HELLO, ADA! HELLO, ADA!", "pid": pid}


@pytest.mark.parametrize(
    ("text", "request_id", "word"),
    [
        ("", "", "not JSON"),
        ("{", "", "not JSON"),
        ("[]", "", "object"),
        ('{"request_id": "a", "request_id": "b"}', "", "twice"),
        (request("greet", version="2.0"), "req_1", "Version '2.0'"),
        (request("greet", version=1), "req_1", "`version`"),
        (request("greet", request_id=7), "", "`request_id`"),  # type: ignore[arg-type]
        ('{"version": "1.0", "request_id": "x", "params": {}}', "x", "`tool` is missing"),
        ('{"version": "1.0", "request_id": "x", "tool": "greet"}', "x", "`params` is missing"),
        ('{"version": "1.0", "request_id": "x", "tool": "greet", "params": []}', "x", "`params` must be an object"),
        ("[" * 100_000, "", "deep"),
    ],
)
async def test_a_malformed_request_is_an_invalid_request(
    client: MessageBus, text: str, request_id: str, word: str
) -> None:
    answer = await execute(client, text)
    assert answer["version"] == "1.0"
    assert answer["request_id"] == request_id
    assert answer["status"] == "error"
    assert answer["error"]["code"] == "INVALID_REQUEST"
    assert word in answer["error"]["message"]


async def test_an_unknown_tool_is_reported_with_the_nearest_name(client: MessageBus) -> None:
    answer = await execute(client, request("great"))
    assert answer["error"]["code"] == "UNKNOWN_TOOL"
    assert "did you mean greet?" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "name: this field is required."),
        ({"name": 7}, "name: Expected `str`, got `int`."),
        ({"name": "Ada", "mood": "odd"}, "mood: Invalid enum value 'odd'."),
        ({"name": "Ada", "times": 1.5}, "times: Expected `int`, got `float`."),
        ({"name": "Ada", "tims": 2}, "tims: there is no such field; did you mean `times`?"),
    ],
)
async def test_wrong_parameters_are_reported_by_field(client: MessageBus, params: Any, message: str) -> None:
    answer = await execute(client, request("greet", params))
    assert answer["error"] == {"code": "INVALID_PARAMS", "message": message}


async def test_an_apps_own_code_is_passed_on_and_internal_errors_are_not_revealed(client: MessageBus) -> None:
    own = await execute(client, request("refuse", {"code": "TRIAL_OVER"}, "r"))
    error = {"code": "TRIAL_OVER", "message": "The trial ends here."}
    assert own == {"version": "1.0", "request_id": "r", "status": "error", "error": error}
    for tool, params in (("crash", {}), ("lie", {}), ("leave", {}), ("refuse", {"code": "no code"})):
        answer = await execute(client, request(tool, params))
        assert answer["error"] == {"code": "INTERNAL_ERROR", "message": f"The tool {tool} failed inside the app."}


async def test_no_bad_request_ends_the_service(client: MessageBus) -> None:
    pid = (await execute(client, request("greet", {"name": "a"})))["result"]["pid"]
    for text in ("{}", request("leave"), request("crash"), request("lie")):
        assert (await execute(client, text))["status"] == "error"
    wrong = await client.call(message(7, signature="i"))
    assert wrong.error_name == "org.freedesktop.DBus.Error.InvalidArgs"
    elsewhere = await client.call(message("{}", member="Run"))
    assert elsewhere.error_name == "org.freedesktop.DBus.Error.UnknownMethod"
    assert (await execute(client, request("greet", {"name": "a"})))["result"]["pid"] == pid


async def test_a_result_that_is_too_large_for_a_reply_is_an_internal_error(client: MessageBus) -> None:
    answer = await execute(client, request("fill", {"size": MAX_REPLY}))
    assert answer["error"]["code"] == "INTERNAL_ERROR"


async def test_a_tool_that_returns_nothing_answers_an_empty_object(client: MessageBus) -> None:
    assert (await execute(client, request("forget")))["result"] == {}


async def test_many_calls_and_large_replies_at_once_are_each_answered_once(client: MessageBus) -> None:
    large = [execute(client, request("fill", {"size": 300_000}, f"large{number}")) for number in range(20)]
    small = [execute(client, request("pass_on", {"rounds": number}, f"small{number}")) for number in range(60)]
    answers = await asyncio.gather(*large, *small)
    assert [answer["request_id"] for answer in answers] == [
        *(f"large{number}" for number in range(20)),
        *(f"small{number}" for number in range(60)),
    ]
    assert {len(answer["result"]) for answer in answers[:20]} == {300_000}
    assert [answer["result"] for answer in answers[20:]] == list(range(60))


async def test_only_its_sender_can_cancel_a_request(session: SessionBus, client: MessageBus) -> None:
    waiting = asyncio.ensure_future(execute(client, request("wait_for_ever", request_id="w")))
    async with client_of(session) as stranger:
        assert (await stranger.call(message("w", member="Cancel"))).message_type is MessageType.METHOD_RETURN
    await execute(client, request("greet", {"name": "a"}))
    assert not waiting.done()
    await client.send(message("w", member="Cancel", flags=MessageFlag.NO_REPLY_EXPECTED))
    assert (await waiting)["error"] == {"code": "INTERNAL_ERROR", "message": "The request was cancelled."}


async def test_the_interface_is_found_by_introspection(client: MessageBus) -> None:
    node = await client.introspect(APP, "/com/aai/Executor")
    (interface,) = node.interfaces
    signatures = {method.name: (method.in_signature, method.out_signature) for method in interface.methods}
    assert interface.name == "com.aai.Executor"
    assert signatures["Execute"] == ("s", "s")
    root = await client.introspect(APP, "/")
    assert [child.name for child in root.nodes] == ["com"]


async def test_an_idle_service_ends_and_no_call_is_lost_when_the_next_one_starts(session: SessionBus) -> None:
    program = session.folder / "idle.py"
    program.write_text(IDLE_APP)
    session.run(sys.executable, str(program), "--install")
    pids: set[int] = set()
    async with client_of(session) as client, asyncio.timeout(60):
        pause = 0.0
        while len(pids) < 2:
            reply = await client.call(message(request("tell"), destination="com.example.idle"))
            assert reply.message_type is MessageType.METHOD_RETURN, reply.body
            pids.add(json.loads(reply.body[0])["result"])
            await asyncio.sleep(pause := pause + 0.005)  # the longer the pause, the more likely that it has ended


def test_a_second_process_of_a_running_app_says_so(session: SessionBus) -> None:
    first = session.start(
        "dbus-send", "--session", "--print-reply", f"--dest={APP}", "/", "org.freedesktop.DBus.Peer.Ping"
    )
    assert first.wait(30) == 0
    second = subprocess.run(
        [sys.executable, PROGRAM], env=session.env, check=False, capture_output=True, text=True, timeout=60
    )
    assert second.returncode == 1
    assert second.stderr == f"{APP}: {APP} is running already: another process has this name on the bus.\n"


def test_on_stdio_each_line_is_answered_and_a_tools_prints_do_not_reach_the_wire(session: SessionBus) -> None:
    lines = [
        "nonsense",
        "",
        request("wait_for_ever", request_id="never"),
        request("chatter", request_id="c"),
        request("crash", request_id="x"),
        request("greet", {"name": "李"}, "g"),
    ]
    process = subprocess.Popen(
        [sys.executable, PROGRAM, "--stdio"],
        env=session.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n".join(lines).encode() + b"\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(4)]
    by_id = {answer["request_id"]: answer for answer in answers}
    process.terminate()
    rest, complaints = process.communicate(timeout=30)
    assert rest == b""
    assert process.returncode == 0
    assert by_id[""]["error"]["code"] == "INVALID_REQUEST"
    assert by_id["c"]["result"] == ""
    assert by_id["x"]["error"]["code"] == "INTERNAL_ERROR"
    assert by_id["g"]["result"]["text"] == "Hello, 李!"
    assert b"not for the wire" in complaints
    assert b"the secret of /etc/shadow" in complaints


def test_on_stdio_the_end_of_the_input_ends_the_app_once_everything_is_answered(session: SessionBus) -> None:
    text = "\n".join(request("pass_on", {"rounds": number}, str(number)) for number in (900, 5)) + "\nlast"
    result = subprocess.run(
        [sys.executable, PROGRAM, "--stdio"],
        env=session.env,
        input=text,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert {answer["request_id"] for answer in answers} == {"900", "5", ""}
