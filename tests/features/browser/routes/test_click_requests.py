"""How many requests to the server one click from another process needs."""

import asyncio
from typing import Any

import pytest

from handrail.features.browser.browser import Browser
from handrail.features.browser.opening import remote_bus
from handrail.features.browser.remote_bus.server_client import ServerClient
from handrail.features.browser.tool_list import TOOLS
from handrail.kernel.call import Call
from handrail.ports.identity import Caller
from handrail.wiring import Wiring
from tests.faces.http.running import Running
from tests.features.browser.routes.browser import browsing, posted, task_on
from tests.wire.scripted_browser import PIXEL

URL = "http://good.test/"
TAB = {"tabId": 7, "windowId": 1, "active": True, "pinned": False, "hidden": False, "index": 0, "url": URL}
CLICK = next(tool for tool in TOOLS if tool.name == "browser_click")


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, bytes]]:
    made: list[tuple[str, str, bytes]] = []
    ask = ServerClient.ask

    async def counted(self: ServerClient, method: str, path: str, body: bytes, headers: Any) -> Any:
        made.append((method, path, body))
        return await ask(self, method, path, body, headers)

    monkeypatch.setattr(ServerClient, "ask", counted)
    return made


def test_a_click_that_asks_takes_four_requests_none_of_them_twice(
    server: Running, requests: list[tuple[str, str, bytes]]
) -> None:
    async def run() -> None:
        async with browsing(server) as plugin:
            task = await task_on(server, plugin)
            await plugin.say({"type": "full_state_sync", "windows": [], "tabs": [TAB], "timestamp": 1})
            call = Call("browser_click", {}, Caller("mcp", "test", "pid:1", "agent:test"), task=task, is_shown=True)
            port = Browser(remote_bus(Wiring().open_stores(server.state)), None)  # type: ignore[arg-type]  # no file is uploaded
            params = CLICK.params(click_id="1", tab_id=7)
            clicking = asyncio.ensure_future(_click(port, call, params))
            shot = await plugin.action()
            upload = shot["screenshotPresignedUrl"].partition(server.address)[2]
            await posted(server, upload, content=PIXEL)
            target = {"tag": "button", "role": "button", "name": "Save"}
            about = {
                "width": 1,
                "height": 1,
                "screenshotUploaded": True,
                "target": target,
                "seen": "abc",
                "pageUrl": URL,
            }
            await plugin.answer(shot, result={"artifactId": shot["artifactId"], "url": "", "pageUrl": URL, **about})
            click = await plugin.action()
            assert click["action"] == {"browser_click": {"tabId": 7, "clickId": "1", "expected": "abc"}}
            await plugin.answer(click, result={"clicked": True, "strategy": "cdp_mouse", "pageUrl": URL})
            await clicking

    asyncio.run(run())
    paths = [path.partition("/art-")[0] for _, path, _ in requests]
    assert paths == ["/api/browser/tabs", "/api/browser/act", "/api/artifacts", "/api/browser/act"]
    assert len(set(requests)) == len(requests)


async def _click(port: Browser, call: Call, params: Any) -> None:
    assert CLICK.locate is not None
    assert CLICK.preview is not None
    await CLICK.locate(port, call, params)
    preview = await CLICK.preview(port, call, params)
    await CLICK.run(port, call, params, preview)  # type: ignore[arg-type]  # nothing is settled without a person
