"""Makes the pictures of the README from the running program: `python scripts/pictures.py`.

The terminal ones are what `handrail` prints into a terminal or draws on it; the console is photographed by Chromium.
"""

import asyncio
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

import apps_picture
import browser_picture
import demo_picture
import desktop_picture
import httpx2
import preview_picture
import webgal_picture
from rich.console import Console
from rich.text import Text

from handrail.features.people.cli.screen.app import PromptsApp
from handrail.features.people.cli.screen.texts import ENGLISH
from handrail.kernel.prompts.queue import LoggedPrompts
from handrail.stores.local.prompt_store import prompt_store

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
HANDRAIL = str(ROOT / ".venv" / "bin" / "handrail")
COLUMNS = 96

SCENE = "changeBg:classroom.jpg -next;\nYukino:You are late again.;\nchoose:Apologise:sorry.txt|Shrug:shrug.txt;\n"
BETTER = SCENE.replace("You are late again.", "You're late. Again.").replace("-next", "-next -duration=800")

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    (
        "approval_1",
        {
            "kind": "file_change_confirm",
            "title": "Write game/scene/start.txt",
            "message": "Write a file (WRITE)\nAsked by mcp:claude-code/2.1",
            "source": "handrail/write_to_file",
            "path": "game/scene/start.txt",
            "diff": "--- a/game/scene/start.txt\n+++ b/game/scene/start.txt\n@@ -1,3 +1,3 @@\n"
            "-changeBg:classroom.jpg -next;\n-Yukino:You are late again.;\n"
            "+changeBg:classroom.jpg -next -duration=800;\n+Yukino:You're late. Again.;\n"
            " choose:Apologise:sorry.txt|Shrug:shrug.txt;\n",
        },
    ),
    (
        "sign-in",
        {
            "kind": "kv",
            "title": "Sign in to the music store",
            "source": "com.example:music",
            "fields": [{"key": "user"}],
        },
    ),
    (
        "endings",
        {"kind": "choice", "title": "Which ending?", "source": "handrail/prompt_choices", "options": [{"value": "a"}]},
    ),
    ("plan", {"kind": "task_confirm", "title": "Plan for chapter two", "source": "planner"}),
    ("done", {"kind": "result", "title": "Chapter one is done", "source": "handrail/attempt_completion"}),
]


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
        asyncio.run(screen_picture("prompts", home / "queue"))
        console_picture("console", project, env)
        browser_picture.take(HANDRAIL, project, env, lambda: photograph_page("browser", env))
        apps_picture.take(HANDRAIL, project, env, lambda: photograph_page("apps", env))
        desktop_picture.take(HANDRAIL, project, env, lambda: photograph_page("desktop", env))
        preview_picture.take(HANDRAIL, home, env, IMAGES / "preview.png")
        webgal_picture.take(home, IMAGES)
    demo_picture.take(IMAGES)


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
    (IMAGES / f"{name}.svg").write_text(without_fonts(svg))


async def screen_picture(name: str, state: Path) -> None:
    """The full-screen view over a queue in which agents wait for answers."""
    queue = LoggedPrompts(prompt_store(state))
    asking = [asyncio.create_task(queue.ask(prompt, request_id=id)) for id, prompt in QUESTIONS]
    os.environ.update(COLORTERM="truecolor", TERM="xterm-256color")
    app = PromptsApp(queue, "terminal:ada", ENGLISH)
    async with app.run_test(size=(COLUMNS, 26)) as pilot:
        while app.page is None or len(list(app.board)) < len(QUESTIONS):
            await pilot.pause()
        await pilot.pause()
        svg = app.export_screenshot(title="handrail prompts")
    for each in asking:
        each.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    await queue.close()
    (IMAGES / f"{name}.svg").write_text(without_fonts(re.sub(r"terminal-\d+", f"terminal-{name}", svg)))


def without_fonts(svg: str) -> str:
    """Those of the one who looks are good enough, and fetched from nowhere."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


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


def photograph_page(name: str, env: dict[str, str]) -> None:
    """The page of the console that has this name."""
    chromium = shutil.which("chromium")
    assert chromium is not None
    for scheme in ("light", "dark"):
        _photograph(chromium, _open_address(env), f"{name}-{scheme}", scheme, f"/#/{name}", "1320,800")


def _photograph(chromium: str, address: str, name: str, scheme: str, page: str = "", size: str = "1200,760") -> None:
    """`page` is looked at once `address` has let the browser in."""
    flags = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--hide-scrollbars"]
    if os.getuid() == 0:
        flags.append("--no-sandbox")
    if scheme == "dark":
        flags.append("--blink-settings=preferredColorScheme=0")
    with tempfile.TemporaryDirectory() as profile:
        picture = f"--screenshot={IMAGES / name}.png"
        wait = "--virtual-time-budget=5000"
        for place in [address, address.partition("/#")[0] + page] if page else [address]:
            command = [chromium, *flags, f"--user-data-dir={profile}", wait, f"--window-size={size}", picture, place]
            subprocess.run(command, check=True, capture_output=True, timeout=60)


def _open_address(env: dict[str, str]) -> str:
    """What `handrail open` would open."""
    command = [HANDRAIL, "open", "--print"]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.strip()


def _signed_in(address: str, env: dict[str, str]) -> dict[str, str]:
    code = _open_address(env).partition("#code=")[2]
    answer = httpx2.post(f"{address}/api/session", json={"code": code}, headers={"origin": address})
    return {
        "cookie": answer.headers["set-cookie"].partition(";")[0],
        "origin": address,
        "x-handrail-page": answer.json()["data"]["pageSecret"],
    }


def _post(url: str, body: object, headers: dict[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = httpx2.post(url, json=body, headers=headers, timeout=60).json()["data"]
    return data


def _get(url: str, token: str) -> dict[str, Any]:
    data: dict[str, Any] = httpx2.get(url, headers={"authorization": f"Bearer {token}"}).json()["data"]
    return data


main()
