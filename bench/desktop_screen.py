"""A 1920×1080 screenshot as PNG, as an observation takes it, compared with mss's grab and `to_png`.

Both run on the same desktop with real programs; the time includes taking the picture.
"""

import asyncio
from pathlib import Path

import mss
import mss.tools

from bench.comparison import Comparison, in_turns
from handrail.features.desktop.backends.linux import LinuxDesktop
from tests.desktop_apps import command
from tests.desktop_session import DesktopSession

_ROUNDS = 40
_PAGE = "data:text/html,<title>Colours</title><body style='margin:0;background:conic-gradient(red,gold,lime,blue,red)'>"


def measure() -> list[Comparison]:
    with DesktopSession() as session, session.entered():
        empty = _compare("screenshot as PNG, empty desktop")
        for toolkit in ("gtk3", "qt6"):
            session.start(command(toolkit))
        session.start(["mousepad", str(Path(__file__))], wait_for="window")
        programs = _compare("screenshot as PNG, three programs")
        profile = f"--user-data-dir={session.folder}/chromium"
        flags = [
            "--no-sandbox",
            "--no-first-run",
            "--password-store=basic",
            "--disable-gpu",
            "--start-fullscreen",
            profile,
        ]
        session.start(["chromium", *flags, f"--app={_PAGE}"], wait_for="window")
        return [empty, programs, _compare("screenshot as PNG, colours everywhere")]


def _compare(what: str) -> Comparison:
    with asyncio.Runner() as runner, mss.MSS() as camera:
        desktop = runner.run(_open_desktop())
        times = in_turns(lambda: runner.run(desktop.screenshot()), lambda: _peer(camera), rounds=_ROUNDS, warm_up=3)
        runner.run(desktop.close())
    return Comparison(what, "mss grab + `to_png`", *times, target=1)


async def _open_desktop() -> LinuxDesktop:
    return LinuxDesktop()


def _peer(camera: mss.MSS) -> bytes | None:
    picture = camera.grab(camera.monitors[0])
    return mss.tools.to_png(picture.rgb, picture.size)
