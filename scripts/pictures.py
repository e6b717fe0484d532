"""Makes the pictures of the README from the running program: `python scripts/pictures.py`.

The terminal ones are what `handrail` prints into a terminal; the console is photographed by Chromium.
"""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
HANDRAIL = str(ROOT / ".venv" / "bin" / "handrail")
COLUMNS = 96

SCENE = "changeBg:classroom.jpg -next;\nYukino:You are late again.;\nchoose:Apologise:sorry.txt|Shrug:shrug.txt;\n"
BETTER = SCENE.replace("You are late again.", "You're late. Again.").replace("-next", "-next -duration=800")


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        project = home / "my-game"
        scene = project / "game" / "scene" / "start.txt"
        scene.parent.mkdir(parents=True)
        scene.write_text(SCENE)
        env = {**os.environ, "HANDRAIL_STATE": str(home / "state"), "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        write = {"path": "game/scene/start.txt", "content": BETTER}
        command = [HANDRAIL, "call", "write_to_file"]
        subprocess.run([*command, json.dumps({**write, "dryRun": True})], cwd=project, env=env, check=True)
        asked = in_terminal([*command, json.dumps({**write, "dryRun": False})], project, env, answer="y\n")
        terminal_picture("approval", asked)
        shown = in_terminal([HANDRAIL, "history"], project, env) + in_terminal([HANDRAIL, "undo"], project, env)
        terminal_picture("undo", shown)
        console_picture("console", project, env)


def in_terminal(command: list[str], cwd: Path, env: dict[str, str], answer: str = "") -> str:
    """What the command prints when a person sits at it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(command[0], command, env)
    shown = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 10)
        try:
            chunk = os.read(terminal, 65536) if ready else b""
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
        if answer and b"Allow?" in shown:
            os.write(terminal, answer.encode())
            answer = ""
    os.waitpid(pid, 0)
    return shown.decode().replace("\r\n", "\n")


def terminal_picture(name: str, shown: str) -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    console.print(Text.from_ansi(shown.rstrip()))
    svg = console.export_svg(title="handrail", unique_id=name)
    (IMAGES / f"{name}.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL))


def console_picture(name: str, project: Path, env: dict[str, str]) -> None:
    """The console with some activity in it and a question that waits."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("The picture of the console needs chromium.")
    for tool, params in (
        ("list_files", {"path": ".", "globs": ["**/*.txt"]}),
        ("search_files", {"path": "game", "regex": "Yukino"}),
        ("replace_in_file", {"path": "game/scene/start.txt", "find": "classroom", "replace": "library"}),
    ):
        command = [HANDRAIL, "call", tool, json.dumps(params), "--answer", "allow"]
        subprocess.run(command, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    server = subprocess.Popen(
        [HANDRAIL, "up", "--no-open", "--port", "0"], cwd=project, env=env, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    server.stdout.readline()
    known = json.loads(Path(env["HANDRAIL_STATE"], "server.json").read_text())
    address = f"http://127.0.0.1:{known['port']}"
    with ThreadPoolExecutor(1) as pool:
        change = {"path": "game/scene/start.txt", "find": "/You are late again\\./", "replace": "You're late. Again."}
        asked = pool.submit(_post, f"{address}/api/tools/replace_in_file", change, _signed_in(address, env))
        while not _get(f"{address}/api/prompts?state=pending", known["token"])["entries"]:
            continue
        for scheme in ("light", "dark"):
            _photograph(chromium, _open_address(env), f"{name}-{scheme}", scheme)
        server.send_signal(signal.SIGINT)
        server.wait(timeout=20)
        asked.exception(timeout=20)


def _photograph(chromium: str, address: str, name: str, scheme: str) -> None:
    flags = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--hide-scrollbars"]
    if os.getuid() == 0:
        flags.append("--no-sandbox")
    if scheme == "dark":
        flags.append("--blink-settings=preferredColorScheme=0")
    with tempfile.TemporaryDirectory() as profile:
        picture = f"--screenshot={IMAGES / name}.png"
        wait, size = "--virtual-time-budget=5000", "--window-size=1200,760"
        command = [chromium, *flags, f"--user-data-dir={profile}", wait, size, picture, address]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


def _open_address(env: dict[str, str]) -> str:
    """What `handrail open` would open."""
    command = [HANDRAIL, "open", "--print"]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.strip()


def _signed_in(address: str, env: dict[str, str]) -> dict[str, str]:
    code = _open_address(env).partition("#code=")[2]
    answer = httpx2.post(f"{address}/api/session", json={"code": code}, headers={"origin": address})
    return {"cookie": answer.headers["set-cookie"].partition(";")[0], "origin": address}


def _post(url: str, body: object, headers: dict[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = httpx2.post(url, json=body, headers=headers, timeout=60).json()["data"]
    return data


def _get(url: str, token: str) -> dict[str, Any]:
    data: dict[str, Any] = httpx2.get(url, headers={"authorization": f"Bearer {token}"}).json()["data"]
    return data


main()
