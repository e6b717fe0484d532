"""An agent on its way to handrail's own pages, in the person's own Chromium, where the console is open and signed in.

Whoever presses "Allow once" there answers in the person's name; so no tool may open, read or use such a page.
"""

import asyncio
import json
import socket
import subprocess
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest

from handrail.features.browser.chromium.paired import Chromium
from handrail.features.browser.launching import EXTENSION_FOLDER, chromium_program
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.stores.local.trust import TrustFile
from tests.e2e.console_person import up
from tests.e2e.test_browser import number_of
from tests.effort import first_of
from tests.persons import Person
from tests.waiting import until
from tests.wire.browsing import Agent, Outcome
from tests.wire.clients import HANDRAIL, Stdio, Up
from tests.wire.stage import furnish, put

T = TypeVar("T")
EXTENSION_ID = EXTENSION_ORIGIN.removeprefix("chrome-extension://")
ALLOWED = ("127.0.0.1", "localhost", "*.localhost", "::1", "0.0.0.0")

BUTTON = '<!doctype html><title>Dev</title><button onclick="{}">Go</button>'
MANY_WAYS = {
    "popup": BUTTON.format("window.open('{console}')"),
    "named window": BUTTON.format("window.open('{console}', 'x', 'width=500,height=500')"),
    "script": BUTTON.format("location = '{console}'"),
    "link": '<!doctype html><title>Dev</title><a href="{console}">Go</a>',
    "link to a new tab": '<!doctype html><title>Dev</title><a href="{console}" target="_blank">Go</a>',
    "link without opener": '<!doctype html><title>Dev</title><a href="{console}" target="_blank" rel="noopener">Go</a>',
    "form": '<!doctype html><title>Dev</title><form action="{console}"><button>Go</button></form>',
    "late redirect": BUTTON.format("location = '/redirect'"),
    "popup with a redirect": BUTTON.format("window.open('/redirect')"),
    "worker that redirects": BUTTON.format(
        "navigator.serviceWorker.register('/worker.js', { scope: '/through' }).then(({ installing: worker }) => "
        "worker.onstatechange = () => worker.state === 'activated' && (location = '/through-the-worker'))"
    ),
    "window that is led on": BUTTON.format("w = window.open('about:blank'); w.location = '{console}'"),
    "page of its own making": BUTTON.format(
        "location = URL.createObjectURL(new Blob(['<a href={console}>x</a><script>location=`{console}`</script>'], "
        "{ type: 'text/html' }))"
    ),
    "object": BUTTON.format(
        "document.body.innerHTML += '<object data={console} width=900 height=900></object><embed src={console}>'"
    ),
    "download": '<!doctype html><title>Dev</title><a href="{console}" download="x.html">Go</a>',
    "frame of its own text": BUTTON.format(
        "document.body.innerHTML += '<iframe width=900 height=900 srcdoc=`<a href={console} target=_top>x</a>"
        "<iframe src={console}></iframe><script>top.location=\\'{console}\\'</script>`></iframe>'"
    ),
    "page loaded ahead": '<!doctype html><title>Dev</title><script type=speculationrules>{"prerender":'
    '[{"urls":["{console}"],"eagerness":"immediate"}],"prefetch":[{"urls":["{console}"]}]}</script>'
    '<a href="{console}">Go</a>',
    "drawing": '<!doctype html><title>Dev</title><svg><a href="{console}"><text y=20>Go</text></a></svg>',
    "map": "<!doctype html><title>Dev</title><img usemap=#m width=99 height=99><map name=m><area coords=0,0,99,99 "
    'href="{console}" alt=Go></map><button onclick="document.querySelector(`area`).click()">Go</button>',
    "window that leads its opener": BUTTON.format(
        "w = window.open('about:blank'); w.eval('setTimeout(() => opener.location = `{console}`, 50)')"
    ),
    "way back": BUTTON.format("location = '/hop'; setTimeout(() => history.back(), 300)"),
    "sent form that is led on": "<!doctype html><title>Dev</title><form method=post action=/redirect><button>Go</form>",
    "word for the window": BUTTON.format("navigation.navigate('{console}')"),
    "shared worker": BUTTON.format(
        "new SharedWorker(URL.createObjectURL(new Blob(['fetch(`{console}`, {mode: `no-cors`, credentials: `include`})'"
        "])));open('{console}#x', '_self')"
    ),
    "frame made by script": BUTTON.format(
        "f = document.createElement('iframe'); f.src = '{console}'; f.width = f.height = 900; document.body.append(f)"
    ),
}


