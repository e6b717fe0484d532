"""handrail as people run it: `handrail up` with the paired extension, an agent over MCP, or a program on the bus."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.browser.chromium import Chromium, Target
from bench.browser.drivers import Answer, McpDriver, ToolNames, by_pattern, refs_in, text_for
from bench.mcp_client import Client
from handrail.faces.http import console_key
from handrail.ports.browser import EXTENSION_ORIGIN

EXTENSION = Path(__file__).parents[2] / "src/handrail/extension"
_TASK = "0b5e55ed-0000-4000-8000-000000000001"
_START_SECONDS = 120.0
_KEEP_ALIVE_SECONDS = 3.0
_RULES = """[[rules]]\neffect = "UI_CONTROL"\nhost = "127.0.0.1"\ndecision = "allow"\n"""
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Server:
    def __init__(self, folder: Path, pid: int, address: Mapping[str, Any]) -> None:
        self.folder = folder
        self.pid = pid
        self.host, self.port, self.token = str(address["host"]), int(address["port"]), str(address["token"])

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def credentials(self) -> dict[str, str]:
        """As handrail's own programs send them."""
        key = (self.folder / "state" / console_key.FILE).read_text().strip()
        return {"Authorization": f"Bearer {self.token}", console_key.HEADER: key}

    def command(self, verb: str, *arguments: str) -> list[str]:
        places = ["--project", str(self.folder / "project"), "--state", str(self.folder / "state")]
        return [sys.executable, "-m", "handrail", verb, *places, *arguments]

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._ask(path, json.dumps(body).encode(), "POST")

    def get(self, path: str) -> Any:
        return self._ask(path, None, "GET")

    def _ask(self, path: str, body: bytes | None, method: str) -> Any:
        headers = {**self.credentials, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)["data"]


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """With a rule that allows the benchmark's pages, and otherwise default settings."""
    Path(folder, "project").mkdir(parents=True)
    Path(folder, "state").mkdir(mode=0o700)
    Path(folder, "state", "config.toml").write_text(_RULES)
    nowhere = Server(folder, 0, {"host": "", "port": 0, "token": ""})
    command = nowhere.command("up", "--port", "0", "--no-open")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_ENVIRONMENT)
    try:
        yield Server(folder, process.pid, _address(folder / "state", process))
    finally:
        process.terminate()
        process.wait(20)


def _address(state: Path, process: subprocess.Popen[bytes]) -> Any:
    """Waits for both files: the address is written before the key."""
    file, key = state / "server.json", state / console_key.FILE
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if file.exists() and key.exists():
            return json.loads(file.read_text())
        time.sleep(0.05)
    raise SystemExit("`handrail up` did not start.")


def pair(browser: Chromium, server: Server) -> None:
    """Enters address and code in the extension's settings, as a person would."""
    code = server.post("/api/extension/pair-code", {})["code"]
    page = Target(browser.open_tab(f"{EXTENSION_ORIGIN}/options.html"))
    page.wait_for("document.querySelector('form') !== null")
    page.evaluate(f"""{{
      const form = document.querySelector("form");
      form.elements.server.value = {json.dumps(server.url)};
      form.elements.code.value = {json.dumps(code)};
      form.requestSubmit();
    }}""")
    page.wait_for("document.querySelector('form .done') !== null")
    page.send("Page.close")
    page.close()
    deadline = time.monotonic() + _START_SECONDS
    while not any(plugin["socketConnected"] for plugin in server.get("/api/extension/extension-list")):
        if time.monotonic() > deadline:
            raise SystemExit("The extension did not connect.")
        time.sleep(0.05)


