"""Makes the pictures of the README from the running program: `python scripts/pictures.py`.

The terminal ones are what `handrail` prints into a terminal; the page is photographed by Chromium.
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
from pathlib import Path

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
        page_picture("page", project, env)


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


def page_picture(name: str, project: Path, env: dict[str, str]) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("The picture of the page needs chromium.")
    server = subprocess.Popen(
        [HANDRAIL, "up", "--no-open", "--port", "0"], cwd=project, env=env, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    server.stdout.readline()
    port = json.loads(Path(env["HANDRAIL_STATE"], "server.json").read_text())["port"]
    flags = ["--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--hide-scrollbars"]
    if os.getuid() == 0:
        flags.append("--no-sandbox")
    with tempfile.TemporaryDirectory() as profile:
        picture = f"--screenshot={IMAGES / name}.png"
        size = "--window-size=1100,760"
        address = f"http://localhost:{port}/"
        subprocess.run(
            [chromium, *flags, f"--user-data-dir={profile}", size, picture, address], check=True, capture_output=True
        )
    server.send_signal(signal.SIGINT)
    server.wait(timeout=20)


main()