class Pages(BaseHTTPRequestHandler):
    """The agent's own development server, which serves whatever helps the agent."""

    console: ClassVar[str] = ""

    def do_GET(self) -> None:
        name = self.path.strip("/").replace("-", " ")
        if name == "redirect":
            self.send_response(302)
            self.send_header("Location", self.console)
            self.end_headers()
            return
        if name == "hop":
            refresh = f'<!doctype html><meta http-equiv="refresh" content="0;url={self.console}">'
            self._send("text/html", refresh)
            return
        if name == "worker.js":
            worker = f"onfetch = (e) => e.respondWith(Response.redirect('{self.console}'))"
            self._send("text/javascript", worker)
            return
        pages = {
            **MANY_WAYS,
            "refresh": '<!doctype html><meta http-equiv="refresh" content="0;url={console}">',
            "frame": '<!doctype html><title>Dev</title><iframe src="{console}" width=900 height=900></iframe>',
        }
        body = pages.get(name, "<!doctype html><title>Dev</title><p>Hello<button>Stay</button>")
        self._send("text/html; charset=utf-8", body.replace("{console}", self.console))

    do_POST = do_GET  # noqa: N815 - the name is the server's

    def _send(self, kind: str, body: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


class PersonsBrowser:
    """The person's own Chromium with the extension, with the person's tabs and those of tasks."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        program = chromium_program()
        assert program is not None
        profile = state / "chromium"
        self._chromium = self._wait(Chromium.start(program, profile, EXTENSION_FOLDER, has_display=False))
        code, _, server = self._handrail("extension", "pair").split()
        self._wait(self._chromium.pair(server, code))

    def opens_the_console(self) -> None:
        link = self._handrail("open", "--print")
        self._wait(self._chromium._pipe.ask("Target.createTarget", url=link))
        until((self._state / "sessions.json").exists, "the person is not signed in")

    def tabs(self) -> list[str]:
        targets = self._wait(self._chromium._pipe.ask("Target.getTargets"))["targetInfos"]
        return [target["url"] for target in targets if target["type"] == "page"]

    def _handrail(self, *words: str) -> str:
        command = [HANDRAIL, *words, "--state", str(self._state)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def close(self) -> None:
        self._wait(self._chromium.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


class Attack:
    """A signed-in person, an agent that is allowed on its development server, and another agent's pending question."""

    def __init__(self, folder: Path, site: str) -> None:
        self.project, self.state, self.site = folder / "project", folder / "state", site
        self.project.mkdir()
        furnish(self.project)
        self.up = Up(self.project, self.state)
        self.console = str(self.up.http.base_url).rstrip("/") + "/"
        self.port = int(self.console.rsplit(":", 1)[1].strip("/"))
        Pages.console = self.console
        self.browser = PersonsBrowser(self.state)
        self.browser.opens_the_console()
        rules = [f'[[rules]]\neffect = "UI_CONTROL"\nhost = "{host}"\ndecision = "allow"\n' for host in ALLOWED]
        rules.append('[[rules]]\ntool = "task_start"\ndecision = "allow"\n')
        rules.append('[[rules]]\neffect = "UI_CONTROL"\ndecision = "allow"\n')
        (self.state / "config.toml").write_text("\n".join(rules))
        self._client, self._victim = Stdio(self.project, self.state), Stdio(self.project, self.state)
        self.agent = Agent(self._client)
        self._pool = ThreadPoolExecutor(1)
        change = {"path": "game/config.txt", "find": "Game_name", "replace": "Stolen"}
        self.write = self._pool.submit(self._victim.call, "replace_in_file", change)
        self.question = Person(self.state).sees()["requestId"]

    @property
    def is_answered(self) -> bool:
        return all(each["requestId"] != self.question for each in Person(self.state).pending())

    def start(self, path: str = "") -> None:
        self.agent.ok("task_start", url=f"{self.site}{path}")

    def presses_allow(self) -> None:
        """Everything that an agent can do in its tabs."""
        tabs = (self.agent.call("browser_tabs").result or {}).get("tabs", [])
        for tab in tabs:
            message = self.agent.call("browser_dom_index", tabId=tab["tabId"])
            for element in (message.result or {}).get("elements", []):
                if "Allow" in str(element):
                    self.agent.call("browser_click", tabId=tab["tabId"], clickId=element["clickId"])

    def close(self) -> None:
        if not self.is_answered:
            Person(self.state).answers("--cancel")
        self.write.result()
        self._pool.shutdown()
        self._client.close()
        self._victim.close()
        self.browser.close()
        self.up.close()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def attack(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attack]:
    attack = Attack(tmp_path_factory.mktemp("attack"), site)
    yield attack
    attack.close()


@pytest.fixture(autouse=True)
def untouched(attack: Attack) -> Iterator[None]:
    """After every attack, the question is still pending and nothing was written."""
    yield
    attack.presses_allow()
    assert not attack.is_answered
    assert not attack.write.done()
    attack.agent.call("task_stop", closeTab=True)


def own(told: Outcome) -> bool:
    return told.code == "FORBIDDEN" and (told.error or {})["details"]["context"].get("reason") == "own"


@pytest.mark.trial("browsers", is_long=True)
def test_an_agent_allowed_on_its_own_server_can_not_press_allow_in_the_console(attack: Attack) -> None:
    attack.start()
    message = attack.agent.call("browser_navigate", url=attack.console)
    attack.presses_allow()
    assert not attack.is_answered
    assert own(message), message


SPELLINGS = (
    "localhost", "LOCALHOST", "localhost.", "127.0.0.1.", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]",
    "0.0.0.0", "foo.localhost", "127.0.0.2", "[::]",
)  # fmt: skip
ONLY_FOR_BROWSERS = ("127.1", "0x7f.1", "2130706433", "0177.0.0.1", "%6cocalhost", "[::1%25lo]", "u@127.0.0.1")


