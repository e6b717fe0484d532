"""Takes the picture of the console's Browsers page with a real one: a Chromium with the extension, and a task in it."""

import json
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

RULE = 'presence = "never"\n\n[[rules]]\ntool = "task_start"\ndecision = "allow"\n'
SHOP = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Tea &amp; Co. · First flush sencha</title><style>
body { font: 18px/1.5 system-ui, sans-serif; margin: 0; background: #f4f7f2; color: #1c2b1f }
header { display: flex; gap: 28px; align-items: center; padding: 18px 48px; background: #fff }
header b { font-size: 22px; margin-right: auto } a { color: #2c6b3f }
main { max-width: 1040px; margin: 56px auto; display: grid; grid-template-columns: 1fr 1fr; gap: 56px }
.leaf { background: linear-gradient(135deg, #b9d6a5, #5d8f57); border-radius: 18px; min-height: 420px }
form { display: grid; gap: 18px; justify-items: start } h1 { margin: 0 } label { display: grid; gap: 4px }
button { font: inherit; background: #2c6b3f; color: #fff; border: 0; border-radius: 8px; padding: 12px 22px }
input, select { font: inherit; padding: 9px; border: 1px solid #9bb39b; border-radius: 8px }</style>
<header><b>Tea &amp; Co.</b><a href="#shop">Shop</a><a href="#gardens">Gardens</a><a href="#cart">Cart (1)</a></header>
<main><div class="leaf"></div><form onsubmit="return false"><h1>First flush sencha</h1>
<div>Picked in April, steamed within the hour.</div>
<label>Amount<select><option>50 g</option><option>100 g</option></select></label>
<label>A note for the card<input placeholder="Happy birthday…"></label>
<button>Add to cart</button><a href="#reviews">Read 48 reviews</a></form></main>"""


def take(handrail: str, project: Path, env: dict[str, str], photograph: Callable[[], None]) -> None:
    """`photograph` is called while a server runs, after an agent has looked at a page."""
    state = Path(env["HANDRAIL_STATE"])
    (state / "config.toml").write_text(RULE)
    with _running([handrail, "up", "--no-open", "--port", "0"], project, env):
        server = _read_server_file(state)
        tools = f"http://127.0.0.1:{server['port']}/api/tools"
        command = [handrail, "agents", "add", "claude-code"]
        token = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        agent = {"authorization": f"Bearer {token}"}
        with _running([handrail, "extension", "launch", "--headless"], project, env), _shop() as address:
            for tool, params in (
                ("task_start", {"url": address, "groupTitle": "Order tea", "groupColor": "green"}),
                ("browser_dom_index", {}),
                ("browser_screenshot", {}),
            ):
                response = httpx2.post(f"{tools}/{tool}", json=params, headers=agent, timeout=60)
                response.raise_for_status()
            photograph()


@contextmanager
def _running(command: list[str], cwd: Path, env: dict[str, str]) -> Iterator[None]:
    """Waits until the program prints its first line."""
    process = subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)


@contextmanager
def _shop() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(SHOP.encode())

        def log_message(self, *line: Any) -> None:
            """Nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()


def _read_server_file(state: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((state / "server.json").read_text())
    return content