TOOLS = ToolNames(
    name="handrail mcp",
    open=lambda url: ("task_start", {"url": url, "reuseExistingTab": True}),
    ref=by_pattern(r'(\S+) \w+ "NAME"'),
    click=lambda ref: ("browser_click", {"clickId": ref}),
    type=lambda ref, text: ("browser_type", {"clickId": ref, "text": text}),
    rest={
        "nothing": ("browser_tabs", {}),
        "index": ("browser_dom_index", {"scope": "viewport"}),
        "page": ("browser_page", {}),
        "screenshot": ("browser_screenshot", {}),
        "text": ("browser_readability_extract", {}),
    },
)


def mcp(server: Server) -> McpDriver:
    """As an agent uses it: each call passes the gate and leaves evidence and a record."""
    return McpDriver(TOOLS, Client(server.command("mcp")))


class BusDriver:
    """The bus itself, below the gate and the tools: `POST /api/browser/act` on a persistent connection."""

    name = "handrail's bus"

    def __init__(self, server: Server) -> None:
        self._pid = server.pid
        self._address = (server.host, server.port)
        self._socket = socket.create_connection(self._address)
        self._used_at = time.monotonic()
        headers = {"Host": f"{server.host}:{server.port}", **server.credentials}
        self._head = "POST /api/browser/act HTTP/1.1\r\nContent-Type: application/json\r\n"
        self._head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._tab = 0
        self._refs: dict[int, str] = {}

    def open(self, url: str) -> None:
        if self._tab:
            self._act("browser_navigate", {"tabId": self._tab, "url": url})
        else:
            self._tab = json.loads(self._act("task_start", {"url": url}).text)["tabId"]
        self._refs = refs_in(self.do("index").text, _click_id)

    def do(self, what: str, row: int = 0) -> Answer:
        tab = {"tabId": self._tab}
        actions: dict[str, tuple[str, dict[str, Any]]] = {
            "nothing": ("browser_tabs", {}),
            "index": ("browser_dom_index", {**tab, "scope": "viewport"}),
            "click": ("browser_click", {**tab, "clickId": self._refs.get(row)}),
            "type": ("browser_type", {**tab, "clickId": self._refs.get(row), "text": text_for(row)}),
            "screenshot": ("browser_screenshot", tab),
            "look": ("browser_screenshot", {**tab, "clickId": self._refs.get(row), "asking": "element"}),
            "page": ("browser_page", tab),
            "text": ("browser_readability_extract", tab),
        }
        return self._act(*actions[what])

    def bound_click(self, row: int, seen: str) -> Answer:
        """A click that is carried out only if the page is still as the picture showed it."""
        return self._act("browser_click", {"tabId": self._tab, "clickId": self._refs[row], "expected": seen})

    def _act(self, action: str, params: Mapping[str, Any]) -> Answer:
        body = json.dumps({"taskId": _TASK, "actions": {action: params}})
        self._refresh()
        started = time.perf_counter()
        self._socket.sendall(f"{self._head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        body_received = self._receive()
        ms = (time.perf_counter() - started) * 1000
        self._used_at = time.monotonic()
        answer = json.loads(body_received)
        if not answer["ok"]:
            raise SystemExit(f"{self.name}: {action} {json.dumps(params)}: {answer['error']}")
        return Answer(ms, json.dumps(answer["data"]["result"], ensure_ascii=False))

    def _refresh(self) -> None:
        """The server closes idle connections."""
        if time.monotonic() - self._used_at > _KEEP_ALIVE_SECONDS:
            self._socket.close()
            self._socket = socket.create_connection(self._address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _receive(self) -> bytes:
        with self._socket.makefile("rb") as answer:
            head = iter(lambda: answer.readline().lower().strip(), b"")
            length = next(int(line.partition(b":")[2]) for line in list(head) if line.startswith(b"content-length:"))
            return answer.read(length)

    def processes(self) -> Mapping[str, int]:
        return {"handrail up": self._pid}

    def close(self) -> None:
        self._socket.close()


def _click_id(index: str, name: str) -> str:
    for element in json.loads(index)["elements"]:
        if element["name"] == name:
            return str(element["clickId"])
    raise SystemExit(f"{name!r} is not in this index:\n{index[:2000]}")
