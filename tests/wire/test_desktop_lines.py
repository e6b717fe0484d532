"""Contract 1 §1 and §3: one JSON text per line in each direction, and the answers to anything else."""

import asyncio
import json
import socket
from typing import Any

import pytest

from handrail.faces.jsonrpc import connection
from tests.waiting import eventually
from tests.wire.desktop_rig import Bridge, DesktopRig, error_of


async def test_an_answer_has_the_id_of_its_request_and_a_result(bridge: Bridge) -> None:
    answer = await bridge.send("desktop.health", id="f81d4fae-7dec-11d0-a765-00a0c91e6bf6")
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    assert answer["result"]["bridge"]["schemaVersion"] == 1


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"not json",
        b'{"jsonrpc":"2.0","jsonrpc":"2.0"}',
        b'{"a":NaN}',
        b'{"a":12345678901234567890}',
        b'{"a":"\\ud800"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b"[{}]",
        b"1",
        b"null",
        b'"text"',
        b"{}",
    ],
    ids=lambda line: line[:20].decode(errors="replace"),
)
async def test_an_invalid_line_is_an_invalid_request_and_does_not_affect_others(bridge: Bridge, line: bytes) -> None:
    answer = await bridge.stray(line)
    assert answer["id"] is None
    error = error_of(answer)
    assert error["code"] == "DESKTOP_INVALID_REQUEST"
    assert error["retryable"] is False
    assert await bridge.call("desktop.health")


async def test_a_numeric_id_is_refused_and_returned(bridge: Bridge) -> None:
    answer = await bridge.stray({"jsonrpc": "2.0", "id": 7, "method": "desktop.health", "params": {}})
    assert answer["id"] == 7
    assert error_of(answer)["details"]["field"] == "id"


@pytest.mark.parametrize("id", [None, True, {}, [], "", "x" * 257])
async def test_an_id_that_is_not_a_short_text_is_refused(bridge: Bridge, id: Any) -> None:
    answer = await bridge.stray({"jsonrpc": "2.0", "id": id, "method": "desktop.health", "params": {}})
    error = error_of(answer)
    assert error["code"] == "DESKTOP_INVALID_REQUEST"
    assert error["details"]["field"] == "id"


async def test_a_notification_is_answered_with_an_error(bridge: Bridge) -> None:
    answer = await bridge.stray({"jsonrpc": "2.0", "method": "desktop.health", "params": {}})
    assert answer["id"] is None
    assert error_of(answer)["code"] == "DESKTOP_INVALID_REQUEST"


async def test_a_batch_is_refused_as_a_whole(bridge: Bridge) -> None:
    one = {"jsonrpc": "2.0", "id": "a", "method": "desktop.health", "params": {"meta": bridge.meta()}}
    answer = await bridge.stray([one, one])
    assert answer["id"] is None
    assert error_of(answer)["code"] == "DESKTOP_INVALID_REQUEST"
    assert bridge.strays.empty()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"jsonrpc": "1.0"}, "jsonrpc"),
        ({"jsonrpc": 2.0}, "jsonrpc"),
        ({"method": 1}, "method"),
        ({"method": ""}, "method"),
        ({"params": []}, "params"),
        ({"params": None}, "params"),
        ({"params": "meta"}, "params"),
        ({"extra": 1}, "extra"),
    ],
)
async def test_a_member_of_the_request_that_is_wrong_is_named(
    bridge: Bridge, change: dict[str, Any], field: str
) -> None:
    request = {"jsonrpc": "2.0", "id": "one", "method": "desktop.health", "params": {"meta": bridge.meta()}}
    answer = await bridge.stray({**request, **change})
    assert answer["id"] == "one"
    error = error_of(answer)
    assert error["code"] == "DESKTOP_INVALID_REQUEST"
    assert error["details"]["field"] == field


async def test_a_line_beyond_the_limit_is_refused_and_the_next_one_is_read(bridge: Bridge) -> None:
    answer = await bridge.stray(b'"' + b"x" * (8 * 1024 * 1024 + 1) + b'"')
    assert answer["id"] is None
    assert error_of(answer)["details"]["maxBytes"] == 8 * 1024 * 1024
    assert await bridge.call("desktop.health")


async def test_requests_may_come_in_pieces_and_several_at_once(desk: DesktopRig) -> None:
    bridge = await desk.connect()
    text = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": f"n{n}", "method": "desktop.health", "params": {"meta": bridge.meta()}})
        .encode() + b"\n" for n in range(3)
    )  # fmt: skip
    for at in range(0, len(text), 50):
        bridge.writer.write(text[at : at + 50])
        await bridge.writer.drain()
    assert {(await bridge.strays.get())["id"] for _ in range(3)} == {"n0", "n1", "n2"}


async def test_blank_lines_and_a_cr_before_the_lf_mean_nothing(bridge: Bridge) -> None:
    request = {"jsonrpc": "2.0", "id": "crlf", "method": "desktop.health", "params": {"meta": bridge.meta()}}
    bridge.writer.write(b"\n \r\n" + json.dumps(request).encode() + b"\r\n")
    assert (await bridge.strays.get())["id"] == "crlf"
    assert bridge.strays.empty()


