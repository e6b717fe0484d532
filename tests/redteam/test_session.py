"""A local web server that the person's browser visits gets the console's cookie, and can do nothing with it.

The person is signed in to the console in a real Chromium. Browsers send cookies to every port of a host, so another
server on this machine receives it: from a visit, in a frame, through a service worker. What it then tries is what a
program can try that holds the cookie and forges every header.
"""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import socketio

from tests.credentials import bearer
from tests.e2e.console_person import Browser, up
from tests.effort import first_of
from tests.faces.http.listener import Listener
from tests.faces.http.running import Running
from tests.redteam.visitor import LocalServer, Visitor
from tests.wire.cinema import furnish

QUESTION = {"kind": "file_change_confirm", "title": "Write a.txt?", "path": "a.txt"}

# What a page can do with the cookie that its browser sends along: read, write, connect.
ATTACK = """async (address) => {
  const tried = {};
  const attempt = async (name, work) => { tried[name] = await work().catch(() => "blocked"); };
  const read = async (answer) => (answer.type === "opaque" ? "opaque" : `${answer.status}`);
  const tries = {
    read: ["prompts", {}],
    blind: ["prompts", { mode: "no-cors" }],
    header: ["prompts", { headers: { "x-handrail-page": "guess" } }],
    write: ["tools/write_to_file", { method: "POST", mode: "no-cors", body: "{}" }],
  };
  for (const [name, [path, init]] of Object.entries(tries)) {
    await attempt(name, async () => read(await fetch(`${address}/api/${path}`, { credentials: "include", ...init })));
  }
  return tried;
}"""
SERVICE_WORKER = f"""
const attack = {ATTACK};
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", async (event) => event.source.postMessage(await attack(event.data)));
"""


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("session")
    (folder / "project").mkdir()
    (folder / "project" / "a.txt").write_text("one\n")
    furnish(folder / "project")
    with up(folder / "project", folder / "state") as running:
        yield running


@pytest.fixture(scope="module")
def visitor(rig: Running, browser: Browser) -> Iterator[Visitor]:
    """A person who is signed in under both names of this machine."""
    visitor = Visitor(browser.endpoint)
    for name in ("127.0.0.1", "localhost"):
        visitor.does("open", name, f"http://{name}:{rig.port}/#code={rig.new_code()}", ".connection.online")
    yield visitor
    visitor.close()


def pending(rig: Running) -> str:
    answer = rig.request("POST", "/api/prompts", json={"prompt": QUESTION})
    return str(answer.json["data"]["requestId"])


def is_pending(rig: Running, request_id: str) -> bool:
    entries = rig.request("GET", "/api/prompts?state=pending").json["data"]["entries"]
    return request_id in [entry["requestId"] for entry in entries]


def replay(rig: Running, cookie: str, request_id: str) -> dict[str, int]:
    """What a program can do with a stolen cookie: it claims to be the console's page."""
    forged = {
        "cookie": cookie,
        "origin": rig.address,
        "sec-fetch-site": "same-origin",
        "referer": f"{rig.address}/",
        "x-handrail-page": "A" * 43,
    }
    answer = f"/api/prompts/{request_id}/response"
    tries: dict[str, tuple[str, str, dict[str, Any]]] = {
        "session": ("GET", "/api/session", {}),
        "read questions": ("GET", "/api/prompts", {}),
        "read activity": ("GET", "/api/activity", {}),
        "list sessions": ("GET", "/api/access", {}),
        "allow": ("POST", answer, {"json": {"response": {"status": "ok"}}}),
        "call a tool": ("POST", "/api/tools/read_file", {"json": {"path": "a.txt"}}),
        "renew the token": ("POST", "/api/access/token", {}),
        "pair a browser": ("POST", "/api/extension/pair-code", {}),
        "sign out": ("DELETE", "/api/session", {}),
    }
    without_secret = {name: value for name, value in forged.items() if name != "x-handrail-page"}
    return {
        f"{name}{' with a guess' if headers is forged else ''}": rig.request(
            method, path, headers=headers, **more
        ).status
        for headers in (forged, without_secret)
        for name, (method, path, more) in tries.items()
    }


def joins(rig: Running, cookie: str) -> bool:
    async def run() -> bool:
        for auth in ({}, {"page": "A" * 43}):
            headers = {"cookie": cookie, "origin": rig.address}
            listener = Listener()
            try:
                await listener.connect(rig, auth=auth, headers=headers, transports=["websocket"])
            except socketio.exceptions.ConnectionError:
                continue
            await listener.client.disconnect()
            return True
        return False

    return asyncio.run(run())


def worthless(rig: Running, cookies: list[str]) -> None:
    """None of these cookies can read, answer, call or connect; the question stays unchanged."""
    request_id = pending(rig)
    for cookie in dict.fromkeys(cookies):
        statuses = replay(rig, cookie, request_id)
        assert set(statuses.values()) <= {401, 403}, statuses
        assert not joins(rig, cookie)
    assert is_pending(rig, request_id)


def still_signed_in(visitor: Visitor, name: str) -> None:
    visitor.does("reload", name, ".connection.online")


