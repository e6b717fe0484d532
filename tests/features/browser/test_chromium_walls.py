"""What a page in the headless browser can't do: reach other hosts, outlive its close, write files."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from handrail.features.browser.chromium.headless import HeadlessChromium
from handrail.features.browser.chromium.page import ChromiumPage
from handrail.ports.errors import Changed, NotShown
from tests.waiting import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
PATIENCE = 60
DOWNLOAD = """<a id="a" download="evil.txt">x</a><script>
document.querySelector("a").href = URL.createObjectURL(new Blob(["evil"]));</script>"""
POPUPS = """<button id="opened" onclick="window.open('http://localhost:PORT/popup')">x</button>
<a id="linked" target="_blank" rel="noopener" href="http://localhost:PORT/linked">y</a>"""
UNSEEN = """<body onclick="document.title = 'clicked'"><form>Delete all
<button id="none" style="display: none">x</button><button id="hidden" style="visibility: hidden">x</button>
<div id="empty"></div></form><label>Agree <input type="checkbox" id="ticked" style="pointer-events: none"></label>
<label for="far">Far <b style="position: absolute; left: 300px; top: 300px">over it</b></label>
<input type="checkbox" id="far" style="position: absolute; left: 300px; top: 300px">"""


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[HeadlessChromium]:
    browser = HeadlessChromium()
    yield browser
    await browser.close()


class RequestedPaths(list[str]):
    """The paths that a server was asked for, in order."""

    port = 0


@asynccontextmanager
async def serving(page: str = "", host: str = "127.0.0.1") -> AsyncIterator[RequestedPaths]:
    requests = RequestedPaths()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            requests.append((await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode())
            body = page.replace("PORT", str(requests.port)).encode()
            head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\nconnection: close"
            writer.write(head.encode() + b"\r\n\r\n" + body)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, 0)
    requests.port = server.sockets[0].getsockname()[1]
    try:
        yield requests
    finally:
        server.close()


async def open_page(browser: HeadlessChromium, server: RequestedPaths, *allowed: str) -> ChromiumPage:
    page = await browser.open_page(allowed or ["localhost"])
    await page.go(f"http://localhost:{server.port}/")
    return page


async def fetched(page: ChromiumPage, url: str) -> bool:
    is_reached = await page.value(f"fetch('{url}', {{mode: 'no-cors'}}).then(() => true, () => false)")
    assert isinstance(is_reached, bool)
    return is_reached


async def called(page: ChromiumPage, address: str) -> None:
    """By a websocket, which no interception sees."""
    await page.value(f"new Promise((done) => {{ new WebSocket('ws://{address}/').onerror = () => done(1); }})")


async def test_requests_websockets_and_workers_reach_only_allowed_hosts(browser: HeadlessChromium) -> None:
    async with serving() as own, serving() as other:
        page = await browser.open_page([f"127.0.0.1:{own.port}"], is_watched=False)
        await page.go(f"http://127.0.0.1:{own.port}/")
        for host in ("127.0.0.1", "localhost"):
            assert not await fetched(page, f"http://{host}:{other.port}/")
            await called(page, f"{host}:{other.port}")
        worker = f"fetch('http://127.0.0.1:{other.port}/').then(() => postMessage(1), () => postMessage(1))"
        await page.value(
            f"new Promise((done) => {{ new Worker(URL.createObjectURL(new Blob([{worker!r}]))).onmessage = done; }})"
            ".then(() => 1)"
        )
        page.run(f"location = 'http://127.0.0.1:{other.port}/admin'")
        await eventually(lambda: not page.url.startswith(f"http://127.0.0.1:{own.port}"))
        assert other == []
        await page.close()


async def test_requests_of_foreign_frames_to_other_hosts_are_refused_and_reported(browser: HeadlessChromium) -> None:
    inner = "<script>fetch('http://example.com/deep').catch(() => 0)</script><img src='http://127.0.0.2:1/own.png'>"
    async with serving(inner) as other:
        framing = f"<iframe src='http://127.0.0.1:{other.port}/'></iframe><iframe src='http://example.com/'></iframe>"
        async with serving(framing) as own:
            page, results = await open_page(browser, own, "localhost", "127.0.0.1"), []
            refused = {"http://example.com/", "http://example.com/deep", "http://127.0.0.2:1/own.png"}

            def all_told() -> bool:
                results.extend(page.take_problems())
                return {each.url for each in results} >= refused

            await eventually(all_told)
            assert "/" in other
            await page.close()


@pytest.mark.trial("previews", is_long=True)
async def test_windows_opened_by_a_page_are_closed(browser: HeadlessChromium) -> None:
    async with serving(POPUPS) as server:
        page = await open_page(browser, server)
        assert browser._running is not None
        ask = browser._running.pipe.ask

        async def is_alone() -> bool:
            targets = (await ask("Target.getTargets"))["targetInfos"]
            return [each["url"] for each in targets if each["type"] == "page"] == [page.url]

        for selector in ("#opened", "#linked"):
            await page.click(selector)
            await eventually(is_alone)
        await page.close()


async def test_no_file_is_stored_for_a_page(browser: HeadlessChromium) -> None:
    async with serving(DOWNLOAD) as server:
        page = await open_page(browser, server)
        states: list[str] = []

        def heard(method: str, params: dict[str, Any]) -> None:
            if method == "Page.downloadProgress":
                states.append(params["state"])
            page._on_event(method, params)

        page._pipe.listen(page._session, heard)
        await page.click("#a")
        await eventually(lambda: "canceled" in states)
        await page.close()


async def test_webrtc_sends_nothing_past_the_proxy(browser: HeadlessChromium) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outside:
        outside.bind(("127.0.0.2", 0))
        outside.setblocking(False)
        async with serving() as server:
            page = await open_page(browser, server)
            url = f"stun:127.0.0.2:{outside.getsockname()[1]}"
            await page.value(
                f"""new Promise(async (done) => {{
                  const line = new RTCPeerConnection({{ iceServers: [{{ urls: "{url}" }}] }});
                  line.onicegatheringstatechange = () => line.iceGatheringState === "complete" && done(1);
                  line.createDataChannel("x");
                  await line.setLocalDescription(await line.createOffer());
                }})"""
            )
            with pytest.raises(BlockingIOError):
                outside.recv(100)
            await page.close()


async def test_a_click_meets_the_element_or_nothing(browser: HeadlessChromium) -> None:
    async with serving(UNSEEN) as server:
        page = await open_page(browser, server)
        for selector in ("#none", "#hidden", "#empty"):
            with pytest.raises(NotShown, match="can't be seen"):
                await page.click(selector)
        assert await page.value("document.title") == ""
        for selector in ("#ticked", "#far"):
            await page.click(selector)
            assert await page.value(f"document.querySelector('{selector}').checked")
        await page.close()


async def test_an_element_that_is_another_by_now_is_not_clicked(browser: HeadlessChromium) -> None:
    async with serving("<body onclick='document.title = 1'><button>Open</button>") as server:
        page = await open_page(browser, server)
        button = await page.element("button")
        assert (button.page, button.tag, button.text) == (f"http://localhost:{server.port}/", "button", "Open")
        await page.value("document.querySelector('button').innerText = 'Delete'")
        with pytest.raises(Changed):
            await page.click("button", button)
        await page.value("document.querySelector('button').innerText = 'Open'")
        await page.value("history.pushState(null, '', '/elsewhere')")
        with pytest.raises(Changed):
            await page.click("button", button)
        assert await page.value("document.title") == ""
        await page.close()


async def test_the_list_of_missing_files_is_bounded(browser: HeadlessChromium) -> None:
    async with serving() as server:
        page = await open_page(browser, server)
        entry = {"source": "network", "text": "404 (Not Found)"}
        for number in range(1500):
            page._on_event("Log.entryAdded", {"entry": {**entry, "url": str(number)}})
        missing = page.take_missing()
        assert (len(missing), missing[-1]) == (1000, "1499")
        await page.close()
