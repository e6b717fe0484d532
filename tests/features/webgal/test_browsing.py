"""The preview session and the tab of browser_action: one site for concurrent calls, and only approved clicks."""

import asyncio
import json
from pathlib import Path

import pytest

from handrail.features.browser.offers import LocalBrowser
from handrail.features.webgal.backends.game_site.server import Game, LocalGameSite
from handrail.features.webgal.previews.preview_session import PreviewSession
from handrail.kernel.approval import Answer, Question
from handrail.kernel.call import Call
from handrail.kernel.target import Target
from handrail.ports.errors import Changed, NotShown
from handrail.ports.identity import Caller
from handrail.stores.local.files.folder import LocalFolder
from handrail.stores.local.trust import TrustFile
from handrail.wiring import Wiring

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
PAGES = {
    "/": b"<button onclick=\"fetch('/harmless')\">Show</button>",
    "/admin": b"<button onclick=\"fetch('/deleted')\">Delete everything</button>",
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_concurrent_requests_for_a_game_share_one_server(tmp_path: Path) -> None:
    files, folders = LocalFolder.open(str(tmp_path)), []

    async def open_site(game: str) -> LocalGameSite:
        folders.append(game)
        return await LocalGameSite.start(Game(files, game, files, ".", lambda path: True))

    def no_browser() -> LocalBrowser:
        raise NotShown("Nobody looks.")

    preview_session = PreviewSession(no_browser, open_site)
    try:
        first, second = await asyncio.gather(preview_session.site("game"), preview_session.site("game"))
        assert first is second
        assert folders == ["game"]
    finally:
        await preview_session.close()
        files.close()


class Slow:
    """Says yes, after the page that is asked about has gone elsewhere by itself."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.before_click = asyncio.Event()
        self.has_left = asyncio.Event()

    async def will_ask(self, call: Call, target: Target) -> bool:
        return True

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question.preview.summary)
        if question.call.params["action"] == "click":
            self.before_click.set()
            await self.has_left.wait()
        return Answer("ok", "somebody")


async def test_a_click_that_was_allowed_is_not_carried_out_on_another_page(tmp_path: Path) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    (project / ".handrail").mkdir(parents=True)
    policy = project / ".handrail/policy.json"
    policy.write_text(json.dumps({"mode": "developer", "policies": {}, "rules": []}))
    state.mkdir(mode=0o700)
    TrustFile(state).add(policy.read_bytes(), str(policy))
    paths: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        except asyncio.IncompleteReadError:  # Chromium also opens connections that it never uses
            writer.close()
            return
        paths.append(path)
        body = PAGES.get(path, b"")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\nconnection: close"
        writer.write(head.encode() + b"\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    server, approver = await asyncio.start_server(answer, "127.0.0.1", 0), Slow()
    rig = Wiring().open_project(project, state, approver)
    tab = rig.registry.find("browser_action").surface.port.tab
    address, caller = (
        f"http://localhost:{server.sockets[0].getsockname()[1]}/",
        Caller("mcp", "test", "pid:1", "stdio:test"),
    )
    try:
        await rig.gate.run(Call("browser_action", {"action": "open", "url": address}, caller))
        click = Call("browser_action", {"action": "click", "selector": "button"}, caller)
        clicking = asyncio.create_task(rig.gate.run(click))
        await approver.before_click.wait()
        await tab._page.go(f"{address}admin")
        approver.has_left.set()
        with pytest.raises(Changed):
            await clicking
        assert approver.asked[-1] == f'Click button, button "Show", on {address}'
        assert "/deleted" not in paths
    finally:
        await rig.part("webgal").preview_session.close()
        rig.close()
        server.close()
