"""Browsers of a team over the real wire: paired by a person, connected to one of the servers."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx

from handrail.ports.browser import EXTENSION_ORIGIN
from tests.features.browser.routes.browser import Browser, new_client_id
from tests.features.team.servers import Person
from tests.waiting import PATIENCE

PAGE = "http://shop.test/"


@dataclass(frozen=True, slots=True)
class Address:
    address: str


def pair(person: Person, url: str, client_id: str) -> str:
    """Returns the browser's token: the code is made at the person's server and used at `url`."""
    code = person.http.post("/api/extension/pair-code").json()["data"]["code"]
    body = {"code": code, "clientId": client_id, "extensionId": "a browser of the tests"}
    paired = httpx.post(f"{url}/api/extension/pair", json=body, headers={"origin": EXTENSION_ORIGIN}, timeout=PATIENCE)
    assert paired.status_code == 200, paired.text
    return str(paired.json()["data"]["token"])


class TeamBrowser(Browser):
    """Answers each action at once if `result` returns an answer for it; counts the actions."""

    def __init__(self, client_id: str) -> None:
        super().__init__(client_id)
        self.done: list[dict[str, Any]] = []
        self.waits = asyncio.Event()
        self.waits.set()

    async def serve(self) -> None:
        while True:
            action = await self.actions.get()
            self.done.append(action)
            await self.waits.wait()
            await self.answer(action, result=self.result(action["action"]))

    def result(self, actions: Mapping[str, Any]) -> dict[str, Any]:
        tab = {"tabId": 1, "url": PAGE, "title": "Shop"}
        if "browser_tabs" in actions:
            return {"tabs": [{**tab, "windowId": 1, "active": True}]}
        return {**tab, "clicked": True, "matches": [], "total": 0}


@asynccontextmanager
async def browsing(url: str, client_id: str, token: str) -> AsyncIterator[TeamBrowser]:
    browser = TeamBrowser(client_id)
    auth = {"clientType": "plugin", "clientId": client_id, "token": token}
    await browser.connect(Address(url), auth=auth, headers={"origin": EXTENSION_ORIGIN}, transports=["websocket"])  # type: ignore[arg-type]  # it needs no more than the address
    await browser.say({
        "v": 1, "type": "full_state_sync", "windows": [{"windowId": 1, "focused": True}],
        "tabs": [{"tabId": 1, "windowId": 1, "url": PAGE, "title": "Shop", "active": True}], "activeWindowId": 1,
        "activeTabId": 1,
    })  # fmt: skip
    serving = asyncio.create_task(browser.serve())
    try:
        yield browser
    finally:
        serving.cancel()
        await browser.close()


__all__ = ["Browser", "TeamBrowser", "browsing", "new_client_id", "pair"]
