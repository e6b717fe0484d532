"""The headless browser ends with its program, stays on this machine, and a hanging page blocks no other."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.features.browser.chromium.headless import HeadlessChromium
from handrail.features.browser.chromium.page import ChromiumPage
from handrail.features.webgal.backends.game_site.server import Game, LocalGameSite
from handrail.features.webgal.preview_ports import Destination
from handrail.features.webgal.previews.preview_session import PreviewSession, Timeouts
from handrail.ports.errors import Declined, NotShown
from handrail.stores.local.files.folder import LocalFolder
from tests.waiting import eventually, until

PATIENCE = 60
LOCAL = ("localhost", "127.0.0.1")
CHILD = """
import asyncio
from handrail.features.browser.chromium.headless import HeadlessChromium

async def main():
    browser = HeadlessChromium()
    page = await browser.open_page(["localhost"])
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def naming(text: str) -> list[int]:
    """The processes that have this in their command lines."""
    matches = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "cmdline").read_bytes():
                matches.append(int(folder.name))
        except OSError:
            continue
    return matches


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A browser's sockets lie there, whose paths must not be long."""
    with tempfile.TemporaryDirectory(prefix="hr-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.trial("previews", is_long=True)
def test_killed_programs_leave_neither_a_browser_nor_its_profile(short_folder: Path) -> None:
    environ = {**os.environ, "TMPDIR": str(short_folder)}
    child = subprocess.Popen([sys.executable, "-c", CHILD], env=environ, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    assert naming(str(short_folder))
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    until(lambda: not naming(str(short_folder)) and not any(short_folder.iterdir()))


@pytest.mark.anyio
async def test_pages_stay_on_this_machine_and_a_hanging_one_delays_no_other(tmp_path: Path) -> None:
    (tmp_path / "game/scene").mkdir(parents=True)
    (tmp_path / "game/scene/start.txt").write_text("a:b;\n")
    (tmp_path / "index.html").write_text("<title>WebGAL</title><script>while (true);</script>")
    files, browser = LocalFolder.open(str(tmp_path)), HeadlessChromium()

    async def open_site(game: str) -> LocalGameSite:
        return await LocalGameSite.start(Game(files, game, files, ".", lambda path: True))

    preview_session = PreviewSession(lambda: browser, open_site, timeouts=Timeouts(starting=2))
    try:
        with pytest.raises(NotShown, match="did not start within 2 s"):
            await preview_session.show("game", Destination("start.txt", 1))
        page = await browser.open_page(LOCAL)
        assert await page.value("6 * 7") == 42
        with pytest.raises(Declined):
            await page.go("http://example.com/")
        assert await reached_by(page, "127.0.0.1")
        assert not await reached_by(page, "127.0.0.2")
        await page.close()
    finally:
        await preview_session.close()
        files.close()


async def reached_by(page: ChromiumPage, host: str) -> bool:
    """Whether a websocket of the page, which no interception sees, comes to an address of this machine."""
    reached = asyncio.Event()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        writer.close()

    server = await asyncio.start_server(connected, host, 0)
    port = server.sockets[0].getsockname()[1]
    try:
        await page.value(f"new Promise((done) => {{ new WebSocket('ws://{host}:{port}/').onerror = () => done(1); }})")
        return reached.is_set()
    finally:
        server.close()


@pytest.mark.trial("previews", is_long=True)
@pytest.mark.anyio
async def test_an_unused_browser_ends_and_the_next_page_starts_another() -> None:
    browser = HeadlessChromium(idle_seconds=0.2)
    try:
        page = await browser.open_page(LOCAL)
        await eventually(lambda: not page.is_open)
        assert (await browser.open_page(LOCAL)) is not page
    finally:
        await browser.close()
