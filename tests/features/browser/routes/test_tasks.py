"""Tasks, snapshots and the common rules of contract 2 §0 over HTTP."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from handrail.kernel.task_ids import new_task_id
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import CLICK, acting, browsing, bus_key, got, posted, task_on

READS = ["/api/task/id", "/api/task/list", "/api/snapshot", "/api/extension/extension-list", "/api/openapi.json"]


def test_new_ids_are_ulids_that_grow(server: Running) -> None:
    ids = [server.request("GET", "/api/task/id").json["data"]["taskId"] for _ in range(3)]
    assert all(re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", id) for id in ids)
    assert len(set(ids)) == 3


def test_the_list_has_the_last_changed_first(state: Path, project: Path) -> None:
    async def run(server: Running) -> None:
        async with browsing(server) as browser:
            first, second = await task_on(server, browser), await task_on(server, browser)
            listing = (await got(server, "/api/task/list")).json["data"]
            assert [task["taskId"] for task in listing] == [second, first]
            running = acting(server, taskId=first)
            await browser.answer(await browser.action())
            await running
            listing = (await got(server, "/api/task/list")).json["data"]
            assert [task["taskId"] for task in listing] == [first, second]
            assert set(listing[0]) == {"taskId", "title", "status", "createdAt", "updatedAt", "selectedClientId"}
            assert (listing[0]["status"], listing[0]["selectedClientId"]) == ("ongoing", browser.client_id)
            assert len((await got(server, "/api/task/list?limit=1")).json["data"]) == 1

    with Running(state, project) as server:
        assert server.request("GET", "/api/task/list").json == {"ok": True, "data": []}
        asyncio.run(run(server))


def test_tasks_survive_a_restart(state: Path, project: Path) -> None:
    task = new_task_id()
    with Running(state, project) as server:
        server.request("POST", "/api/browser/task", headers=bus_key(server), json={"caller": "x", "taskId": task})
    with Running(state, project) as server:
        assert server.request("GET", f"/api/task/{task}").json["data"]["task"]["taskId"] == task


def test_naming_a_task_twice_makes_it_once(server: Running) -> None:
    task = new_task_id()

    async def run() -> list[Any]:
        body = {"taskId": task, "kind": "log", "contentType": "text/plain"}
        requests = [asyncio.to_thread(server.request, "POST", "/api/artifacts/presign", json=body) for _ in range(8)]
        return await asyncio.gather(*requests)

    assert {answer.status for answer in asyncio.run(run())} == {200}
    listing = server.request("GET", "/api/task/list?limit=500").json["data"]
    assert sum(item["taskId"] == task for item in listing) == 1


@pytest.mark.parametrize("task", ["x", "task_", "0" * 26 + "0", "01HR", "7a3c0000-0000-4000-8000", "%00", "a%2Fb"])
def test_an_id_of_no_task_is_a_bad_request(task: str, server: Running) -> None:
    answer = server.request("GET", f"/api/task/{task}")
    assert answer.status in (400, 404)
    if answer.status == 400:
        assert answer.json["error"]["details"]["fieldErrors"][0]["field"] == "taskId"
    else:
        assert task == "a%2Fb", "another path, which leads nowhere"


def test_a_valid_id_of_no_task_is_not_found(server: Running) -> None:
    task = new_task_id()
    for method, path in (("GET", ""), ("POST", "/takeover"), ("POST", "/stop")):
        answer = server.request(method, f"/api/task/{task}{path}")
        assert (answer.status, answer.code) == (404, "NOT_FOUND")
        assert answer.json["error"]["details"]["context"] == {"taskId": task}


def test_selecting_an_unknown_plugin_is_refused(server: Running) -> None:
    task = new_task_id()
    server.request("POST", "/api/browser/task", headers=bus_key(server), json={"caller": "x", "taskId": task})
    nobody, path = {"clientId": "nobody"}, f"/api/task/{task}/plugin"
    answer = server.request("POST", path, headers=server.sign_in(), json=nobody)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")


def test_without_any_plugin_the_snapshot_is_empty_and_stale(state: Path, project: Path) -> None:
    with Running(state, project) as server:
        data = server.request("GET", "/api/snapshot").json["data"]
        assert data.items() >= {
            "windows": [], "tabs": [], "tabGroups": [], "activeWindowId": None, "activeTabId": None,
            "lastUpdated": 0, "connected": False, "stale": True,
        }.items()  # fmt: skip


def test_nothing_is_cached(server: Running) -> None:
    for path in READS:
        assert server.request("GET", path).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", READS)
def test_every_read_needs_a_credential_a_known_protocol_and_gives_the_trace_back(path: str, server: Running) -> None:
    assert server.request("GET", path, headers={}).code == "UNAUTHORIZED"
    assert server.request("GET", path, headers={**server.bearer, "x-mimo-protocol": "2"}).code == "BAD_REQUEST"
    answer = server.request("GET", path, headers={**server.bearer, "x-mimo-protocol": "1", "x-trace-id": "t-1"})
    assert (answer.status, answer.headers["x-trace-id"]) == (200, "t-1")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b"\xff", b'"x"'])
def test_a_body_that_is_no_object_is_refused(body: bytes, server: Running) -> None:
    for path in ("/api/artifacts/presign", "/api/extension/extension-id", "/api/extension/pair", "/api/browser/act"):
        answer = server.request("POST", path, content=body)
        assert (answer.status, answer.code) == (400, "BAD_REQUEST")


def test_snake_case_is_not_understood(server: Running) -> None:
    body = {"extension_id": "x", "client_id": "y"}
    answer = server.request("POST", "/api/extension/extension-id", json=body)
    assert (answer.status, answer.code) == (400, "BAD_REQUEST")
    assert answer.json["error"]["details"]["fieldErrors"][0]["field"] in ("extensionId", "clientId")


def test_too_many_actions_at_once_are_rate_limited(server: Running) -> None:
    async def run() -> None:
        many = httpx2.Limits(max_connections=100)
        async with browsing(server) as browser, httpx2.AsyncClient(limits=many, timeout=60) as client:
            task = await task_on(server, browser)
            body = {"taskId": task, "actions": CLICK, "timeoutMs": 60_000}
            url, headers = f"{server.address}/api/browser/act", bus_key(server)
            result = [asyncio.ensure_future(client.post(url, headers=headers, json=body)) for _ in range(65)]
            finished, waiting = await asyncio.wait(result, return_when=asyncio.FIRST_COMPLETED)
            limited = finished.pop().result()
            assert (limited.status_code, limited.json()["error"]["code"]) == (429, "RATE_LIMITED")
            assert limited.json()["error"]["details"]["retryable"] is True
            await posted(server, f"/api/task/{task}/stop")
            await asyncio.gather(*waiting)

    asyncio.run(run())
