"""`/api/browser/view` and the `browsing` events, which the console's Browser page uses."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.credentials import bearer
from tests.faces.http.listener import Listener, listening
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import Browser, acting, browsing, got, posted, task_on

UNKNOWN = "01J00000000000000000000000"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
URL = "https://example.org/"
SAVE = {"clickId": "1", "tag": "button", "role": "button", "name": "Save", "bbox": {"x": 5, "y": 6, "w": 70, "h": 20}}
TAB = {"tabId": 1, "windowId": 1, "active": True, "pinned": False, "hidden": False, "index": 0, "url": URL}
SYNC = {"v": 1, "type": "full_state_sync", "windows": [{"windowId": 1, "focused": True}], "tabs": [TAB]}


async def carried_out(server: Running, browser: Browser, task: str, action: str, **result: Any) -> dict[str, Any]:
    running = acting(server, {action: {"tabId": 1}}, taskId=task)
    message = await browser.action()
    if action == "browser_screenshot":
        upload = message["screenshotPresignedUrl"].removeprefix(server.address)
        await posted(server, upload, headers={}, content=PNG)
        result = {"artifactId": message["artifactId"], "width": 200, "height": 100, "pageUrl": URL, **result}
    await browser.answer(message, result=result)
    assert (await running).status == 200
    return result


async def view(server: Running, task: str, **how: Any) -> dict[str, Any]:
    answer = await got(server, f"/api/browser/view?taskId={task}", **how)
    assert answer.status == 200, answer.body
    data: dict[str, Any] = answer.json["data"]
    return data


def test_a_task_is_shown_as_it_was_last_seen_also_by_the_next_server(state: Path, project: Path) -> None:
    async def run(server: Running) -> tuple[str, dict[str, Any]]:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            assert await view(server, task) == {"taskId": task, "elements": []}
            await carried_out(server, browser, task, "browser_dom_index", elements=[SAVE], url=URL)
            result = await carried_out(server, browser, task, "browser_screenshot")
            task_view = await view(server, task, headers=server.sign_in())
            assert task_view["artifactId"] == result["artifactId"]
            assert (task_view["width"], task_view["height"], task_view["url"], task_view["tabId"]) == (200, 100, URL, 1)
            assert task_view["indexedAt"] <= task_view["takenAt"]
            assert task_view["elements"] == [SAVE]
            return task, task_view

    with Running(state, project) as server:
        task, task_view = asyncio.run(run(server))
    with Running(state, project) as server:
        assert asyncio.run(view(server, task)) == task_view
        (state / "uploads/artifacts" / task_view["artifactId"]).unlink()
        assert server.request("GET", f"/api/artifacts/{task_view['artifactId']}").status == 404


def test_a_missing_upload_is_not_a_picture(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = acting(server, {"browser_screenshot": {"tabId": 1}}, taskId=task)
            message = await browser.action()
            await browser.answer(message, result={"artifactId": message["artifactId"], "width": 2, "height": 1})
            await running
            assert "artifactId" not in await view(server, task)

    asyncio.run(run())


@pytest.mark.parametrize(("query", "status"), [("", 400), ("?taskId=no", 400), (f"?taskId={UNKNOWN}", 404)])
def test_the_task_must_be_named(query: str, status: int, server: Running) -> None:
    assert server.request("GET", f"/api/browser/view{query}").status == status
    assert server.request("GET", f"/api/browser/view{query}", headers={}).status == 401


def test_the_tab_of_a_task_is_marked_in_the_snapshot(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            await browser.say({**SYNC, "tabs": [{**TAB, "taskId": "claimed"}, {**TAB, "tabId": 2, "openerTabId": 1}]})
            task = await task_on(server, browser)
            running = acting(server, {"task_start": {}}, taskId=task)
            await browser.answer(await browser.action(), result={"tabId": 1, "windowId": 1, "url": URL})
            await running
            data = (await got(server, f"/api/snapshot?clientId={browser.client_id}")).json["data"]["tabs"]
            assert {tab["tabId"]: tab["taskId"] for tab in data} == {1: task, 2: task}

    asyncio.run(run())


def test_an_agent_sees_only_the_tabs_of_its_own_tasks(server: Running) -> None:
    """Over HTTP; on the socket it is pushed no snapshot. The server's token, a page's, is shown everything."""

    async def run() -> None:
        async with (
            browsing(server) as browser,
            listening(server) as agent,
            listening(server, auth=server.frontend) as web,
        ):
            await browser.say({**SYNC, "tabs": [{**TAB, "active": False}, {**TAB, "tabId": 2}, {**TAB, "tabId": 3}]})
            tasks = []
            for tab, headers in ((1, server.bearer), (2, bearer(server.state, "another"))):
                tasks.append(await task_on(server, browser))
                slot = {"taskId": tasks[-1], "kind": "upload", "contentType": "text/plain"}
                assert (await posted(server, "/api/artifacts/presign", headers=headers, json=slot)).status == 200
                running = acting(server, {"task_start": {}}, taskId=tasks[-1])
                await browser.answer(await browser.action(), result={"tabId": tab, "windowId": 1, "url": URL})
                assert (await running).status == 200
            path = f"/api/snapshot?clientId={browser.client_id}"
            own = (await got(server, path)).json["data"]
            whole = (await got(server, path, headers=server.server_bearer)).json["data"]
            assert [(tab["tabId"], tab["taskId"]) for tab in own["tabs"]] == [(1, tasks[0])]
            assert own["activeTabId"] is None
            assert [tab["tabId"] for tab in whole["tabs"]] == [1, 2, 3]
            assert (await web.next("frontend_event"))["event"]["type"] == "snapshotSync"
            follow = {"v": 1, "type": "subscribe", "taskId": tasks[0]}
            assert await agent.send("frontend_message", follow) == {"ok": True}
            news = [agent.told.get_nowait() for _ in range(agent.told.qsize())]
            assert not {name for name, _ in news} & {"browsing", "frontend_event"}

    asyncio.run(run())


def test_changes_of_browsers_and_tasks_are_sent_to_pages(state: Path, project: Path) -> None:
    async def run(server: Running) -> None:
        async with listening(server, auth=server.frontend) as page:
            async with browsing(server) as browser:
                await browser.say({"v": 1, "type": "activate_extension", "ua": "me", "version": "1.2"})
                known = await until(page, lambda news: news.get("plugins", [{}])[0].get("version") == "1.2")
                [plugin] = known["plugins"]
                assert (plugin["clientId"], plugin["socketConnected"]) == (browser.client_id, True)
                assert (plugin["healthy"], plugin["selected"]) == (True, True)
                await browser.say(SYNC)
                await until(page, lambda news: news["windows"] == [browser.client_id])
                task = await task_on(server, browser)
                await until(page, lambda news: [one["taskId"] for one in news["tasks"]] == [task])
                running = acting(server, taskId=task)
                message = await browser.action()
                await until(page, lambda news: [one["status"] for one in news["tasks"]] == ["running"])
                await browser.answer(message)
                await running
                await until(page, lambda news: [one["status"] for one in news["tasks"]] == ["ongoing"])
                await posted(server, f"/api/task/{task}/takeover", headers=server.sign_in())
                await until(page, lambda news: [one["status"] for one in news["tasks"]] == ["takeover"])
            await until(page, lambda news: news.get("plugins", [{}])[0].get("socketConnected") is False)

    async def until(page: Listener, is_it: Any) -> dict[str, Any]:
        while True:
            news: dict[str, Any] = await page.next("browsing")
            if is_it(news):
                return news

    with Running(state, project) as server:
        asyncio.run(run(server))


def test_the_browser_for_new_tasks_is_returned(state: Path, project: Path) -> None:
    async def run(server: Running) -> None:
        async with browsing(server) as one, browsing(server) as other:
            await task_on(server, one)
            listing = (await got(server, "/api/extension/extension-list")).json["data"]
            selection = {plugin["clientId"]: plugin["selected"] for plugin in listing}
            assert selection == {one.client_id: True, other.client_id: False}

    with Running(state, project) as server:
        asyncio.run(run(server))