async def test_a_text_outside_of_ascii_passes_as_utf_8(desk: DesktopRig, bridge: Bridge) -> None:
    desk.desktop.change(desk.desktop.save, title="保存 \u2028 ☃")
    (ref,) = await bridge.find(titleContains="保存")
    assert ref["title"] == "保存 \u2028 ☃"


async def test_answers_may_come_out_of_order(desk: DesktopRig, bridge: Bridge) -> None:
    waiting = bridge.send(
        "desktop.waitUntil", condition={"selectorExists": {"titleContains": "Later"}}, timeoutMs=20_000
    )
    assert await bridge.call("desktop.health")
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert (await waiting)["result"]["ok"] is True


async def test_a_hundred_connections_are_served_at_once(desk: DesktopRig) -> None:
    bridges = [await desk.connect() for _ in range(100)]
    waits = [
        each.send("desktop.waitUntil", condition={"selectorExists": {"titleContains": "Later"}}, timeoutMs=60_000)
        for each in bridges
    ]
    for each in bridges:
        assert (await each.call("desktop.health"))["peer"]["pid"]
    desk.desktop.change(desk.desktop.ask, title="Later")
    assert [(await wait)["result"]["matched"] for wait in waits] == [1] * 100


async def test_a_client_that_does_not_read_does_not_affect_others(desk: DesktopRig) -> None:
    slow = socket.socket(socket.AF_UNIX)
    slow.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(slow, str(desk.socket))
    request = {"jsonrpc": "2.0", "id": "x" * 250, "method": "no.such", "params": {}}
    flood = (json.dumps(request).encode() + b"\n") * 2_000
    sending = asyncio.create_task(loop.sock_sendall(slow, flood))
    other = await desk.connect()
    for _ in range(5):
        assert await other.call("desktop.find", selector={"byRole": "AXButton"})
    received = 0
    while received < 2_000:
        received += (await loop.sock_recv(slow, 1 << 20)).count(b"\n")
    await sending
    assert received == 2_000
    slow.close()


@pytest.fixture
def most_running(monkeypatch: pytest.MonkeyPatch) -> int:
    """Fewer of them, so that they all run soon."""
    assert connection.MOST_RUNNING == 1_000
    monkeypatch.setattr(connection, "MOST_RUNNING", 50)
    return connection.MOST_RUNNING


async def test_too_many_calls_on_one_connection_are_refused_for_now(
    desk: DesktopRig, bridge: Bridge, most_running: int
) -> None:
    condition = {"selectorExists": {"titleContains": "Later"}}
    patient: dict[str, Any] = {"condition": condition, "timeoutMs": 600_000}
    calls = [
        asyncio.ensure_future(bridge.send("desktop.waitUntil", meta=bridge.meta(timeoutMs=600_000), **patient))
        for _ in range(most_running + 1)
    ]
    finished, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    error = error_of(finished.pop().result())
    assert (error["code"], error["retryable"]) == ("DESKTOP_HOST_NOT_READY", True)
    desk.desktop.change(desk.desktop.ask, title="Later")
    answers = await asyncio.gather(*calls)
    assert sum("result" in answer for answer in answers) == most_running


async def test_a_busy_client_can_still_query_and_abort_its_calls(bridge: Bridge, most_running: int) -> None:
    condition = {"selectorExists": {"titleContains": "Never"}}
    meta = bridge.meta(requestId="all-of-them", timeoutMs=600_000)
    calls = [
        asyncio.ensure_future(bridge.send("desktop.waitUntil", meta=meta, condition=condition, timeoutMs=600_000))
        for _ in range(most_running + 1)
    ]
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    assert await bridge.call("desktop.health")
    assert await bridge.call("desktop.doctor")
    patient = bridge.meta(timeoutMs=600_000)
    assert (await bridge.call("desktop.abort", meta=patient, executionId="all-of-them"))["aborted"] is True
    codes = [error_of(answer)["code"] for answer in await asyncio.gather(*calls)]
    assert codes.count("DESKTOP_ABORTED") == most_running


async def test_a_disconnected_clients_executions_are_aborted(desk: DesktopRig) -> None:
    gone, other = await desk.connect(), await desk.connect()
    waiting = gone.send(
        "desktop.waitUntil",
        meta=gone.meta(requestId="the-wait"),
        condition={"selectorExists": {"titleContains": "Never"}},
        timeoutMs=60_000,
    )
    desk.desktop.hold_typing()
    typing = gone.send("desktop.typeText", text="abc", confirm={"phrase": "CONFIRM"})
    await desk.acting()
    await gone.close()
    await eventually(lambda: len(desk.index()) == 2)
    assert {(line["method"], line["errorCode"]) for line in desk.index()} == {
        ("desktop.waitUntil", "DESKTOP_ABORTED"),
        ("desktop.typeText", "DESKTOP_ABORTED"),
    }
    desk.desktop.let_type(10)
    await other.call("desktop.health")
    assert desk.desktop.sent == []
    del waiting, typing


async def test_a_client_that_closed_only_its_own_side_still_gets_its_answer(desk: DesktopRig) -> None:
    bridge = await desk.connect()
    answer = bridge.send("desktop.find", selector={"titleContains": "Save"})
    bridge.writer.write_eof()
    assert (await answer)["result"]["matched"] == 3
