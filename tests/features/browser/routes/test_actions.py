"""Actions over the real wires: requested over HTTP, answered on a socket."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from handrail.kernel.task_ids import new_task_id
from tests.faces.http.listener import listening
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import CLICK, acting, browsing, bus_key, got, post_act, posted, task_on


def tool_code(answer: Any) -> str:
    return str(answer.json["error"]["details"]["toolError"]["code"])


def test_an_action_goes_to_its_plugin_and_its_result_comes_back(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = acting(server, taskId=task, headers={"x-trace-id": "trace-7"})
            action = await browser.action()
            assert (action["v"], action["type"], action["taskId"]) == (1, "browser_action", task)
            assert (action["clientId"], action["action"], action["traceId"]) == (browser.client_id, CLICK, "trace-7")
            assert await browser.answer(action, result={"clicked": True, "strategy": "cdp_mouse"}) == {"ok": True}
            answer = await running
            assert answer.status == 200
            assert answer.headers["x-trace-id"] == "trace-7"
            result = {"clicked": True, "strategy": "cdp_mouse"}
            assert answer.json["data"] == {"status": "success", "result": result, "warnings": [], "taskId": task}

    asyncio.run(run())


def test_the_old_form_of_a_result_is_accepted(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = acting(server, taskId=task)
            action = await browser.action()
            assert await browser.say({"actionId": action["id"], "status": "error", "error": "timeout"}) == {"ok": True}
            answer = await running
            assert (answer.status, answer.code, tool_code(answer)) == (503, "UNAVAILABLE", "PLUGIN_ERROR")
            assert answer.json["error"]["message"] == "timeout"
            running = acting(server, taskId=task)
            action = await browser.action()
            await browser.say({"actionId": action["id"], "status": "success", "result": {"clicked": True}})
            assert (await running).status == 200

    asyncio.run(run())


def test_a_result_inside_the_ack_is_accepted(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            browser.ack = {"ok": True, "status": "success", "result": {"clicked": True}}
            answer = await acting(server, taskId=await task_on(server, browser))
            assert answer.json["data"]["result"] == {"clicked": True}

    asyncio.run(run())


@pytest.mark.parametrize(
    ("code", "status", "outer"),
    [
        ("INVALID_TASK_TAB", 404, "NOT_FOUND"), ("INVALID_TARGET", 404, "NOT_FOUND"),
        ("CDP_UNAVAILABLE", 503, "UNAVAILABLE"), ("CDP_PERMISSION_DENIED", 403, "FORBIDDEN"),
        ("PAGE_PREP_FAILED", 503, "UNAVAILABLE"), ("READABILITY_TOO_LARGE", 400, "BAD_REQUEST"),
        ("ARTIFACT_UPLOAD_FAILED", 503, "UNAVAILABLE"), ("NAVIGATION_TIMEOUT", 503, "UNAVAILABLE"),
        ("TASK_TAB_CLOSED", 404, "NOT_FOUND"), ("MY_OWN_CODE", 503, "UNAVAILABLE"),
    ],
)  # fmt: skip
def test_a_plugins_code_passes_through(code: str, status: int, outer: str, server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            running = acting(server, taskId=await task_on(server, browser))
            details = {"hint": "Close the banner.", "coveredBy": "div#cookies"}
            error = {"code": code, "message": "no", "retryable": False, "details": details}
            await browser.answer(await browser.action(), status="error", error=error)
            answer = await running
            assert (answer.status, answer.code, tool_code(answer)) == (status, outer, code)
            data = answer.json["error"]["details"]["toolError"]["details"]
            assert (data["hint"], data["context"]["coveredBy"]) == ("Close the banner.", "div#cookies")

    asyncio.run(run())


def test_a_missing_ack_times_out(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            browser.ack = None
            task = await task_on(server, browser)
            answer = await acting(server, taskId=task)
            assert (answer.status, tool_code(answer)) == (503, "PLUGIN_TIMEOUT_ACK")
            assert answer.json["error"]["details"]["context"]["taskId"] == task
            second = await acting(server, taskId=task)
            assert tool_code(second) == "PLUGIN_TIMEOUT_ACK"
            async with asyncio.timeout(10):
                await browser.left.wait()
            assert tool_code(await acting(server, taskId=task)) == "PLUGIN_OFFLINE"
        async with browsing(server, browser.client_id) as again:
            running = acting(server, taskId=task)
            await again.answer(await again.action())
            assert (await running).status == 200

    asyncio.run(run())


def test_an_action_that_takes_too_long_times_out(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = acting(server, {"browser_click": {"tabId": 1, "timeoutMs": 100}}, taskId=task)
            action = await browser.action()
            assert tool_code(await running) == "PLUGIN_TIMEOUT_EXEC"
            late = await browser.answer(action)
            assert (late["ok"], late["error"]["code"]) == (False, "BAD_REQUEST")

    asyncio.run(run())


def test_a_plugin_that_goes_ends_its_action_at_once(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            running = acting(server, taskId=await task_on(server, browser), timeoutMs=60_000)
            await browser.action()
        assert tool_code(await running) == "PLUGIN_OFFLINE"

    asyncio.run(run())


def test_a_result_for_nothing_and_a_second_result_are_refused_and_break_nothing(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser, browsing(server) as stranger:
            task = await task_on(server, browser)
            running = acting(server, taskId=task)
            action = await browser.action()
            for wrong in (
                await browser.say({"type": "browser_action_result", "actionId": "no-such", "status": "success"}),
                await browser.say({"type": "browser_action_result", "status": "success"}),
                await browser.answer(action, taskId=new_task_id()),
                await browser.answer(action, clientId="somebody-else"),
                await stranger.answer(action, clientId=stranger.client_id),
            ):
                assert (wrong["ok"], wrong["error"]["code"]) == (False, "BAD_REQUEST")
            assert await browser.answer(action) == {"ok": True}
            assert (await browser.answer(action))["ok"] is False
            assert (await running).status == 200

    asyncio.run(run())


def test_a_client_that_disconnects_cancels_its_action(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser, httpx2.AsyncClient(base_url=server.address) as client:
            task = await task_on(server, browser)
            body = {"taskId": task, "actions": CLICK, "timeoutMs": 60_000}
            asking = asyncio.ensure_future(client.post("/api/browser/act", headers=bus_key(server), json=body))
            action = await browser.action()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            following = acting(server, taskId=task)
            second = await browser.action()
            assert second["id"] != action["id"]
            assert (await browser.answer(action))["ok"] is False
            assert await browser.answer(second) == {"ok": True}
            assert (await following).status == 200

    asyncio.run(run())


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "actions"), ({"actions": {}}, "actions"), ({"actions": {"fly": {}}}, "actions.fly"),
        ({"actions": {"browser_click": []}}, "actions"),
        ({"actions": {"browser_click": {}}}, "actions.browser_click.tabId"),
        ({"actions": {"browser_click": {"tabId": "1"}}}, "actions.browser_click.tabId"),
        ({"actions": {"browser_type": {"tabId": 1}}}, "actions.browser_type.text"),
        ({"actions": {"browser_navigate": {"tabId": 1, "url": "javascript:1"}}}, "actions.browser_navigate.url"),
        ({"actions": {"browser_click": {"tabId": 1, "timeoutMs": 0}}}, "actions.browser_click.timeoutMs"),
        ({"actions": CLICK, "timeoutMs": "5"}, "timeoutMs"), ({"actions": CLICK, "taskId": "x"}, "taskId"),
        ({"actions": CLICK, "actionId": "a b"}, "actionId"),
    ],
)  # fmt: skip
def test_bad_actions_are_named_by_their_field(body: Any, field: str, server: Running) -> None:
    answer = server.request("POST", "/api/browser/act", headers=bus_key(server), json=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert any(item["field"].startswith(field) for item in answer.json["error"]["details"]["fieldErrors"])


def test_the_token_is_not_enough_to_act(server: Running) -> None:
    for path, body in (("/api/browser/act", {"actions": CLICK}), ("/api/browser/task", {"caller": "x"})):
        answer = server.request("POST", path, json=body)
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
        wrong = {**server.bearer, "x-handrail-console-key": "0" * 43}
        assert server.request("POST", path, headers=wrong, json=body).status == 403


def test_an_action_that_is_too_long_for_a_socket_is_refused(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            long = {"browser_type": {"tabId": 1, "text": "x" * 950_000}}
            answer = await acting(server, long, taskId=await task_on(server, browser))
            assert (answer.status, answer.code) == (400, "BAD_REQUEST")
            assert browser.actions.empty()

    asyncio.run(run())


def test_calls_without_a_task_share_one_task_per_caller(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            tasks = []
            for caller in ("one", "one", "two"):
                own = await posted(server, "/api/browser/task", headers=bus_key(server), json={"caller": caller})
                tasks.append(own.json["data"]["taskId"])
                await posted(server, f"/api/task/{tasks[-1]}/plugin", json={"clientId": browser.client_id})
                running = acting(server, caller=caller)
                await browser.answer(await browser.action())
                assert (await running).json["data"]["taskId"] == tasks[-1]
            assert tasks[0] == tasks[1] != tasks[2]

    asyncio.run(run())


def test_the_same_action_id_acts_once(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = acting(server, taskId=task, actionId=f"mine-{task}")
            await browser.answer(await browser.action(), result={"n": 1})
            assert (await running).status == 200
            again = await acting(server, taskId=task, actionId=f"mine-{task}")
            assert again.json["data"]["result"] == {"n": 1}
            assert browser.actions.empty()
            other = await acting(server, {"browser_tabs": {}}, taskId=task, actionId=f"mine-{task}")
            assert (other.status, other.code) == (409, "CONFLICT")

    asyncio.run(run())


def test_pages_that_follow_a_task_receive_its_tool_and_error_events(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser, listening(server) as page, listening(server) as elsewhere:
            task = await task_on(server, browser)
            assert await page.send("frontend_message", {"v": 1, "type": "subscribe", "taskId": task}) == {"ok": True}
            running = acting(server, taskId=task)
            action = await browser.action()
            await browser.answer(action, status="error", error={"code": "INVALID_TARGET", "message": "gone"})
            await running
            start_event, end_event, output = [await page.next("frontend_event") for _ in range(3)]
            for told in (start_event, end_event, output):
                assert (told["type"], told["taskId"]) == ("event", task)
            assert start_event["event"]["type"] == end_event["event"]["type"] == "toolUsed"
            used = {"name": "browser_click", "actionId": action["id"]}
            assert start_event["event"].items() >= {**used, "status": "running"}.items()
            assert end_event["event"].items() >= {**used, "status": "error"}.items()
            event = output["event"]
            assert (event["type"], event["status"], event["isComplete"]) == ("structuredOutput", "error", True)
            assert event["error"]["code"] == "INVALID_TARGET"
            told_elsewhere = [elsewhere.told.get_nowait() for _ in range(elsewhere.told.qsize())]
            assert task not in [data["taskId"] for name, data in told_elsewhere if name == "frontend_event"]

    asyncio.run(run())


def test_actions_of_a_killed_server_are_ended_when_the_next_one_starts(state: Path, project: Path) -> None:
    async def run() -> None:
        task = new_task_id()
        with Running(state, project) as first:
            async with browsing(first) as browser:
                asking = acting(first, taskId=task, actionId="cut-off", timeoutMs=60_000)
                await browser.action()
                await asyncio.to_thread(first.stop, signal.SIGKILL)
            with pytest.raises(httpx2.HTTPError):
                await asking
        second = await asyncio.to_thread(Running, state, project)
        with second:
            answer = await acting(second, taskId=task, actionId="cut-off")
            assert tool_code(answer) == "PLUGIN_OFFLINE"
            response = await got(second, f"/api/task/{task}")
            assert response.json["data"]["task"]["status"] == "error"

    asyncio.run(run())


def test_without_a_browser_the_call_fails_at_once(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        answer = post_act(server)
        assert (answer.status, answer.code, tool_code(answer)) == (503, "UNAVAILABLE", "PLUGIN_OFFLINE")
        assert answer.json["error"]["details"]["retryable"] is True
        assert "extension" in answer.json["error"]["details"]["toolError"]["details"]["hint"]
