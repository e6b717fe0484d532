"""Makes the pictures of README and docs with the running program: `python scripts/pictures.py [NAME...]`.

Terminal pictures show what `handrail` prints or draws in a terminal; Chromium takes those of the console.
"""

import asyncio
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apps_picture
import browser_picture
import demo_picture
import desktop_picture
import preview_picture
import webgal_picture
from rich.console import Console
from rich.text import Text

from handrail.features.people.cli.screen.app import PromptsApp
from handrail.features.people.cli.screen.texts import ENGLISH
from handrail.kernel.prompts.queue import LogPromptQueue
from handrail.ports.prompt_queue import OWN_ORIGIN
from handrail.stores.local.prompt_store import prompt_store
from tests.e2e.agents import Agent
from tests.e2e.console_person import Browser

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
        home = Path(folder) / "ada"  # visible in the pictures
        home.mkdir()
        project = home / "my-game"
        scene = project / "game" / "scene" / "start.txt"
        scene.parent.mkdir(parents=True)
        scene.write_text(SCENE)
        (home / "state").mkdir(mode=0o700)
        (home / "state" / "config.toml").write_text('presence = "never"\n')
        env = {**os.environ, "HANDRAIL_STATE": str(home / "state"), "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
        takes: dict[str, Callable[[], None]] = {
            "terminal": lambda: terminal_pictures(project, env),
            "prompts": lambda: asyncio.run(screen_picture("prompts", home / "queue")),
            "console": lambda: console_picture("console", project, env),
            "browser": lambda: browser_picture.take(HANDRAIL, project, env, lambda: photograph_page("browser", env)),
            "apps": lambda: apps_picture.take(HANDRAIL, project, env, lambda: photograph_page("apps", env)),
            "desktop": lambda: desktop_picture.take(HANDRAIL, project, env, lambda: photograph_page("desktop", env)),
            "preview": lambda: preview_picture.take(HANDRAIL, home, env, IMAGES / "preview.png"),
            "webgal": lambda: webgal_picture.take(home, IMAGES),
            "demo": lambda: demo_picture.take(IMAGES),
        }
        for name in sys.argv[1:] or takes:
            takes[name]()


def terminal_pictures(project: Path, env: dict[str, str]) -> None:
    """A question, and how its answer is undone."""
    write = {"path": "game/scene/start.txt", "content": BETTER}
    command = [HANDRAIL, "call", "write_to_file"]
    subprocess.run([*command, json.dumps({**write, "dryRun": True})], cwd=project, env=env, check=True)
    question_output = in_terminal([*command, json.dumps({**write, "dryRun": False})], project, env, answer="y\n")
    terminal_picture("approval", question_output)
    undo_output = in_terminal([HANDRAIL, "history"], project, env) + in_terminal([HANDRAIL, "undo"], project, env)
    terminal_picture("undo", undo_output)


def in_terminal(command: list[str], cwd: Path, env: dict[str, str], answer: str = "") -> str:
    """Returns what the command prints in a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(command[0], command, env)
    output = b""
    while True:
        ready, _, _ = select.select([terminal], [], [], 10)
        try:
            chunk = os.read(terminal, 65536) if ready else b""
        except OSError:
            break
        if not chunk:
            break
        output += chunk
        if answer and b"Allow?" in output:
            os.write(terminal, answer.encode())
            answer = ""
    os.waitpid(pid, 0)
    return output.decode().replace("\r\n", "\n")


def terminal_picture(name: str, output: str) -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    console.print(Text.from_ansi(output.rstrip()))
    svg = console.export_svg(title="handrail", unique_id=name)
    (IMAGES / f"{name}.svg").write_text(without_fonts(svg))


async def screen_picture(name: str, state: Path) -> None:
    """The full-screen view of a queue with pending questions."""
    queue = LogPromptQueue(prompt_store(state))
    tasks = []
    for id, prompt in QUESTIONS:  # posted one by one, to keep this order
        origin = OWN_ORIGIN if prompt["source"].startswith("handrail/") else None
        tasks.append(asyncio.create_task(queue.ask(prompt, request_id=id, origin=origin)))
        while len(await queue.pending()) < len(tasks):
            pass
    os.environ.update(COLORTERM="truecolor", TERM="xterm-256color")
    app = PromptsApp(queue, "terminal:ada", ENGLISH)
    async with app.run_test(size=(COLUMNS, 26)) as pilot:
        while app.page is None or len(list(app.board)) < len(QUESTIONS):
            await pilot.pause()
        await pilot.pause()
        svg = app.export_screenshot(title="handrail prompts")
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await queue.close()
    (IMAGES / f"{name}.svg").write_text(without_fonts(re.sub(r"terminal-\d+", f"terminal-{name}", svg)))


def without_fonts(svg: str) -> str:
    """Removes web fonts: the reader's own are good enough, and nothing is downloaded."""
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def console_picture(name: str, project: Path, env: dict[str, str]) -> None:
    """The console with some activity and a pending question."""
    server = subprocess.Popen(
        [HANDRAIL, "up", "--no-open", "--port", "0"], cwd=project, env=env, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    server.stdout.readline()
    agent = Agent(project, Path(env["HANDRAIL_STATE"]), "claude-code")
    scene = "game/scene/start.txt"
    for tool, params in (
        ("list_files", {"path": ".", "globs": ["**/*.txt"]}),
        ("read_file", {"path": scene}),
        ("search_files", {"path": "game", "regex": "Yukino"}),
    ):
        agent.send(2, "tools/call", {"name": tool, "arguments": params})
        agent.result()
    _edit(agent, scene, "classroom", "library")
    allow = [HANDRAIL, "prompts", "answer", _pending_request(project, env), "--ok"]
    subprocess.run(allow, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    agent.result()
    _edit(agent, scene, "You are late again.", "You're late. Again.")
    request_id = _pending_request(project, env)
    photograph_page("inbox", env, name)
    subprocess.run([HANDRAIL, "prompts", "answer", request_id, "--cancel"], cwd=project, env=env, check=True)
    agent.close()
    server.send_signal(signal.SIGINT)
    server.wait(timeout=20)


def _edit(agent: Agent, path: str, old: str, new: str) -> None:
    params = {"path": path, "edits": [{"oldText": old, "newText": new}]}
    agent.send(3, "tools/call", {"name": "edit_file", "arguments": params})


def _pending_request(project: Path, env: dict[str, str]) -> str:
    """Waits for a pending question and returns its id."""
    command = [HANDRAIL, "prompts", "list", "--json"]
    while True:
        result = subprocess.run(command, cwd=project, env=env, check=True, capture_output=True, text=True)
        if prompts := json.loads(result.stdout)["prompts"]:
            return str(prompts[0]["requestId"])


def photograph_page(page: str, env: dict[str, str], name: str = "") -> None:
    """Takes a page of the console in both color schemes."""
    browser = Browser()
    for scheme in ("light", "dark"):
        window = {"width": 1440, "height": 900, "colorScheme": scheme, "at": page}
        browser.step(scheme, "open", _open_address(env), window)
        browser.step(scheme, "photograph", str(IMAGES / f"{name or page}-{scheme}.png"))
        browser.step(scheme, "close")
    browser.close()


def _open_address(env: dict[str, str]) -> str:
    """The address that `handrail open` would open."""
    command = [HANDRAIL, "open", "--print"]
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.strip()


main()
