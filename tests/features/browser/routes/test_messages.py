"""The messages of plugins and pages on the socket, and their answers (contract 2 §3)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import socketio

from handrail.kernel.task_ids import new_task_id
from tests.faces.http.listener import NAMESPACE, Listener, listening
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import Browser, acting, browsing, got, posted, task_on

TAB = {"tabId": 1, "windowId": 1, "active": True, "pinned": False, "hidden": False, "index": 0, "url": "https://a.b"}
WINDOW = {"windowId": 1, "focused": True, "type": "normal"}
GROUP = {"id": 3, "collapsed": False, "color": "blue", "windowId": 1}
SYNC = {
    "v": 1, "type": "full_state_sync", "windows": [WINDOW], "tabs": [TAB], "tabGroups": [GROUP],
    "activeWindowId": 1, "activeTabId": 1, "timestamp": 1730000003000,
}  # fmt: skip


def event(kind: str, **members: Any) -> dict[str, Any]:
    return {"v": 1, "type": "tab_event", "eventType": kind, "timestamp": 1730000004000, **members}


async def snapshot(server: Running, browser: Browser) -> dict[str, Any]:
    answer = await got(server, f"/api/snapshot?clientId={browser.client_id}", headers=server.server_bearer)
    data: dict[str, Any] = answer.json["data"]
    return data


def refused(answer: Any) -> bool:
    return set(answer) == {"ok", "error"} and answer["ok"] is False and answer["error"]["code"] == "BAD_REQUEST"


@pytest.mark.parametrize(
    "message",
    [
        None, 7, "x", [], {}, {"type": "nonsense"}, {**SYNC, "v": 2}, {**SYNC, "v": "1"}, {**SYNC, "v": True},
        {**SYNC, "v": None}, {**SYNC, "tabs": [{"tabId": "1"}]}, {**SYNC, "windows": 7}, {**SYNC, "tabs": [7]},
        {**SYNC, "activeTabId": "1"}, {**SYNC, "clientId": "another"}, event("nonsense"), event("tab_updated"),
        event("tab_updated", tab={"tabId": 1, "windowId": "x"}), event("tab_group_updated", tabGroup={"id": "x"}),
        event("window_focused", windowId="x"), {"type": "activate_extension", "ua": 7},
        {"type": "task_takeover"}, {"type": "task_takeover", "taskId": "x"},
    ],
)  # fmt: skip
def test_malformed_messages_are_refused_in_their_ack_and_change_nothing(message: Any, server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            assert await browser.say(SYNC) == {"ok": True}
            before = await snapshot(server, browser)
            assert refused(await browser.say(message))
            after = await snapshot(server, browser)
            assert {**after, "ageMs": 0} == {**before, "ageMs": 0}

    asyncio.run(run())


def test_a_message_that_is_too_long_is_refused_and_the_socket_lives_on(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser, listening(server, transports=["websocket"]) as page:
            assert refused_alike(await browser.say({**SYNC, "padding": "x" * 1_100_000}))
            assert await browser.say(SYNC) == {"ok": True}
            long = {"v": 1, "type": "user_message", "taskId": new_task_id(), "content": "x" * 1_100_000}
            assert refused_alike(await page.send("frontend_message", long))
            assert await page.send("frontend_message", {**long, "content": "x"}) == {"ok": True}

    def refused_alike(answer: Any) -> bool:
        return answer["ok"] is False and answer["error"]["code"] == "BAD_REQUEST"

    asyncio.run(run())


def test_a_message_beyond_all_measure_ends_the_connection_and_the_action_with_it(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            running = acting(server, taskId=await task_on(server, browser), timeoutMs=60_000)
            action = await browser.action()
            await browser.client.emit("plugin_message", {"actionId": action["id"], "x": "x" * 5_000_000}, NAMESPACE)
            answer = await running
            assert answer.json["error"]["details"]["toolError"]["code"] == "PLUGIN_OFFLINE"

    asyncio.run(run())


def test_the_handshake_describes_the_plugin_and_skips_no_authorization(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            hello = {
                "v": 1, "type": "activate_extension", "id": "act-hello", "clientId": browser.client_id,
                "ua": "Mozilla/5.0", "version": "0.1.0", "browserName": "chrome", "allowOtherClient": False,
                "skipAuthorization": True,
            }  # fmt: skip
            assert await browser.say(hello) == {"ok": True}
            listing = (await got(server, "/api/extension/extension-list")).json["data"]
            plugin = next(plugin for plugin in listing if plugin["clientId"] == browser.client_id)
            assert (plugin["ua"], plugin["version"], plugin["browserName"]) == ("Mozilla/5.0", "0.1.0", "chrome")
            with pytest.raises(socketio.exceptions.ConnectionError):
                wrong = {"token": "wrong", "clientType": "plugin", "clientId": "p", "skipAuthorization": True}
                await Listener().connect(server, auth=wrong)

    asyncio.run(run())


def test_a_snapshot_is_the_last_reported_state(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            await browser.say(SYNC)
            state = await snapshot(server, browser)
            assert {name: state[name] for name in ("windows", "tabs", "tabGroups")} == {
                "windows": [WINDOW],
                "tabs": [TAB],
                "tabGroups": [GROUP],
            }
            assert (state["activeWindowId"], state["activeTabId"]) == (1, 1)
            assert (state["connected"], state["stale"]) == (True, False)
            assert state["ageMs"] < 30_000
            second = {**TAB, "tabId": 2, "index": 1, "active": False, "openerTabId": 1}
            for message in (
                event("tab_created", tab=second),
                event("tab_updated", tab={**second, "title": "T", "status": "complete"}),
                event("tab_activated", tabId=2, windowId=1),
                event("tab_removed", tabId=1),
                event("window_created", window={"windowId": 2, "focused": False, "type": "popup"}),
                event("window_focused", windowId=2),
                event("window_removed", windowId=1),
                event("tab_group_created", tabGroup={"id": 4, "collapsed": True, "color": "red", "windowId": 2}),
                event("tab_group_updated", tabGroup={"id": 4, "color": "green", "windowId": 2}),
                event("tab_group_moved", tabGroup={"id": 4, "windowId": 2}),
                {"v": 1, "type": "debugger_event", "tabId": 2, "method": "Page.loadEventFired", "params": {}},
            ):
                assert await browser.say(message) == {"ok": True}, message
            state = await snapshot(server, browser)
            assert state["tabs"] == []
            assert state["windows"] == [{"windowId": 2, "focused": True, "type": "popup"}]
            assert state["tabGroups"] == [{"id": 4, "collapsed": True, "color": "green", "windowId": 2}]
            assert await browser.say(event("tab_group_removed", groupId=4)) == {"ok": True}
            assert (await snapshot(server, browser))["tabGroups"] == []

    asyncio.run(run())


def test_the_snapshot_of_a_disconnected_plugin_is_stale(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            await browser.say(SYNC)
        async with asyncio.timeout(10):
            while (await snapshot(server, browser))["connected"]:
                pass
        state = await snapshot(server, browser)
        assert (state["stale"], state["tabs"]) == (True, [TAB])

    asyncio.run(run())


def test_pages_are_pushed_whole_snapshots_with_growing_numbers(state: Path, project: Path) -> None:
    async def run(server: Running) -> None:
        async with listening(server, auth=server.frontend) as page, browsing(server) as browser:
            numbers = []
            for title in ("a", "b"):
                await browser.say({**SYNC, "tabs": [{**TAB, "title": title}]})
                event = await page.next("frontend_event")
                assert (event["type"], event["taskId"]) == ("event", "global")
                pushed = event["event"]
                assert (pushed["type"], pushed["mode"]) == ("snapshotSync", "full")
                assert pushed["state"]["tabs"] == [{**TAB, "title": title}]
                assert {"windows", "tabs", "tabGroups", "activeWindowId", "activeTabId", "lastUpdated"} == set(
                    pushed["state"]
                )
                numbers.append(pushed["seq"])
            assert numbers == sorted(set(numbers))

    with Running(state, project) as server:
        asyncio.run(run(server))


def test_a_page_receives_only_tasks_that_it_follows(server: Running) -> None:
    async def run() -> None:
        task = new_task_id()
        message = {"v": 1, "type": "user_message", "id": "evt-1", "taskId": task, "content": "Hello", "timestamp": 5}
        async with listening(server) as page, listening(server) as other:
            assert await page.send("frontend_message", message) == {"ok": True}
            event = await page.next("frontend_event")
            while event["taskId"] == "global":
                event = await page.next("frontend_event")
            assert event["taskId"] == task
            await other.send("frontend_message", {**message, "taskId": new_task_id()})
            event = await other.next("frontend_event")
            while event["taskId"] == "global":
                event = await other.next("frontend_event")
            assert event["taskId"] != task

    asyncio.run(run())


def test_a_users_message_is_stored_and_answered_with_a_missing_model(server: Running) -> None:
    async def run() -> None:
        task = new_task_id()
        message = {
            "v": 1, "type": "user_message", "id": "evt-user-1", "timestamp": 1730000001000, "taskId": task,
            "content": "帮我打开 xx 并提取 ...", "traceId": "trace-9",
        }  # fmt: skip
        async with listening(server, auth={"token": server.token, "clientType": "frontend", "taskId": task}) as page:
            for _ in range(2):
                assert await page.send("frontend_message", message) == {"ok": True}
            event = await page.next("frontend_event")
            while event["taskId"] == "global":
                event = await page.next("frontend_event")
            assert event["traceId"] == "trace-9"
            output = event["event"]
            assert (output["type"], output["status"], output["isComplete"]) == ("structuredOutput", "error", True)
            assert output["targetEventId"] == "evt-user-1"
            assert output["error"]["code"] == "UNAVAILABLE"
            data = (await got(server, f"/api/task/{task}")).json["data"]
            assert data["messages"] == [
                {"id": "evt-user-1", "role": "user", "content": message["content"], "timestamp": 1730000001000}
            ]
            assert (data["task"]["status"], data["task"]["title"]) == ("created", message["content"])
            await page.send("frontend_message", {**message, "id": "evt-user-2", "content": "second"})
            data = (await got(server, f"/api/task/{task}")).json["data"]
            assert [said["content"] for said in data["messages"]] == [message["content"], "second"]
            assert data["task"]["title"] == message["content"]

    asyncio.run(run())


@pytest.mark.parametrize(
    "change",
    [
        {"taskId": "x"}, {"taskId": None}, {"content": ""}, {"content": 7}, {"content": "x" * 200_001}, {"v": 2},
        {"type": "nonsense"}, {"type": None}, {"timestamp": "now"}, {"timestamp": -1}, {"id": 7},
    ],
)  # fmt: skip
def test_a_user_message_that_makes_no_sense_is_refused(change: Any, server: Running) -> None:
    async def run() -> None:
        message = {"v": 1, "type": "user_message", "id": "e", "taskId": new_task_id(), "content": "x", "timestamp": 1}
        async with listening(server) as page:
            assert refused(await page.send("frontend_message", {**message, **change}))

    asyncio.run(run())


def test_a_task_id_may_be_a_uuid_or_a_ulid_with_or_without_its_prefix(server: Running) -> None:
    async def run() -> None:
        async with listening(server) as page:
            for task in (
                new_task_id(), f"task_{new_task_id()}", "7A3C0000-0000-4000-8000-00000000000A",
                "task_7a3c0000-0000-4000-8000-00000000000b", new_task_id().lower(),
            ):  # fmt: skip
                message = {"v": 1, "type": "user_message", "taskId": task, "content": "x"}
                assert await page.send("frontend_message", message) == {"ok": True}
                assert (await got(server, f"/api/task/{task}")).status == 200

    asyncio.run(run())


def test_a_person_in_the_tab_pauses_the_task_until_it_is_handed_back(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser, browsing(server) as stranger:
            task = await task_on(server, browser)
            taken = {"type": "task_takeover", "taskId": task, "reason": "user_input"}
            assert refused(await stranger.say(taken))
            assert refused(await browser.say({**taken, "taskId": new_task_id()}))
            assert await browser.say(taken) == {"ok": True}
            assert (await got(server, f"/api/task/{task}")).json["data"]["task"]["status"] == "takeover"
            running = acting(server, taskId=task)
            assert await browser.say({"type": "debugger_event"}) == {"ok": True}
            assert browser.actions.empty()
            assert await browser.say({"type": "task_handback", "taskId": task}) == {"ok": True}
            await browser.answer(await browser.action())
            assert (await running).status == 200
            assert refused(await browser.say({"type": "task_handback", "taskId": task}))

    asyncio.run(run())


def test_the_console_takes_over_hands_back_and_stops(server: Running) -> None:
    async def run() -> None:
        person = await asyncio.to_thread(server.sign_in)
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            result = await posted(server, f"/api/task/{task}/takeover", headers=person)
            assert result.json["data"]["status"] == "takeover"
            running = acting(server, taskId=task)
            assert (await posted(server, f"/api/task/{task}/handback")).code == "FORBIDDEN", (
                "a program has the token too"
            )
            value = await posted(server, f"/api/task/{task}/handback", headers=person)
            assert value.json["data"]["status"] in ("running", "ongoing")
            await browser.action()
            stopped = await posted(server, f"/api/task/{task}/stop", headers=person)
            assert stopped.json["data"]["status"] == "completed"
            assert (await running).status == 503
            over = await acting(server, taskId=task)
            assert (over.status, over.code) == (409, "CONFLICT")
            assert (await posted(server, f"/api/task/{task}/takeover", headers=person)).code == "CONFLICT"

    asyncio.run(run())


def test_stopping_a_task_in_the_plugin_ends_it(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as browser:
            task = await task_on(server, browser)
            running = acting(server, taskId=task)
            await browser.action()
            assert await browser.say({"type": "task_stopped", "taskId": task}) == {"ok": True}
            assert (await running).status == 503
            assert (await got(server, f"/api/task/{task}")).json["data"]["task"]["status"] == "completed"

    asyncio.run(run())


def test_the_old_names_of_events_are_understood_where_they_are_asked_for(state: Path, project: Path) -> None:
    async def run(server: Running) -> None:
        old = "my_browser_extension_message"
        async with (
            browsing(server, event=old) as browser,
            listening(server, auth=server.frontend) as web,
            listening(server) as page,
        ):
            task = await task_on(server, browser)
            assert await browser.say(SYNC) == {"ok": True}
            assert (await web.next("twin_state_sync"))["tabs"] == [TAB]
            message = {"type": "user_message", "taskId": task, "content": "x"}
            assert await page.send("message", message) == {"ok": True}
            running = acting(server, taskId=task)
            action = await browser.action()
            assert await browser.answer(action) == {"ok": True}
            assert (await running).status == 200
            event = await page.next("message")
            while event["event"]["type"] != "toolUsed":
                event = await page.next("message")
            assert event["taskId"] == task

    with Running(state, project, env={"HANDRAIL_LEGACY_EVENTS": "true"}) as server:
        asyncio.run(run(server))


def test_the_old_names_of_events_are_unknown_otherwise(server: Running) -> None:
    async def run() -> None:
        async with browsing(server, event="my_browser_extension_message") as browser, listening(server) as page:
            assert (await browser.say(SYNC))["ok"] is False
            answer = await page.send("message", {"type": "user_message", "taskId": new_task_id(), "content": "x"})
            assert answer["ok"] is False

    asyncio.run(run())


def test_changes_of_the_snapshot_are_logged_where_they_are_asked_for(tmp_path: Path) -> None:
    async def run(server: Running) -> None:
        async with browsing(server) as browser:
            await browser.say(SYNC)
            await browser.say(event("tab_updated", tab={**TAB, "title": "a secret title"}))

    for expected, is_logged in (("1", True), ("true", True), ("0", False), ("", False)):
        state, project = tmp_path / f"state{expected}", tmp_path / f"project{expected}"
        for folder in (state, project):
            folder.mkdir()
        with Running(state, project, env={"MIMO_SNAPSHOT_DEBUG": expected}) as server:
            asyncio.run(run(server))
            log = server.stop()
        assert ("tab_updated" in log and "1 tabs" in log) is is_logged
        assert "secret" not in log
