"""Takes the picture of the console's Desktop page: an X server, a program, and an agent that has looked at it."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests know how to make a desktop
from tests.desktop_session import DesktopSession


def take(handrail: str, project: Path, env: dict[str, str], photograph: Callable[[], None]) -> None:
    """`photograph` is called while a server runs, after an agent has looked at a window."""
    with DesktopSession((800, 620)) as session:
        session.start(["gnome-calculator"])
        desktop_env = {**session.env, "HANDRAIL_STATE": env["HANDRAIL_STATE"]}
        command = [handrail, "up", "--no-open", "--port", "0"]
        server = subprocess.Popen(command, cwd=project, env=desktop_env, stdout=subprocess.PIPE)
        assert server.stdout is not None
        server.stdout.readline()
        try:
            server_file = json.loads(Path(env["HANDRAIL_STATE"], "server.json").read_text())
            command = [handrail, "agents", "add", "codex"]
            token = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            agent = {"authorization": f"Bearer {token}"}
            url = f"http://127.0.0.1:{server_file['port']}/api/tools/desktop_observe"
            httpx2.post(url, json={}, headers=agent, timeout=60).raise_for_status()
            photograph()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=20)
