"""Server and browser agree on every task: who controls it, its tabs, and its browser."""

import asyncio
from pathlib import Path
from typing import Any

from handrail.kernel.task_ids import new_task_id
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import Browser, acting, browsing, got, new_client_id, posted, task_on

START: dict[str, Any] = {"task_start": {}}
PAGE = {"tabId": 1, "windowId": 1, "url": "https://a.example/"}
SYNC = {
    "type": "full_state_sync",
    "windows": [],
    "tabs": [{"tabId": 1, "windowId": 1}, {"tabId": 2, "windowId": 1, "openerTabId": 1}, {"tabId": 3, "windowId": 1}],
}


def holding(*tasks: tuple[str, str, list[int]]) -> dict[str, Any]:
    held = [{"taskId": task, "status": status, "tabIds": tabs} for task, status, tabs in tasks]
    return {**SYNC, "tasks": held}


async def owners(server: Running, browser: Browser) -> dict[int, str]:
    return {tab["tabId"]: tab["taskId"] for tab in await tabs_of(server, browser) if "taskId" in tab}


async def tabs_of(server: Running, browser: Browser) -> Any:
    path = f"/api/snapshot?clientId={browser.client_id}"
    return (await got(server, path, headers=server.server_bearer)).json["data"]["tabs"]


async def start_task_on(server: Running, browser: Browser) -> str:
    task = await task_on(server, browser)
    running = acting(server, START, taskId=task)
    await browser.answer(await browser.action(), result=PAGE)
    assert (await running).status == 200
    return task


def test_a_plugin_is_notified_of_takeovers_in_the_console(server: Running) -> None:
    async def run() -> None:
        person = await asyncio.to_thread(server.sign_in)
        async with browsing(server) as browser:
            task = await start_task_on(server, browser)
            for verb, status in (("takeover", "takeover"), ("handback", "ongoing"), ("stop", "completed")):
                await posted(server, f"/api/task/{task}/{verb}", headers=person)
                assert await browser.status() == (task, status)

    asyncio.run(run())


def test_only_a_person_can_allow_reads_during_their_takeover(server: Running) -> None:
    async def run() -> None:
        person = await asyncio.to_thread(server.sign_in)
        async with browsing(server) as browser:
            task = await start_task_on(server, browser)
            reading = f"/api/task/{task}/reading"
            assert (await posted(server, reading, json={"allowed": True}, headers=person)).status == 409
            data = (await posted(server, f"/api/task/{task}/takeover", headers=person)).json["data"]
            assert (data["status"], data["reading"]) == ("takeover", False)
            assert "reading" not in await browser.task_status()
            assert (await posted(server, reading, json={"allowed": True})).status == 403
            assert (await posted(server, reading, json={"allowed": True}, headers=person)).json["data"][
                "reading"
            ] is True
            assert (await browser.task_status())["reading"] is True
            looking = acting(server, {"browser_page": {"tabId": 1}}, taskId=task)
            await browser.answer(await browser.action(), result={"url": "https://a.example/", "lines": ["Hello"]})
            assert (await looking).json["data"]["result"]["lines"] == ["Hello"]
            back = (await posted(server, f"/api/task/{task}/handback", headers=person)).json["data"]
            assert "reading" not in back

    asyncio.run(run())


def test_a_reconnecting_plugin_is_corrected_about_its_tasks(server: Running) -> None:
    async def run() -> None:
        person = await asyncio.to_thread(server.sign_in)
        client_id = new_client_id()
        async with browsing(server, client_id) as browser:
            taken, value, stopped = [await task_on(server, browser) for _ in range(3)]
        await posted(server, f"/api/task/{taken}/takeover", headers=person)
        await posted(server, f"/api/task/{stopped}/stop", headers=person)
        unknown = new_task_id()
        async with browsing(server, client_id) as browser:
            held = [
                (taken, "running"),
                (value, "takeover"),
                (stopped, "running"),
                (unknown, "running"),
                ("x", "running"),
            ]
            assert await browser.say(holding(*[(task, status, []) for task, status in held])) == {"ok": True}
            statuses = [await browser.status() for _ in held]
            assert statuses[0] == (taken, "takeover")
            assert statuses[1][0] == value
            assert statuses[1][1] != "takeover"
            assert statuses[2:] == [(task, "completed") for task in (stopped, unknown, "x")]
            assert await browser.say(holding((taken, "takeover", []), (value, "running", []))) == {"ok": True}
            assert browser.statuses.empty(), "who is right is told nothing"

    asyncio.run(run())


