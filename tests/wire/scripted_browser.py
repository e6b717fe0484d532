"""A plugin written from contract 2 alone: a browser that shows the pages a test gives it, and records what it is told.

It stands where no real one is needed: what is tried with it is what handrail makes of a plugin's answers.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import httpx2
import socketio

from tests.waiting import PATIENCE
from tests.wire.clients import Json

CLIENT_ID = "scripted-browser"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8ffff3f0005fe02fedccc59e70000000049454e44ae426082"
)
BLANK = "about:blank"


class Refusal(Exception):
    """An error as a plugin reports it."""

    def __init__(self, code: str, message: str, *, retryable: bool = False, **details: Any) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message, "retryable": retryable, "details": details}


@dataclass
class Site:
    """What an address shows. `leads_to`: where a click on an element goes; `redirect`: where the address goes, `by`
    which others.
    """

    elements: list[Json] = field(default_factory=list)
    text: str = ""
    title: str = "a page"
    leads_to: dict[str, str] = field(default_factory=dict)
    redirect: str | None = None
    by: list[str] = field(default_factory=list)


class ScriptedBrowser:
    """`tells_address`: whether results name the page that they come from, which the contract does not ask for.

    `compares`: whether it tells what a picture shows as `seen`, and acts only where that is `expected`.
    """

    def __init__(self, address: str, token: str, *, client_id: str = CLIENT_ID) -> None:
        self.sites: dict[str, Site] = {}
        self.tabs: dict[int, str] = {}
        self.tasks: dict[int, str] = {}
        self.actions: list[tuple[str, Json]] = []
        self.clicked: list[str] = []
        self.tells_address = True
        self.outlines = True
        self.compares = False
        self.answers: dict[str, Callable[[Json], Json]] = {}
        self._address, self._token, self._client_id = address, token, client_id
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = socketio.AsyncClient(reconnection=False)
        self._wait(self._connect())

    def close(self) -> None:
        self._wait(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def reset(self) -> None:
        """Closes every tab and clears scripts and records."""
        self.sites, self.tabs, self.tasks, self.actions, self.answers, self.clicked = {}, {}, {}, [], {}, []
        self.tells_address = self.outlines = True
        self.compares = False
        if not self._client.connected:  # on a busy machine a connection can time out
            self._wait(self._connect())
        self.sync()

    def sync(self) -> None:
        self._wait(
            self._say(type="full_state_sync", windows=[{"windowId": 1, "type": "normal"}], tabs=self._all_tabs())
        )

    def move(self, tab: int, url: str) -> None:
        """Navigates the page elsewhere without an action."""
        self.tabs[tab] = url
        self._wait(self._say(type="tab_event", eventType="tab_updated", tab=self._tab(tab)))

    def shut(self, tab: int) -> None:
        """Closes a tab as a person does."""
        tab_site = self._tab(tab)
        del self.tabs[tab], self.tasks[tab]
        self._wait(self._say(type="tab_event", eventType="tab_removed", tab=tab_site))

    def params_of(self, action: str) -> list[Json]:
        """Returns the parameters of each request of this kind."""
        return [params for name, params in self.actions if name == action]

    def _wait(self, work: Any) -> Any:
        waiting: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return waiting.result(PATIENCE)

    async def _connect(self) -> None:
        self._client.on("plugin_message", self._receive, namespace="/mimo")
        auth = {"token": self._token, "clientType": "plugin", "clientId": self._client_id}
        await self._client.connect(self._address, transports=["websocket"], namespaces=["/mimo"], auth=auth)
        await self._say(type="activate_extension", id="hello", ua="scripted", version="0", browserName="chrome")
        await self._say(type="full_state_sync", windows=[], tabs=[])

    async def _end(self) -> None:
        """An interrupted client leaves its readers and writers behind."""
        await self._client.disconnect()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _say(self, **message: Any) -> None:
        whole = {"v": 1, "clientId": self._client_id, "timestamp": 1, **message}
        answer = await self._client.call("plugin_message", whole, namespace="/mimo")
        assert answer == {"ok": True}, answer

    async def _receive(self, message: Json) -> Json:
        if message["type"] != "browser_action":
            return {"ok": False, "error": {"code": "BAD_REQUEST", "message": "This is not in the contract."}}
        working = asyncio.create_task(self._work(message))
        working.add_done_callback(lambda task: task.exception())
        return {"ok": True}

    async def _work(self, message: Json) -> None:
        head = {"type": "browser_action_result", "actionId": message["id"], "taskId": message["taskId"]}
        try:
            result: Json = {}
            for name, params in message["action"].items():
                self.actions.append((name, params))
                result = await self._carry_out(name, params, message)
            await self._say(**head, status="success", result=result)
        except Refusal as refusal:
            await self._say(**head, status="error", error=refusal.error)

    async def _carry_out(self, name: str, params: Json, message: Json) -> Json:
        if name in self.answers:
            return self.answers[name](params)
        tab = params.get("tabId")
        if tab is not None and tab not in self.tabs:
            raise Refusal("TASK_TAB_CLOSED", f"Tab {tab} was closed.")
        if params.get("expected", self._seen(params)) != self._seen(params):
            raise Refusal("INVALID_TARGET", "It is no longer what was shown.", changed=True)
        result: Json = await getattr(self, f"_{name}", self._unknown)(params, message)
        if self.tells_address and tab in self.tabs:
            result.setdefault("pageUrl", self.tabs[tab])
        return result

    async def _unknown(self, params: Json, message: Json) -> Json:
        raise Refusal("SCHEMA_VALIDATION_FAILED", "No such action.")

    async def _task_start(self, params: Json, message: Json) -> Json:
        tab = max(self.tabs, default=100) + 1
        self.tasks[tab] = message["taskId"]
        hops = await self._go(tab, params.get("url", BLANK))
        page = {"url": self.tabs[tab], "title": self._site(tab).title}
        return {"tabId": tab, "windowId": 1, "groupId": 7, **page, **hops}

    async def _browser_tab_open(self, params: Json, message: Json) -> Json:
        return {key: value for key, value in (await self._task_start(params, message)).items() if key != "groupId"}

    async def _task_stop(self, params: Json, message: Json) -> Json:
        return {"stopped": True}

    async def _browser_navigate(self, params: Json, message: Json) -> Json:
        hops = await self._go(params["tabId"], params["url"])
        return {"navigated": True, "tabId": params["tabId"], "url": self.tabs[params["tabId"]], **hops}

    async def _browser_tabs(self, params: Json, message: Json) -> Json:
        return {"tabs": [self._tab(tab) for tab, task in self.tasks.items() if task == message["taskId"]]}

    async def _browser_dom_index(self, params: Json, message: Json) -> Json:
        site, offset = self._site(params["tabId"]), params.get("offset", 0)
        end = offset + params.get("limit", 200)
        elements = site.elements[offset:end]
        more = {"nextOffset": end} if end < len(site.elements) else {}
        return {
            "elements": elements,
            "total": len(site.elements),
            "url": self.tabs[params["tabId"]],
            "title": site.title,
            **more,
        }

    async def _browser_readability_extract(self, params: Json, message: Json) -> Json:
        site = self._site(params["tabId"])
        return {"text": site.text, "markdown": site.text, "title": site.title, "contentLengthBytes": len(site.text)}

    async def _browser_get_html(self, params: Json, message: Json) -> Json:
        html = f"<p>{self._site(params['tabId']).text}</p>".encode()
        await self._upload(message["artifactPresignedUrl"], html)
        return {"artifactId": message["artifactId"], "url": message["artifactPresignedUrl"].partition("/upload")[0]}

    async def _browser_screenshot(self, params: Json, message: Json) -> Json:
        element = self._element(params) if self.outlines and "clickId" in params else None
        url = message["screenshotPresignedUrl"]
        await self._upload(url, PIXEL)
        result = {"artifactId": message["artifactId"], "url": url.partition("/upload")[0], "width": 1, "height": 1}
        target = {} if element is None else {"target": {key: element.get(key, "") for key in ("tag", "role", "name")}}
        value = {"seen": self._seen(params)} if self.compares else {}
        return {**result, **target, **value, "screenshotUploaded": True}

    async def _browser_click(self, params: Json, message: Json) -> Json:
        tab = params["tabId"]
        self._element(params)
        self.clicked.append(params["clickId"])
        leads_to = self._site(tab).leads_to.get(params["clickId"])
        if leads_to is None:
            return {"clicked": True, "strategy": "cdp_mouse", "changes": {"added": ['9 status "Saved"'], "more": 2}}
        hops = await self._go(tab, leads_to)
        return {"clicked": True, "strategy": "cdp_mouse", "changes": {"navigated": self.tabs[tab]}, **hops}

    async def _browser_type(self, params: Json, message: Json) -> Json:
        self._element(params)
        return {"typed": True, "strategy": "cdp_key"}

    async def _browser_find_text(self, params: Json, message: Json) -> Json:
        match = params["text"] in self._site(params["tabId"]).text
        return {"matches": [{"text": params["text"], "tag": "p"}] if match else [], "total": int(match)}

    async def _browser_upload(self, params: Json, message: Json) -> Json:
        return {"uploaded": True, "files": [each["name"] for each in message["artifacts"]]}

    async def _go(self, tab: int, url: str) -> Json:
        """Returns the part of the result that lists the pages on the way."""
        site = self.sites.get(url, Site())
        self.tabs[tab] = site.redirect or url
        await self._say(type="tab_event", eventType="tab_created", tab=self._tab(tab))
        return {"hops": site.by} if site.by else {}

    async def _upload(self, url: str, body: bytes) -> None:
        async with httpx2.AsyncClient(trust_env=False) as client:
            (await client.put(url, content=body)).raise_for_status()

    def _element(self, params: Json) -> Json:
        for element in self._site(params["tabId"]).elements:
            if element["clickId"] == params.get("clickId") or element.get("xpath", "") == params.get("xpath"):
                return element
        raise Refusal("INVALID_TARGET", "The element is gone.", stale=True, hint="Index the page again.")

    def _seen(self, params: Json) -> str:
        matches = [each for each in self._elements(params) if each["clickId"] == params.get("clickId")]
        return json.dumps([self.tabs.get(params.get("tabId", 0)), matches])

    def _elements(self, params: Json) -> list[Json]:
        return self._site(params["tabId"]).elements if "tabId" in params else []

    def _site(self, tab: int) -> Site:
        return self.sites.get(self.tabs[tab], Site())

    def _tab(self, tab: int) -> Json:
        page = {"url": self.tabs[tab], "title": self._site(tab).title} if self.tells_address else {}
        return {"tabId": tab, "windowId": 1, "active": True, "pinned": False, "hidden": False, "index": 0, **page}

    def _all_tabs(self) -> list[Json]:
        return [self._tab(tab) for tab in self.tabs]


def button(click_id: str, name: str, **more: Any) -> Json:
    return {"clickId": click_id, "tag": "button", "role": "button", "name": name, **more}
