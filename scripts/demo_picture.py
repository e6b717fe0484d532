"""Takes the README's first picture: the console's chat during `make demo`, answered by a person."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests know how to drive the console
from tests.e2e.console_person import Browser
from tests.faces.http.running import ROOT

FOLDER = Path(tempfile.gettempdir()) / "handrail" / "demo"
"""The folder is visible in the picture, so it has an ordinary name."""
WINDOW = {"width": 1440, "height": 900, "at": ""}


def take(images: Path) -> None:
    """In both color schemes: the moment before the agent makes a choice in the game."""
    browser = Browser()
    for scheme in ("light", "dark"):
        _tour(browser, FOLDER, images / f"demo-{scheme}.png", scheme)
    browser.close()


def _tour(browser: Browser, folder: Path, picture: Path, scheme: str) -> None:
    env = {name: value for name, value in os.environ.items() if name != "ANSWER"}
    command = [sys.executable, "-m", "demo", "--quick", "--folder", str(folder)]
    demo = subprocess.Popen(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert demo.stdout is not None
    try:
        address = next(line.strip() for line in demo.stdout if "#code=" in line)
        browser.step(scheme, "open", address, {**WINDOW, "colorScheme": scheme})
        for title, button in (("Plan", "Confirm"), ("How loud", "Send"), ("Overwrite", "Allow once")):
            browser.step(scheme, "read", title)
            if title == "How loud":
                browser.step(scheme, "fill", "Answer", "60")
            browser.step(scheme, "press", button)
        for title in ("Open 127.0.0.1", "快进"):
            browser.step(scheme, "read", title)
            browser.step(scheme, "press", "Allow once")
        browser.step(scheme, "read", "循着铃声去灯塔")
        browser.step(scheme, "photograph", str(picture))
        browser.step(scheme, "close")
    finally:
        demo.send_signal(signal.SIGINT)
        demo.communicate(timeout=60)