@pytest.mark.parametrize("tool", first_of("own pages", ("browser_navigate",), ("task_start",), ("browser_tab_open",)))
def test_no_spelling_of_the_console_is_opened(attack: Attack, tool: str) -> None:
    attack.start()
    for host in SPELLINGS:
        message = attack.agent.call(tool, url=f"http://{host}:{attack.port}/")
        assert own(message), (host, message)
    for host in ONLY_FOR_BROWSERS:
        assert attack.agent.code(tool, url=f"http://{host}:{attack.port}/") == "BAD_REQUEST"


SCHEMES = (
    "view-source:{console}", "blob:{console}1b4e28ba", "javascript:location='{console}'", "feed:{console}",
    "data:text/html,<meta http-equiv=refresh content='0;url={console}'>", "view-source:view-source:{console}",
    "devtools://devtools/bundled/inspector.html?ws=127.0.0.1:{port}", "chrome://inspect", "chrome://extensions",
    "chrome-extension://{id}/confirm.html", "chrome-extension://{id}/options.html", "chrome-untrusted://print/",
    "filesystem:{console}temporary/x", "file://{state}/console.key", "file://{state}/server.json",
    "about:blank/{console}",
)  # fmt: skip


@pytest.mark.parametrize("tool", first_of("own pages", ("browser_navigate",), ("task_start",), suite=0))
def test_no_scheme_leads_to_the_console_the_extension_or_the_state(attack: Attack, tool: str) -> None:
    attack.start()
    secrets = [(attack.state / name).read_text().strip() for name in ("console.key", "server.json")]
    known = {"console": attack.console, "port": attack.port, "id": EXTENSION_ID, "state": attack.state}
    for scheme in SCHEMES:
        message = attack.agent.call(tool, url=scheme.format(**known))
        seen = [attack.agent.call(each) for each in ("browser_get_html", "browser_readability_extract")]
        assert message.code is not None, (scheme, message)
        assert "Allow" not in str(seen)
        assert not any(secret in str(seen) for secret in secrets), scheme


@pytest.mark.trial("own pages", is_long=True)
def test_no_tab_of_the_person_can_be_named(attack: Attack) -> None:
    attack.start()
    (tab,) = (attack.agent.ok("browser_tabs").result or {})["tabs"]
    for number in range(max(1, tab["tabId"] - 12), tab["tabId"] + 12):
        if number != tab["tabId"]:
            for tool in ("browser_dom_index", "browser_tab_switch", "browser_reload"):
                assert attack.agent.call(tool, tabId=number).code is not None, (tool, number)


@pytest.mark.parametrize(
    "how",
    first_of("own pages", ({"modifiers": ["Control"]},), ({"button": "middle"},), ({"modifiers": ["Shift"]},), suite=0),
)
def test_no_kind_of_click_opens_the_console_in_another_tab(attack: Attack, how: dict[str, Any]) -> None:
    attack.start("link")
    attack.agent.call("browser_click", clickId=number_of(attack.agent, "Go"), **how)
    attack.presses_allow()
    tabs = (attack.agent.ok("browser_tabs").result or {})["tabs"]
    assert [tab.get("url") for tab in tabs if str(attack.port) in str(tab.get("url"))] == []


