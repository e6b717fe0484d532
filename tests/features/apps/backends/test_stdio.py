"""Apps on stdio: one process that keeps running, and is replaced when it breaks the protocol."""

import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from handrail.features.apps.backends.stdio import StdioTransport
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.descriptors.descriptor import read
from handrail.features.apps.model import App
from handrail.ports.errors import BadAnswer, Offline
from tests.odd_app import descriptor
from tests.waiting import gone

ODD_APP = Path(__file__).parents[3] / "odd_app.py"
PLAIN = {"type": "stdio", "command": sys.executable, "args": [str(ODD_APP), "stdio"]}


def odd(**execution: Any) -> App:
    return read(json.dumps(descriptor("com.example.odd", {**PLAIN, **execution})).encode(), "")


class Caller:
    def __init__(self) -> None:
        self.transport = StdioTransport()
        self._board = AppCaller(lambda execution: self.transport, SchemaChecks())

    async def call(self, app: App, tool: str, **params: Any) -> Any:
        the_tool = app.tool(tool)
        assert the_tool is not None
        answer = await self._board.call(app, the_tool, params, timeout_ms=20_000, on_reply=lambda *on_reply: None)
        return answer["said"]

    async def pid(self, app: App) -> int:
        return int((await self.call(app, "process"))["pid"])


@pytest.fixture
async def caller() -> AsyncIterator[Caller]:
    caller = Caller()
    yield caller
    await caller.transport.close()


async def test_the_process_keeps_running_and_ends_with_the_transport(caller: Caller) -> None:
    app = odd()
    pid = await caller.pid(app)
    assert await caller.pid(app) == pid
    await caller.transport.close()
    await gone(pid)


async def test_an_app_that_writes_no_utf_8_has_answered_badly(caller: Caller) -> None:
    program = (
        'import sys; sys.stdin.readline(); sys.stdout.buffer.write(b\'{"request_id": "\\xff"}\\n\'); '
        "sys.stdout.flush(); sys.stdin.read()"
    )
    with pytest.raises(BadAnswer, match="reply of this contract"):
        await caller.call(odd(args=["-c", program]), "echo")


async def test_any_end_of_reading_is_reported_to_waiting_callers(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def decode(self, line: bytes) -> None:
            raise MemoryError

    monkeypatch.setattr("handrail.features.apps.backends.stdio._REPLY_HEAD", Broken())
    with pytest.raises(BadAnswer, match="can't be read"):
        await caller.call(odd(), "echo")


async def test_an_app_that_answers_twice_fails_and_the_next_call_has_another_process(caller: Caller) -> None:
    app = odd()
    pid = await caller.pid(app)
    with pytest.raises(BadAnswer, match="2 times"):
        await caller.call(app, "twice")
    assert await caller.pid(app) != pid
    await gone(pid)


async def test_a_line_that_is_not_a_reply_discards_the_process(caller: Caller) -> None:
    app = odd()
    with pytest.raises(BadAnswer, match="isn't a reply"):
        await caller.call(app, "noise")
    assert await caller.call(app, "echo", text="again") == {"text": "again"}


async def test_an_app_that_writes_much_to_stderr_is_not_blocked(caller: Caller) -> None:
    assert await caller.call(odd(), "flood", text="still here") == {"text": "still here"}


async def test_the_end_of_an_app_is_reported_with_its_last_output(caller: Caller) -> None:
    with pytest.raises(Offline) as raised:
        await caller.call(odd(), "crash")
    assert raised.value.details["stderr"] == "out of cheese"


async def test_a_changed_descriptor_gets_a_process_of_its_own(caller: Caller) -> None:
    first = await caller.pid(odd())
    assert await caller.pid(odd(env={"COLOUR": "blue"})) != first
    await gone(first)


async def test_an_app_does_not_get_handrails_own_variables(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAIL_STATE", "/somewhere")
    assert (await caller.call(odd(), "process"))["secret"] is None


async def test_a_program_that_is_not_there_is_unavailable(caller: Caller) -> None:
    with pytest.raises(Offline, match="can't be started"):
        await caller.call(odd(command="no-such-program"), "echo")


async def test_a_relative_command_starts_at_the_descriptors_folder(caller: Caller, tmp_path: Path) -> None:
    os.symlink(sys.executable, tmp_path / "run")
    text = json.dumps(descriptor("com.example.odd", {**PLAIN, "command": "./run"})).encode()
    assert await caller.call(read(text, str(tmp_path / "aai.json")), "echo", text="here") == {"text": "here"}
