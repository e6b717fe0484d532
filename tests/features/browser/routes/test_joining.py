"""Which plugins may join the namespace, and what happens to a second one with the same id."""

import asyncio
from typing import Any

import pytest
import socketio

from tests.credentials import browser_token
from tests.faces.http.listener import listening
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import Browser, acting, browsing, got, new_client_id, posted, task_on

Refused = socketio.exceptions.ConnectionError


async def error_envelope(server: Running, auth: Any, **how: Any) -> dict[str, Any]:
    browser = Browser("x")
    with pytest.raises(Refused):
        await browser.connect(server, auth=auth, **how)
    data: dict[str, Any] = browser.refusals[-1]
    return data


@pytest.mark.parametrize("transports", [["polling"], ["websocket"]])
def test_a_plugin_joins_with_its_own_token(transports: list[str], server: Running) -> None:
    async def run() -> None:
        async with browsing(server, transports=transports) as browser:
            assert await browser.say({"v": 1, "type": "activate_extension", "clientId": browser.client_id}) == {
                "ok": True
            }

    asyncio.run(run())


@pytest.mark.parametrize("client_id", [None, "", 7, "a b", "x" * 129, "tab\n"])
def test_a_plugin_must_identify_itself(client_id: Any, server: Running) -> None:
    auth = {"token": server.token, "clientType": "plugin", "clientId": client_id}
    assert asyncio.run(error_envelope(server, auth))["data"] == {"code": "BAD_REQUEST"}


@pytest.mark.parametrize("kind", ["server", "", 1, None])
def test_there_are_two_types_of_clients(kind: Any, server: Running) -> None:
    auth = {"token": server.token, "clientType": kind, "clientId": "p"}
    assert asyncio.run(error_envelope(server, auth))["data"] == {"code": "BAD_REQUEST"}


@pytest.mark.parametrize("token", [None, "", "wrong"])
def test_a_plugin_without_a_valid_token_is_refused(token: Any, server: Running) -> None:
    auth = {"token": token, "clientType": "plugin", "clientId": "p", "skipAuthorization": True}
    assert asyncio.run(error_envelope(server, auth))["data"] == {"code": "UNAUTHORIZED"}


def test_our_extensions_origin_is_let_in_and_no_other_extensions(server: Running) -> None:
    async def run() -> None:
        async with browsing(server):
            pass
        for origin in ("chrome-extension://abcdefghijklmnop", "moz-extension://x"):
            with pytest.raises(Refused):
                async with browsing(server, headers={"origin": origin}):
                    pass

    asyncio.run(run())


def test_a_second_socket_with_a_live_client_id_is_refused(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as first:
            auth = {
                "token": browser_token(server.state, first.client_id),
                "clientType": "plugin",
                "clientId": first.client_id,
                "allowOtherClient": True,
            }
            assert (await error_envelope(server, auth))["data"] == {"code": "CONFLICT"}
            assert (await first.say({"type": "debugger_event"})) == {"ok": True}
        async with browsing(server, first.client_id):
            pass

    asyncio.run(run())


def test_a_plugin_that_allows_it_gives_way_to_another_socket(server: Running) -> None:
    async def run() -> None:
        async with browsing(server) as first:
            task = await task_on(server, first)
            await first.say({"type": "activate_extension", "clientId": first.client_id, "allowOtherClient": True})
            running = acting(server, taskId=task)
            await first.action()
            async with browsing(server, first.client_id) as second:
                async with asyncio.timeout(10):
                    await first.left.wait()
                assert (await running).json["error"]["details"]["toolError"]["code"] == "PLUGIN_OFFLINE"
                running = acting(server, taskId=task)
                await second.answer(await second.action())
                assert (await running).status == 200

    asyncio.run(run())


def test_presence_changes_are_announced(server: Running) -> None:
    async def known(client_id: str) -> Any:
        listing = (await got(server, "/api/extension/extension-list")).json["data"]
        return next((plugin for plugin in listing if plugin["clientId"] == client_id), None)

    async def run() -> None:
        client_id = new_client_id()
        body = {
            "extensionId": "abcdefghijklmnop", "extensionName": "mimo-agent", "clientId": client_id,
            "ua": "Mozilla/5.0", "version": "0.1.0", "browserName": "chrome", "allowOtherClient": False,
            "timestamp": 1730000000000,
        }  # fmt: skip
        own = {"authorization": f"Bearer {await asyncio.to_thread(browser_token, server.state, client_id)}"}
        registered = await posted(server, "/api/extension/extension-id", headers=own, json=body)
        assert registered.json == {"ok": True, "data": {"registered": True}}
        assert (await known(client_id))["socketConnected"] is False
        async with browsing(server, client_id):
            plugin = await known(client_id)
            assert plugin["socketConnected"] is True
            assert plugin["lastSeenAt"] > 1730000000000
            members = ("extensionId", "extensionName", "ua", "version")
            assert {name: plugin[name] for name in members} == {name: body[name] for name in members}
        async with asyncio.timeout(10):
            while (await known(client_id))["socketConnected"]:
                pass

    asyncio.run(run())


def test_a_page_can_not_speak_as_a_plugin_nor_a_plugin_as_a_page(server: Running) -> None:
    async def run() -> None:
        async with listening(server) as page, browsing(server) as browser:
            for answer in (
                await page.send("plugin_message", {"v": 1, "type": "full_state_sync"}),
                await browser.send("frontend_message", {"v": 1, "type": "user_message"}),
            ):
                assert (answer["ok"], answer["error"]["code"]) == (False, "BAD_REQUEST")

    asyncio.run(run())
