"""An app that does wrong on request, over every transport: each tool is one way to fail.

`python odd_app.py stdio` and `python odd_app.py dbus NAME` serve it; `http_answer` is for a server in the test.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

HUGE = 100 * 1024 * 1024
HANG, CRASH = object(), object()
NOTE: dict[str, Any] = {
    "type": "object",
    "properties": {"said": {"type": "object"}},
    "required": ["said"],
    "additionalProperties": False,
}
# fmt: off
TOOLS = (
    "echo", "own_error", "malformed", "not_object", "no_version", "wrong_id", "wrong_status", "no_result",
    "off_schema", "no_code", "double_key", "deep", "huge", "hang", "crash", "flaky", "twice", "noise", "flood",
    "process",
)
# fmt: on


def descriptor(id: str, execution: dict[str, Any], **more: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"text": {"type": "string"}, "marker": {"type": "string"}}}
    tools = [
        {
            "name": name,
            "description": f"Fails by {name}.",
            "parameters": {**parameters, "additionalProperties": False},
            "returns": NOTE,
            "idempotent": name == "flaky",
        }
        for name in TOOLS
    ]
    app = {"id": id, "name": "Odd", "description": "Does wrong on request."}
    return {"schema_version": "1.0", "app": app, "execution": execution, "tools": tools, **more}


def answers(text: str) -> Any:
    """Returns the answers: a list of texts, or HANG or CRASH."""
    request = json.loads(text)
    good = {"version": "1.0", "request_id": request["request_id"], "status": "success", "result": {"said": {}}}
    odd: dict[str, Any] = {
        "own_error": {**good, "status": "error", "error": {"code": "NO_SUCH_NOTE", "message": "There is none."}},
        "malformed": '{"version": "1.0", ',
        "not_object": [good],
        "no_version": {name: value for name, value in good.items() if name != "version"},
        "wrong_id": {**good, "request_id": "req_of_another"},
        "wrong_status": {**good, "status": "done"},
        "no_result": {name: value for name, value in good.items() if name != "result"},
        "off_schema": {**good, "result": {"said": "a secret word"}},
        "no_code": {**good, "status": "error", "error": {"message": "?"}},
        "double_key": json.dumps(good)[:-1] + ', "status": "success"}',
        "deep": json.dumps({**good, "result": 0})[:-2] + "[" * 100_000 + "]" * 100_000 + "}",
        "process": {**good, "result": {"said": {"pid": os.getpid(), "secret": os.environ.get("HANDRAIL_STATE")}}},
        "hang": HANG,
        "crash": CRASH,
    }
    tool = request["tool"]
    if tool == "huge":
        return [json.dumps({**good, "result": {"said": {"much": "x"}}}).replace("x", "x" * HUGE)]
    if tool == "flaky" and not (marker := Path(request["params"]["marker"])).exists():
        marker.touch()
        return CRASH
    if tool == "hang" and "marker" in request["params"]:
        Path(request["params"]["marker"]).touch()
    if tool == "flood":
        sys.stderr.write("x" * (1 << 20) + "\n")
        sys.stderr.flush()
    if tool == "noise":
        return ["Loading plugins …", json.dumps(good)]
    answer = odd.get(tool, {**good, "result": {"said": request["params"]}})
    if answer is HANG or answer is CRASH:
        return answer
    message = answer if isinstance(answer, str) else json.dumps(answer)
    return [message, message] if tool == "twice" else [message]


def serve_stdio() -> None:
    for line in sys.stdin:
        message = answers(line)
        if message is CRASH:
            print("out of cheese", file=sys.stderr, flush=True)
            os._exit(3)
        if message is not HANG:
            sys.stdout.write("".join(f"{each}\n" for each in message))
            sys.stdout.flush()


async def serve_dbus(name: str) -> None:
    from dbus_fast import Message, MessageType
    from dbus_fast.aio import MessageBus

    bus = await MessageBus().connect()

    def receive(message: Message) -> bool:
        if message.message_type is not MessageType.METHOD_CALL or message.interface != "com.aai.Executor":
            return False
        if message.member == "Cancel":
            Path(os.environ["HOME"], "cancelled").write_text(message.body[0])
            return True
        text = answers(message.body[0])
        if text is CRASH:
            os._exit(3)
        if text is not HANG:
            bus.send(Message.new_method_return(message, "s", [text[0]]))
        return True

    bus.add_message_handler(receive)
    await bus.request_name(name)
    await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        serve_stdio()
    else:
        asyncio.run(serve_dbus(sys.argv[2]))
