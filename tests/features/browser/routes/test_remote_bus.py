"""The bus of a running server, reached from another process."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from handrail.features.browser.opening import remote_bus
from handrail.features.browser.remote_bus import RemoteBus, ServerAddress
from handrail.kernel.task_ids import new_task_id
from handrail.ports.errors import InvalidParams, NotFound, Offline, Reported, TooLarge, Unfinished
from handrail.wiring import Wiring
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import CLICK, browsing, got, task_on


def test_the_remote_bus_supports_what_the_surface_needs(server: Running) -> None:
    async def run() -> None:
        bus = remote_bus(Wiring().open_stores(server.state))
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            assert (await bus.task_for("me", task)).selected_client_id == browser.client_id
            own = await bus.task_for("me", None)
            assert (await bus.task_for("me", None)).task_id == own.task_id
            running = asyncio.ensure_future(bus.act(task, CLICK, trace_id="t-3"))
            action = await browser.action()
            assert action["traceId"] == "t-3"
            await browser.answer(action, status="partial", result={"warnings": ["w"]})
            result = await running
            assert (result.status, result.warnings) == ("partial", ("w",))
            there = await bus.open_tabs("me", task)
            assert there.task.task_id == task
            assert there.tabs == ()
            tab = {"tabId": 7, "windowId": 1, "active": True, "pinned": False, "hidden": False, "index": 0}
            await browser.say({"type": "tab_event", "eventType": "tab_created", "tab": tab, "timestamp": 1})
            assert [tab.tab_id for tab in (await bus.open_tabs("me", task)).tabs] == [7]
            entry = await bus.store_artifact(task, "file", "text/plain", b"hello", "hello.txt")
            artifact = await bus.artifact(entry)
            assert (artifact.data, artifact.content_type, artifact.kind) == (b"hello", "text/plain", "file")

    asyncio.run(run())


def test_errors_keep_their_type_over_the_remote_bus(server: Running) -> None:
    async def run() -> None:
        bus = remote_bus(Wiring().open_stores(server.state))
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = asyncio.ensure_future(bus.act(task, CLICK))
            error = {
                "code": "INVALID_TARGET",
                "message": "gone",
                "details": {"hint": "Look again.", "coveredBy": "div"},
            }
            await browser.answer(await browser.action(), status="error", error=error)
            with pytest.raises(Reported) as failed:
                await running
            failure = failed.value
            assert (failure.code, failure.message, failure.hint) == ("INVALID_TARGET", "gone", "Look again.")
            assert failure.details == {"coveredBy": "div"}
            with pytest.raises(Unfinished):
                await bus.act(task, CLICK, timeout_ms=50)
            with pytest.raises(InvalidParams) as invalid:
                await bus.act(task, {"browser_click": {}})
            assert invalid.value.details["fieldErrors"]
            with pytest.raises(InvalidParams):
                await bus.task_for("me", "no-id")
            with pytest.raises(NotFound):
                await bus.artifact("art-none")
            with pytest.raises(TooLarge):
                await bus.store_artifact(task, "file", "text/plain", b"x" * (26 * 1024 * 1024))

    asyncio.run(run())


@pytest.mark.parametrize(
    "code", ["SCHEMA_VALIDATION_FAILED", "INVALID_TASK_TAB", "PLUGIN_OFFLINE", "BAD_REQUEST", "X_OWN"]
)
def test_an_error_of_the_extension_arrives_from_afar_as_the_extension_reported_it(server: Running, code: str) -> None:
    details = {"fieldErrors": [], "context": {"a": 1}, "hint": ["not", "a", "text"], "retryable": "later"}

    async def run() -> None:
        bus = remote_bus(Wiring().open_stores(server.state))
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = asyncio.ensure_future(bus.act(task, CLICK))
            error = {"code": code, "message": "no", "retryable": True, "details": details}
            await browser.answer(await browser.action(), status="error", error=error)
            with pytest.raises(Reported) as failed:
                await running
            failure = failed.value
            assert (failure.code, failure.message, failure.retryable) == (code, "no", True)
            assert failure.details == details

    asyncio.run(run())


def test_cancelling_a_remote_call_ends_the_action(server: Running) -> None:
    async def run() -> None:
        bus = remote_bus(Wiring().open_stores(server.state))
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = asyncio.ensure_future(bus.act(task, CLICK, timeout_ms=60_000))
            action = await browser.action()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            following = asyncio.ensure_future(bus.act(task, CLICK))
            await browser.answer(await browser.action())
            await following
            assert (await browser.answer(action))["ok"] is False
            assert (await got(server, f"/api/task/{task}")).json["data"]["task"]["status"] == "ongoing"

    asyncio.run(run())


def test_a_server_that_was_started_again_is_found_by_the_next_call(state: Path, project: Path) -> None:
    bus, task = remote_bus(Wiring().open_stores(state)), new_task_id()

    async def run() -> None:
        for _ in range(2):
            with Running(state, project):
                for _ in range(3):
                    assert (await bus.task_for("me", task)).task_id == task

    asyncio.run(run())


def test_calls_at_the_same_time_get_their_own_answers(server: Running) -> None:
    async def run() -> None:
        bus, tasks = remote_bus(Wiring().open_stores(server.state)), [new_task_id() for _ in range(12)]
        for _ in range(2):
            results = await asyncio.gather(*(bus.task_for("me", task) for task in tasks))
            assert [record.task_id for record in results] == tasks

    asyncio.run(run())


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", b"not HTTP\r\n\r\n"])
def test_a_dropped_connection_is_reported_as_a_lost_server(answer: bytes) -> None:
    async def run() -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            writer.close()

        async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            with pytest.raises(Offline, match="went away"):
                await RemoteBus(lambda: ServerAddress(host, port, {})).data("GET", "/")

    asyncio.run(run())


def test_idle_connections_are_used_again_until_the_server_closes_them() -> None:
    async def run() -> None:
        answer = b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"data":1}'
        writers: list[asyncio.StreamWriter] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            with suppress(asyncio.IncompleteReadError):
                while await reader.readuntil(b"\r\n\r\n"):
                    writer.write(answer)
            writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            host, port = server.sockets[0].getsockname()
            bus = RemoteBus(lambda: ServerAddress(host, port, {}))
            for _ in range(3):
                assert await bus.data("GET", "/") == 1
            assert len(writers) == 1
            writers[0].close()
            await writers[0].wait_closed()
            assert await bus.data("GET", "/") == 1
            assert len(writers) == 2
            await bus.close()

    asyncio.run(run())


def test_without_a_server_it_says_what_to_do(tmp_path: Path, state: Path, project: Path) -> None:
    async def run(state: Path) -> Offline:
        with pytest.raises(Offline) as offline:
            await remote_bus(Wiring().open_stores(state)).act(new_task_id(), CLICK)
        return offline.value

    assert "handrail up" in str(asyncio.run(run(tmp_path / "nothing")).hint)
    with Running(state, project) as server:
        server.stop()
    assert "handrail up" in str(asyncio.run(run(state)).hint)
