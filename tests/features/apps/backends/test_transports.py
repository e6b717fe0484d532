"""Every transport keeps the port's promises: whatever an app does wrong, only its own call fails."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from handrail.features.apps.backends.dbus import DBusTransport
from handrail.features.apps.backends.http import HttpTransport
from handrail.features.apps.backends.stdio import StdioTransport
from handrail.features.apps.calls.app_caller import AppCaller
from handrail.features.apps.calls.checks import SchemaChecks
from handrail.features.apps.descriptors.descriptor import read
from handrail.features.apps.dialect import envelope
from handrail.features.apps.model import App, AppTransport
from handrail.ports.errors import BadAnswer, Failure, Offline, Reported, Timeout
from tests.features.apps.backends.credentials import Signed
from tests.odd_app import descriptor
from tests.odd_http import odd_server
from tests.session_bus import SessionBus
from tests.waiting import eventually, gone

ODD_APP = Path(__file__).parents[3] / "odd_app.py"
ID = "com.example.odd"


@dataclass
class Ground:
    """A running app and its transport; `is_called_off` waits until the app was notified of a cancelled call."""

    kind: str
    app: App
    transport: AppTransport
    is_called_off: Callable[[], Awaitable[object]]

    def __post_init__(self) -> None:
        self._board = AppCaller(lambda execution: self.transport, SchemaChecks())

    async def call(self, tool: str, timeout_ms: int = 20_000, **params: Any) -> Any:
        the_tool = self.app.tool(tool)
        assert the_tool is not None
        return await self._board.call(self.app, the_tool, params, timeout_ms=timeout_ms, on_reply=lambda *reply: None)


def odd(execution: dict[str, Any], source: str = "") -> App:
    return read(json.dumps(descriptor(ID, execution)).encode(), source)


@pytest.fixture(scope="module")
def bus() -> Any:
    with SessionBus() as bus:
        services = bus.data / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        line = f"[D-BUS Service]\nName={ID}\nExec={sys.executable} {ODD_APP} dbus {ID}\n"
        (services / f"{ID}.service").write_text(line)
        yield bus


@asynccontextmanager
async def stdio_ground(tmp_path: Path) -> AsyncIterator[Ground]:
    app = odd({"type": "stdio", "command": sys.executable, "args": [str(ODD_APP), "stdio"]}, str(tmp_path / "aai.json"))
    transport = StdioTransport()
    ground = Ground("stdio", app, transport, lambda: gone(0))
    pid = (await ground.call("process"))["said"]["pid"]

    ground.is_called_off = lambda: gone(pid)
    yield ground
    await transport.close()


@asynccontextmanager
async def dbus_ground(bus: SessionBus) -> AsyncIterator[Ground]:
    note = bus.home / "cancelled"
    note.unlink(missing_ok=True)
    transport = DBusTransport(os.getuid())
    yield Ground("dbus", odd({"type": "ipc"}), transport, lambda: eventually(note.exists))
    await transport.close()


@asynccontextmanager
async def http_ground() -> AsyncIterator[Ground]:
    async with odd_server() as server:
        transport = HttpTransport(Signed())

        async def hung_up() -> None:
            await server.gone.wait()

        yield Ground("http", odd({"type": "http", "base_url": server.url}), transport, hung_up)
        await transport.close()


@pytest.fixture(params=["stdio", "dbus", "http"])
async def ground(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Ground]:
    if request.param == "stdio":
        async with stdio_ground(tmp_path) as ground:
            yield ground
    elif request.param == "dbus":
        session = request.getfixturevalue("bus")
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", session.address)
        async with dbus_ground(session) as ground:
            yield ground
    else:
        async with http_ground() as ground:
            yield ground


def code_of(failure: Failure) -> str:
    return str(envelope(failure)["error"]["code"])


async def test_all_characters_of_an_apps_reply_are_preserved(ground: Ground) -> None:
    text = 'two\nlines, "quotes", \\, \u2028, 漢字, \U0001f600'
    assert await ground.call("echo", text=text) == {"said": {"text": text}}


async def test_an_app_s_own_error_passes_with_its_own_code(ground: Ground) -> None:
    with pytest.raises(Reported, match="There is none") as raised:
        await ground.call("own_error")
    assert code_of(raised.value) == "NO_SUCH_NOTE"


async def test_an_invalid_reply_is_an_internal_error_and_the_next_call_works(ground: Ground) -> None:
    odd_ones = "malformed not_object no_version wrong_id wrong_status no_result off_schema no_code double_key deep"
    for tool in odd_ones.split():
        with pytest.raises(BadAnswer) as raised:
            await ground.call(tool)
        assert code_of(raised.value) == "INTERNAL_ERROR", tool
        assert await ground.call("echo", text=tool) == {"said": {"text": tool}}


@pytest.mark.trial("huge lines", is_long=True)
async def test_an_answer_of_a_hundred_megabytes_is_refused_and_the_next_call_works(ground: Ground) -> None:
    with pytest.raises(BadAnswer, match="more than"):
        await ground.call("huge", 60_000)
    assert await ground.call("echo", text="again") == {"said": {"text": "again"}}


async def test_an_app_that_never_answers_times_out_and_is_notified(ground: Ground) -> None:
    with pytest.raises(Timeout) as raised:
        await ground.call("hang", 300)
    assert code_of(raised.value) == "TIMEOUT"
    async with asyncio.timeout(20):
        await ground.is_called_off()
    assert await ground.call("echo", text="again") == {"said": {"text": "again"}}


async def test_cancelling_a_call_notifies_the_app(ground: Ground, tmp_path: Path) -> None:
    marker = tmp_path / "under way"
    call = asyncio.ensure_future(ground.call("hang", marker=str(marker)))
    await eventually(marker.exists)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    async with asyncio.timeout(20):
        await ground.is_called_off()


async def test_an_app_that_crashes_in_the_middle_is_unavailable_and_back_at_the_next_call(ground: Ground) -> None:
    with pytest.raises(Offline) as raised:
        await ground.call("crash")
    assert code_of(raised.value) == "SERVICE_UNAVAILABLE"
    assert await ground.call("echo", text="again") == {"said": {"text": "again"}}


async def test_only_idempotent_tools_are_retried(ground: Ground, tmp_path: Path) -> None:
    marker = str(tmp_path / "tried")
    assert await ground.call("flaky", marker=marker) == {"said": {"marker": marker}}


async def test_large_parameters_are_sent_completely_although_a_caller_gives_up(ground: Ground) -> None:
    text = "x" * 400_000
    calls = [asyncio.ensure_future(ground.call("process", text=text)) for _ in range(20)]
    await eventually(lambda: any(call.done() for call in calls))
    for call in calls[15:]:
        call.cancel()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [answer for answer in answers if not isinstance(answer, dict | asyncio.CancelledError)] == []
    assert await ground.call("echo", text="again") == {"said": {"text": "again"}}


async def test_one_app_answers_many_calls_at_once(ground: Ground) -> None:
    texts = [f"number {number}" for number in range(50)]
    answers = await asyncio.gather(*(ground.call("echo", text=text) for text in texts))
    assert answers == [{"said": {"text": text}} for text in texts]