def test_a_takeover_that_was_handed_back_while_offline_is_not_repeated(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            again = {"type": "task_takeover", "taskId": task, "reason": "popup", "again": True}
            await browser.say(again)
            assert (await browser.status())[1] != "takeover"
            assert (await got(server, f"/api/task/{task}")).json["data"]["task"]["status"] != "takeover"
            await browser.say({**again, "again": False})
            assert await browser.status() == (task, "takeover")

    asyncio.run(run())


def test_after_a_restart_the_tabs_are_their_tasks_as_soon_as_the_browser_is_back(state: Path, project: Path) -> None:
    async def before(server: Running, client_id: str) -> str:
        async with browsing(server, client_id) as browser:
            await browser.say(SYNC)
            return await start_task_on(server, browser)

    async def after(server: Running, client_id: str, task: str) -> None:
        async with browsing(server, client_id) as browser, browsing(server) as stranger:
            await browser.say(SYNC)
            assert await owners(server, browser) == {}
            await browser.say(holding((task, "running", [1])))
            assert await owners(server, browser) == {1: task, 2: task}
            other = await acting(server, {"browser_click": {"tabId": 1}}, taskId=await task_on(server, browser))
            assert other.json["error"]["details"]["toolError"]["code"] == "INVALID_TASK_TAB"
            await stranger.say(holding((task, "running", [3])))
            assert await stranger.status() == (task, "completed")
            assert await owners(server, stranger) == {}

    client_id = new_client_id()
    with Running(state, project) as first:
        task = asyncio.run(before(first, client_id))
    with Running(state, project) as second:
        asyncio.run(after(second, client_id, task))


def test_a_plugins_list_of_tasks_must_be_valid(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            for tasks in ("x", [1], [{"taskId": 1, "status": "running"}], [{"taskId": "x", "status": "odd"}]):
                answer = await browser.say({**SYNC, "tasks": tasks})
                assert answer["error"]["code"] == "BAD_REQUEST"
            assert await tabs_of(server, browser) == []

    asyncio.run(run())


def test_the_tabs_of_a_task_that_is_over_can_be_anothers(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            await browser.say(SYNC)
            first = await start_task_on(server, browser)
            assert (await owners(server, browser))[1] == first
            await posted(server, f"/api/task/{first}/stop")
            assert await owners(server, browser) == {}
            second = await start_task_on(server, browser)
            assert (await owners(server, browser))[1] == second

    asyncio.run(run())


def test_a_task_whose_browser_is_disconnected_is_not_moved_to_another(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as other:
            async with browsing(server) as browser:
                task = await start_task_on(server, browser)
            refused = await acting(server, taskId=task)
            error = refused.json["error"]["details"]["toolError"]
            assert error["code"] == "PLUGIN_OFFLINE"
            assert browser.client_id in error["message"]
            hint = error["details"]["hint"]
            assert "task_start" in hint
            assert "console" in hint
            assert other.actions.empty()

    asyncio.run(run())


def test_a_task_restarted_without_its_browser_uses_a_connected_one(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as other:
            async with browsing(server) as browser:
                task = await start_task_on(server, browser)
            running = acting(server, START, taskId=task)
            await other.answer(await other.action(), result=PAGE)
            data = (await running).json["data"]
            assert browser.client_id in data["warnings"][0]
            assert other.client_id in data["warnings"][0]
            async with browsing(server, browser.client_id) as back:
                await back.say(holding((task, "running", [1])))
                assert await back.status() == (task, "completed")
                assert await owners(server, back) == {}

    asyncio.run(run())


def test_moving_a_task_ends_its_queued_actions_and_releases_the_old_browser(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as one, browsing(server) as other:
            await one.say(SYNC)
            task = await start_task_on(server, one)
            running = acting(server, taskId=task)
            await one.action()
            person, to = await asyncio.to_thread(server.sign_in), {"clientId": other.client_id}
            response = await posted(server, f"/api/task/{task}/plugin", headers=person, json=to)
            assert response.json["data"]["selectedClientId"] == other.client_id
            assert (await running).status == 503
            assert await one.status() == (task, "completed")
            assert await owners(server, one) == {}
            running = acting(server, START, taskId=task)
            await other.answer(await other.action(), result=PAGE)
            assert (await running).json["data"]["warnings"] == []

    asyncio.run(run())


def test_the_browser_for_new_tasks_is_a_persons_choice_and_outlives_a_restart(state: Path, project: Path) -> None:
    async def selected(server: Running) -> list[str]:
        listing = (await got(server, "/api/extension/extension-list")).json["data"]
        return [plugin["clientId"] for plugin in listing if plugin["selected"]]

    async def choose(server: Running, *ids: str) -> None:
        body = {"clientId": ids[0]}
        person = await asyncio.to_thread(server.sign_in)
        async with browsing(server, ids[0]), browsing(server, ids[1]) as other:
            assert (await posted(server, "/api/extension/chosen", json=body)).code == "FORBIDDEN"
            response = await posted(server, "/api/extension/chosen", headers=person, json=body)
            assert (response.json["data"]["chosen"], response.json["data"]["selected"]) == (True, True)
            unknown = await posted(server, "/api/extension/chosen", headers=person, json={"clientId": "nobody"})
            assert unknown.code == "BAD_REQUEST"
            await task_on(server, other)
            assert await selected(server) == [ids[0]], "one task in another browser changes nothing for the next"

    async def again(server: Running, *ids: str) -> None:
        async with browsing(server, ids[1]):
            assert await selected(server) == [ids[1]], "the chosen one is away"
            async with browsing(server, ids[0]), browsing(server, ids[2]):
                assert await selected(server) == [ids[0]]

    ids = [new_client_id() for _ in range(3)]
    with Running(state, project) as first:
        asyncio.run(choose(first, *ids))
    with Running(state, project) as second:
        asyncio.run(again(second, *ids))