@pytest.mark.parametrize("name", first_of("sessions", ("127.0.0.1",), ("localhost",)))
def test_a_server_on_another_port_gets_the_cookie_but_can_not_use_it(name: str, rig: Running, visitor: Visitor) -> None:
    with LocalServer() as other:
        visitor.does("open", "other", f"http://{name}:{other.port}/")
        assert any("handrail_session" in cookie for cookie in other.cookies), "the browser sends it: that is the attack"
        worthless(rig, other.cookies)
        tried = visitor.does("evaluate", "other", f"({ATTACK})('http://{name}:{rig.port}')")
        assert set(tried.values()) == {"blocked"}, tried
        assert visitor.does("evaluate", "other", "localStorage.getItem('handrail.page')") is None
    still_signed_in(visitor, name)


@pytest.mark.trial("sessions", is_long=True)
def test_a_subdomain_neither_gets_the_cookie_nor_replaces_it(rig: Running, visitor: Visitor) -> None:
    with LocalServer() as other:
        visitor.does("open", "other", f"http://evil.localhost:{other.port}/")
        assert not any("handrail_session" in cookie for cookie in other.cookies)
        tried = visitor.does("evaluate", "other", f"({ATTACK})('http://localhost:{rig.port}')")
        assert set(tried.values()) == {"blocked"}, tried
        name = rig.sign_in()["cookie"].partition("=")[0]
        visitor.does("evaluate", "other", f"document.cookie = '{name}=mine; domain=localhost; path=/'")
        assert visitor.does("evaluate", "other", "localStorage.getItem('handrail.page')") is None
    still_signed_in(visitor, "localhost")


@pytest.mark.trial("sessions", is_long=True)
def test_a_frame_in_either_direction_gets_nothing(rig: Running, visitor: Visitor) -> None:
    around = f"<!doctype html><iframe name=console src='{rig.address}/'></iframe>"
    with LocalServer({"/around": ("text/html", around)}) as other:
        visitor.does("open", "other", f"http://127.0.0.1:{other.port}/around", "iframe")
        seen = visitor.does(
            "evaluate",
            "other",
            "(() => { try { return document.querySelector('iframe').contentWindow.localStorage.length; } "
            "catch (e) { return e.name; } })()",
        )
        assert seen == "SecurityError"
        # The console itself shows a preview from another port: that frame gets only the cookie.
        framed = json.dumps(f"http://127.0.0.1:{other.port}/inside")
        frame = f"Object.assign(document.createElement('iframe'), {{src: {framed}, id: 'framed'}})"
        other.seen.clear()
        visitor.does(
            "evaluate",
            "127.0.0.1",
            f"""new Promise((done) => {{
              const frame = {frame};
              frame.onload = () => done(true);
              document.body.append(frame);
            }})""",
        )
        reached = visitor.does(
            "evaluate",
            "127.0.0.1",
            "(() => { try { return document.getElementById('framed').contentWindow.localStorage.length; } "
            "catch (e) { return e.name; } })()",
        )
        assert reached == "SecurityError"
        assert any("handrail_session" in cookie for cookie in other.cookies)
        worthless(rig, other.cookies)
    still_signed_in(visitor, "127.0.0.1")


@pytest.mark.trial("browsers", is_long=True)
@pytest.mark.timeout(300)
def test_a_preview_is_another_origin_and_reaches_nothing_of_the_console(rig: Running, visitor: Visitor) -> None:
    """A game's script runs in the preview's page, so it can try what any page of another port can."""
    shown = rig.request(
        "POST", "/api/tools/preview_scene", headers=bearer(rig.state), json={"scenePath": "game/scene/start.txt"}
    )
    assert shown.status == 200, shown
    address = str(shown.json["data"]["url"])
    assert urlsplit(address).port != rig.port
    visitor.does("open", "preview", address, "iframe, canvas, body")
    tried = visitor.does("evaluate", "preview", f"({ATTACK})('{rig.address}')")
    assert set(tried.values()) == {"blocked"}, tried
    assert visitor.does("evaluate", "preview", "localStorage.getItem('handrail.page')") is None
    assert visitor.does("evaluate", "preview", "document.cookie") == ""
    path = urlsplit(address).path
    with httpx2.Client(trust_env=False) as client:
        other = f"http://127.0.0.1:{urlsplit(address).port}"
        answers = [client.get(other + wrong).status_code for wrong in ("/", "/api/prompts", path[: len(path) // 2])]
        set_cookies = [client.get(address.partition("#")[0]).headers.get("set-cookie")]
    assert all(status >= 400 for status in answers), answers
    assert set_cookies == [None]
    still_signed_in(visitor, "127.0.0.1")


@pytest.mark.trial("browsers", is_long=True)
def test_a_service_worker_of_another_port_gets_nothing(rig: Running, visitor: Visitor) -> None:
    with LocalServer({"/sw.js": ("text/javascript", SERVICE_WORKER)}) as other:
        visitor.does("open", "other", f"http://localhost:{other.port}/")
        tried = visitor.does(
            "evaluate",
            "other",
            f"""(async () => {{
              await navigator.serviceWorker.register("/sw.js");
              const worker = (await navigator.serviceWorker.ready).active;
              const answer = new Promise((done) => {{
                navigator.serviceWorker.onmessage = (event) => done(event.data);
              }});
              worker.postMessage("http://localhost:{rig.port}");
              return await answer;
            }})()""",
        )
        assert set(tried.values()) == {"blocked"}, tried
        worthless(rig, other.cookies)
    still_signed_in(visitor, "localhost")


def test_the_secret_ends_with_the_session(rig: Running, tmp_path: Path) -> None:
    person = rig.sign_in()
    assert rig.request("GET", "/api/session", headers=person).status == 200
    assert rig.request("DELETE", "/api/session", headers=person).status == 200
    assert rig.request("GET", "/api/session", headers=person).status == 401
