"""The host's client, with a scripted host; tests/e2e has the real one."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from handrail.features.desktop.dialect import error_object
from handrail.features.desktop.host_client import client as host_client
from handrail.features.desktop.host_client.client import Connection, HostClient
from handrail.features.desktop.host_client.discovery import SOCKET, find_host
from handrail.ports.errors import Declined, Internal, NotFound, NotReady, Offline, Reported

pytestmark = pytest.mark.anyio

Json = dict[str, Any]


class ScriptedHost:
    """Puts every request into `asked`; the test answers when and how it likes."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[Json, asyncio.StreamWriter]] = asyncio.Queue()

    async def serve(self, path: Path) -> asyncio.Server:
        async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while line := await reader.readline():
                await self.asked.put((json.loads(line), writer))
            writer.close()

        return await asyncio.start_unix_server(visit, path)

    async def answers(self, **answer: Any) -> Json:
        request, writer = await self.asked.get()
        self.says(writer, {"jsonrpc": "2.0", "id": request["id"], **answer})
        return request

    def says(self, writer: asyncio.StreamWriter, message: Any) -> None:
        writer.write((message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[tuple[ScriptedHost, HostClient]]:
    scripted, path = ScriptedHost(), tmp_path / "h.sock"
    server = await scripted.serve(path)
    client = HostClient("/the/project", lambda: Connection.open(path))
    yield scripted, client
    await client.close()
    server.close()


async def test_a_call_carries_its_meta(host: tuple[ScriptedHost, HostClient]) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.find", {"selector": {}}, timeout_ms=1234, request_id="r1"))
    request = await scripted.answers(result={"matched": 0})
    assert await asking == {"matched": 0}
    assert (request["jsonrpc"], request["id"], request["method"]) == ("2.0", "r1", "desktop.find")
    meta = {"schemaVersion": 1, "requestId": "r1", "workspacePath": "/the/project", "timeoutMs": 1234}
    assert request["params"] == {"meta": meta, "selector": {}}


async def test_answers_may_come_in_any_order(host: tuple[ScriptedHost, HostClient]) -> None:
    scripted, client = host
    asking = [asyncio.ensure_future(client.call(f"m{n}", {}, timeout_ms=5000)) for n in range(3)]
    requests = [await scripted.asked.get() for _ in range(3)]
    for request, writer in reversed(requests):
        scripted.says(writer, {"jsonrpc": "2.0", "id": request["id"], "result": {"was": request["method"]}})
    assert [(await each)["was"] for each in asking] == ["m0", "m1", "m2"]


@pytest.mark.parametrize(
    ("code", "condition"),
    [
        ("DESKTOP_CONFIRM_REQUIRED", Declined),
        ("DESKTOP_ELEMENT_NOT_FOUND", NotFound),
        ("DESKTOP_MADE_UP_LATER", Reported),
        ("DESKTOP_MODAL_BLOCKING", Exception),
    ],
)
async def test_the_hosts_own_code_and_details_pass_through(
    host: tuple[ScriptedHost, HostClient], code: str, condition: type[Exception]
) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.click", {}, timeout_ms=5000))
    error = {"code": code, "message": "No.", "retryable": False, "details": {"reason": "denied", "hint": "Ask."}}
    await scripted.answers(error=error)
    with pytest.raises(condition) as refused:
        await asking
    assert error_object(refused.value) == error  # type: ignore[arg-type]


@pytest.mark.parametrize("nonsense", [{}, {"error": None}, {"error": {"code": 3}}, {"result": []}])
async def test_an_answer_that_makes_no_sense_is_a_fault(host: tuple[ScriptedHost, HostClient], nonsense: Json) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.click", {}, timeout_ms=5000))
    await scripted.answers(**nonsense)
    with pytest.raises(Internal):
        await asking


async def test_a_crashed_host_fails_its_call_and_the_next_call_uses_a_new_one(
    host: tuple[ScriptedHost, HostClient],
) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.find", {}, timeout_ms=5000))
    _, writer = await scripted.asked.get()
    writer.close()
    with pytest.raises(Offline):
        await asking
    again = asyncio.ensure_future(client.call("desktop.find", {}, timeout_ms=5000))
    await scripted.answers(result={})
    assert await again == {}


async def test_invalid_json_closes_the_connection_but_not_the_client(
    host: tuple[ScriptedHost, HostClient],
) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.find", {}, timeout_ms=5000))
    _, writer = await scripted.asked.get()
    scripted.says(writer, "not JSON")
    with pytest.raises(Offline):
        await asking


async def test_a_host_that_is_still_starting_is_asked_again(host: tuple[ScriptedHost, HostClient]) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.click", {}, timeout_ms=5000))
    starting = {"code": "DESKTOP_HOST_NOT_READY", "message": "The host is still starting.", "retryable": True}
    await scripted.answers(error=starting)
    await scripted.answers(result={"clicked": True})
    assert await asking == {"clicked": True}


async def test_a_host_that_never_gets_ready_is_not_waited_for_without_end(
    host: tuple[ScriptedHost, HostClient],
) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.click", {}, timeout_ms=1))
    starting = {"code": "DESKTOP_HOST_NOT_READY", "message": "The host is still starting.", "retryable": True}
    while not asking.done():
        answering = asyncio.ensure_future(scripted.answers(error=starting))
        await asyncio.wait([answering, asking], return_when=asyncio.FIRST_COMPLETED)
        answering.cancel()
    with pytest.raises(NotReady):
        await asking


async def test_a_call_that_is_cancelled_is_aborted_there(host: tuple[ScriptedHost, HostClient]) -> None:
    scripted, client = host
    asking = asyncio.ensure_future(client.call("desktop.waitUntil", {}, timeout_ms=5000))
    request, _ = await scripted.asked.get()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    stopped, _ = await scripted.asked.get()
    assert (stopped["method"], stopped["params"]["executionId"]) == ("desktop.abort", request["id"])


async def test_cancelling_while_connecting_leaves_no_connection_behind(tmp_path: Path) -> None:
    scripted = ScriptedHost()
    server = await scripted.serve(tmp_path / SOCKET)
    finding = asyncio.ensure_future(find_host(tmp_path, "/the/project"))
    _, writer = await scripted.asked.get()
    finding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await finding
    async with asyncio.timeout(10):
        await writer.wait_closed()
    server.close()


async def test_a_socket_at_the_end_of_a_long_path_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 25)
    folder.mkdir()
    short = tmp_path / "s"
    server = await ScriptedHost().serve(short)
    (folder / "h.sock").hardlink_to(short)
    connection = await Connection.open(folder / "h.sock")
    assert connection.is_open
    await connection.close()
    server.close()


async def test_a_host_that_accepts_no_connections_times_out_without_delaying_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_client, "_CONNECT_SECONDS", 0.1)
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as first:
        listening.bind(str(tmp_path / SOCKET))
        listening.listen(0)
        first.connect(str(tmp_path / SOCKET))
        opening = asyncio.create_task(Connection.open(tmp_path / SOCKET))
        await asyncio.sleep(0)
        assert not opening.done()
        with pytest.raises(TimeoutError):
            await opening
