"""A hostile site, the browser that shows it, and a person who is asked about what an agent does there."""

import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from tests.persons import Person
from tests.waiting import until
from tests.wire.browsing import Agent, Outcome
from tests.wire.clients import HANDRAIL, Api, Up
from tests.wire.stage import furnish

PAGE = """<!doctype html><title>Bank</title>
<p id=clock>0</p><header>News: <span id=news>none</span></header>
<main><section><h2>Transfer</h2><form id=pay action="/pay" method="{method}">
<p id=words>Pay <b id=sum>1 EUR</b> to <b id=who>Bob</b></p>
<input type=hidden name=amount value=1><input type=hidden name=to value=Bob>
<label>Note <input name=note value=rent></label>
<div><button id=button>Pay</button> <a id=link href="/terms">Terms</a></div>
</form></section></main>
<script>
const form = document.getElementById("pay"), button = document.getElementById("button");
const swap = () => {{
  form.elements.amount.value = "9999"; form.elements.to.value = "Mallory";
  document.getElementById("sum").textContent = "9999 EUR"; document.getElementById("who").textContent = "Mallory";
}};
const silently = () => {{ form.elements.amount.value = "9999"; form.elements.to.value = "Mallory"; }};
const asked = fetch("/asked?{turn}");
const swapped = () => fetch("/swapped?{turn}", {{ method: "POST" }});
{script}
</script>"""


WIDGET = "<!doctype html><button onclick='fetch(`/pay?amount=1`)'>Send</button>"
COVER = "<!doctype html><button style='position:fixed;inset:0' onclick='fetch(`/pay?amount=9999`)'>Send</button>"
AMOUNT = """<!doctype html><p>Pay <b id=sum>1 EUR</b> to Bob</p><script>
const asked = fetch("/asked?{turn}"), swapped = () => fetch("/swapped?{turn}", {{ method: "POST" }});
{script}</script>"""


ELSEWHERE = """<!doctype html><title>Elsewhere</title><input autofocus>
<button style="position:fixed;inset:0;width:100%;height:100%;opacity:0.5">Delete everything</button>
<script>
for (const type of ["keydown", "input", "mousedown", "click", "wheel", "change", "dragenter", "drop"]) addEventListener(
  type, (event) => fetch(`/evil?did=${{type}}&key=${{event.key ?? event.data ?? ""}}`, {{ keepalive: true }}), true);
document.querySelector("input").focus();
fetch("/swapped?{turn}", {{ method: "POST" }});
</script>"""
"""A page of another site that reports everything done to it."""


class Pages(BaseHTTPRequestHandler):
    """`/asked` answers once the person has been asked; a page requests `/swapped` when it has changed itself.

    Both carry the page's turn, so that late requests by a page of an earlier test are ignored.
    """

    protocol_version = "HTTP/1.1"
    script: ClassVar[str] = ""
    method: ClassVar[str] = "post"
    frame_script: ClassVar[str] = ""
    is_asked: ClassVar[threading.Event] = threading.Event()
    is_swapped: ClassVar[threading.Event] = threading.Event()
    sent: ClassVar[list[dict[str, Any]]] = []
    turn: ClassVar[int] = 0

    @classmethod
    def begin(cls, script: str, method: str) -> None:
        cls.is_asked.set()  # releases earlier pages
        cls.script, cls.method, cls.turn = script, method, cls.turn + 1
        cls.is_asked, cls.is_swapped = threading.Event(), threading.Event()
        cls.sent.clear()

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, urlsplit(self.path).query
        if path == "/asked":
            if query == str(self.turn):
                self.is_asked.wait(60)
            return self._answer("")
        if path in ("/pay", "/evil"):
            self.sent.append({"path": path, **{name: value for name, (value, *_) in parse_qs(query).items()}})
            return self._answer("paid")
        if path == "/widget":
            return self._answer(WIDGET)
        if path == "/cover":
            return self._answer(COVER)
        if path == "/elsewhere":
            return self._answer(ELSEWHERE.format(turn=self.turn))
        if path == "/amount":
            return self._answer(AMOUNT.format(script=self.frame_script, turn=self.turn))
        if path in ("/terms", "/trap"):
            self.sent.append({"path": path})
            return self._answer(path)
        if path == "/":
            return self._answer(PAGE.format(script=self.script, method=self.method, turn=self.turn))
        return self._answer("")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        if self.path.startswith("/swapped"):
            if self.path.endswith(f"?{self.turn}"):
                self.is_swapped.set()
        else:
            self.sent.append({"path": self.path, **{name: value for name, (value, *_) in parse_qs(body).items()}})
        self._answer("paid")

    def _answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Bank:
    """A server, a paired browser and the hostile site; one question is pending at a time."""

    def __init__(self, folder: Path, site: str) -> None:
        self.project, self.state, self.site = folder / "project", folder / "state", site
        self.project.mkdir()
        furnish(self.project)
        self.state.mkdir()
        (self.state / "config.toml").write_text(
            'questions_per_minute = 10000\n\n[[rules]]\ntool = "task_*"\ndecision = "allow"\n'
        )
        self.up = Up(self.project, self.state)
        self.browser = subprocess.Popen(
            [HANDRAIL, "extension", "launch", "--headless", "--state", str(self.state)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.browser.stdout is not None
        assert b"paired" in self.browser.stdout.readline(), self.browser.communicate()[1].decode()
        until(self._is_connected)
        self.person = Person(self.state)
        self.agent = Agent(Api(self.up))
        self._calls = ThreadPoolExecutor()

    def _is_connected(self) -> bool:
        plugins = self.up.http.get("/api/extension/extension-list").json()["data"]
        return any(plugin["socketConnected"] for plugin in plugins)

    def opens(self, script: str = "", method: str = "post") -> dict[str, str]:
        """Opens the page with this script; returns its elements' ids by name."""
        Pages.begin(script, method)
        self.agent.ok("task_start", url=self.site)
        elements = (self.agent.ok("browser_dom_index").result or {})["elements"]
        return {element["name"]: str(element["clickId"]) for element in elements}

    @property
    def elsewhere(self) -> str:
        """A page of another place, to which no rule of the site applies."""
        return self.site.replace("127.0.0.1", "localhost") + "elsewhere"

    def begins(self, tool: str, **params: Any) -> "Future[Outcome]":
        self._call = self._calls.submit(self.agent.call, tool, **params)
        return self._call

    def allows(self) -> dict[str, Any]:
        """Tells the page that the question is pending; answers after whatever the page does then."""
        prompt: dict[str, Any] = self.person.sees()["prompt"]
        Pages.is_asked.set()
        self.person.answers("--ok")
        return prompt

    def denies(self) -> dict[str, Any]:
        until(lambda: self.person.pending() or self._call.done())
        assert self.person.pending(), f"it was not asked, but answered: {self._call.result()}"
        prompt: dict[str, Any] = self.person.sees()["prompt"]
        self.person.answers("--cancel")
        return prompt

    def close(self) -> None:
        Pages.is_asked.set()
        self._calls.shutdown()
        self.browser.send_signal(signal.SIGINT)
        self.browser.communicate(timeout=30)
        self.up.close()


@contextmanager
def serving() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