@pytest.mark.trial("own pages", is_long=True)
def test_a_host_name_that_resolves_to_this_machine_is_refused(attack: Attack) -> None:
    attack.start()
    attack.agent.call("browser_navigate", url=f"http://{socket.gethostname()}:{attack.port}/")


@pytest.mark.parametrize("path", ["redirect", "refresh"])
def test_a_page_that_leads_to_the_console_ends_in_an_empty_tab(attack: Attack, path: str) -> None:
    attack.start()
    attack.agent.call("browser_navigate", url=f"{attack.site}{path}")
    attack.presses_allow()
    for tool in ("browser_readability_extract", "browser_screenshot", "browser_get_html", "browser_dom_index"):
        assert "Allow" not in str(attack.agent.call(tool))


@pytest.mark.parametrize("way", first_of("own pages", *((way,) for way in MANY_WAYS)))
def test_no_navigation_of_a_page_reaches_the_console(attack: Attack, way: str) -> None:
    attack.start(way.replace(" ", "-"))
    attack.agent.call("browser_click", clickId=number_of(attack.agent, "Go"))
    attack.presses_allow()
    tabs = (attack.agent.ok("browser_tabs").result or {})["tabs"]
    assert [tab.get("url") for tab in tabs if str(attack.port) in str(tab.get("url"))] == []


def test_the_console_is_shown_in_no_frame(attack: Attack) -> None:
    attack.start("frame")
    attack.presses_allow()
    assert "Allow" not in str(attack.agent.call("browser_dom_index"))
    headers = attack.up.http.get("/", headers={"Authorization": ""}).headers
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]


def test_a_tab_of_the_person_that_shows_the_console_joins_no_task(attack: Attack) -> None:
    for params in ({}, {"url": attack.console}):
        attack.agent.call("task_start", reuseExistingTab=True, **params)
        attack.presses_allow()
        assert not attack.is_answered


def test_another_server_of_the_same_user_is_no_target_either(attack: Attack, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    with up(tmp_path / "project", tmp_path / "state") as other:
        attack.start()
        assert own(attack.agent.call("browser_navigate", url=f"http://localhost:{other.port}/"))
    attack.start()


def test_pages_on_other_ports_are_not_mistaken_for_the_console(attack: Attack) -> None:
    attack.start()
    assert "Hello" in str(attack.agent.ok("browser_readability_extract").result)
    stay = number_of(attack.agent, "Stay")
    attack.agent.ok("browser_click", clickId=stay)


def test_the_persons_own_console_tab_keeps_working(attack: Attack) -> None:
    assert any(url.startswith(attack.console) for url in attack.browser.tabs())


@pytest.mark.trial("browsers", is_long=True)
def test_the_browser_for_previews_does_not_open_the_console(attack: Attack, tmp_path: Path) -> None:
    project, state = tmp_path / "project", tmp_path / "state"
    policy = put(project, ".handrail/policy.json", '{"mode": "developer"}')
    agent = Stdio(project, state, answer="allow")
    TrustFile(state).add(policy.read_bytes(), str(policy))
    try:
        for host in ("127.0.0.1", "localhost"):
            message = agent.call("browser_action", {"action": "open", "url": f"http://{host}:{attack.port}/"})
            assert message.code == "E_POLICY_VIOLATION"
            assert "handrail itself" in str(message.error)
        message = agent.call("browser_action", {"action": "open", "url": f"{attack.site}redirect"})
        assert message.code == "E_POLICY_VIOLATION"
        assert "handrail itself" in str(message.error)
        assert agent.call("browser_action", {"action": "open", "url": attack.site}).result == {"ok": True}
    finally:
        agent.close()


@pytest.mark.trial("own pages", is_long=True)
def test_no_app_leads_to_the_api(attack: Attack, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    tool = {"name": "ask", "description": "Ask.", "parameters": {"type": "object", "properties": {}}}
    app = {
        "schema_version": "1.0",
        "app": {"id": "com.example.trojan", "name": "Trojan", "description": "Leads to handrail."},
        "execution": {"type": "http", "base_url": attack.console.rstrip("/")},
        "tools": [{**tool, "execution": {"path": "/health", "method": "GET"}}],
    }
    put(tmp_path / "home", ".aai/com.example.trojan/aai.json", json.dumps(app))
    agent = Stdio(tmp_path / "project", tmp_path / "state", answer="allow", environ={"HOME": str(tmp_path / "home")})
    try:
        message = Agent(agent).call("apps_call", app="com.example.trojan", tool="ask", params={})
        assert message.code == "PERMISSION_DENIED"
        assert "handrail itself" in str(message.error)
    finally:
        agent.close()
