"""The browser's tools in a real Chromium, launched and paired like a person does it, with the real server."""

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from handrail.features.browser.bus.protocol import fingerprint
from handrail.features.browser.launching import EXTENSION_FOLDER
from tests.browser_place import FREE, Place, processes_of
from tests.persons import Person
from tests.waiting import until
from tests.wire.browsing import Agent
from tests.wire.clients import Api, Stdio, Up, run

OTHER = "other.localhost"
DENIED = {"tool": "*", "host": OTHER, "decision": "deny"}
PNG = b"\x89PNG\r\n\x1a\n"
HOME = b"""<!doctype html><title>Home</title><h1>Welcome</h1>
<p>These are some words that somebody might want to read, and there are enough of them to count as a text.</p>
<label>Name <input></label>
<button onclick="document.querySelector('output').textContent = 'Hello ' + document.querySelector('input').value">Greet
</button> <output></output> <a href="/away">Leave</a>"""


class Pages(BaseHTTPRequestHandler):
    """`/away` redirects to the same server under its other name, a different host; `/round` goes there and back."""

    home: ClassVar[str] = ""
    elsewhere: ClassVar[str] = ""
    asked: ClassVar[list[str]] = []
    """Which addresses were asked for, by host and path."""

    def do_GET(self) -> None:
        self.asked.append(f"{self.headers['Host'].partition(':')[0]}{self.path}")
        leads_to = {"/away": self.elsewhere, "/round": self.elsewhere + "/back", "/elsewhere/back": self.home}
        if self.path in leads_to:
            self.send_response(302)
            self.send_header("Location", leads_to[self.path])
            self.end_headers()
            return
        framing = f'<!doctype html><title>Framing</title><p>around</p><iframe src="{self.elsewhere}"></iframe>'.encode()
        pages = {"/elsewhere": b"<!doctype html><title>Elsewhere</title><p>secret", "/framing": framing}
        body = pages.get(self.path, HOME)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    Pages.home = f"http://127.0.0.1:{server.server_port}/"
    Pages.elsewhere = f"http://{OTHER}:{server.server_port}/elsewhere"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def place(site: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("browser"), site)
    yield place
    assert place.close() == 128 + signal.SIGINT
    until(lambda: not processes_of(place.state / "chromium"))


@pytest.fixture
def agent(place: Place) -> Agent:
    """Opens the page, where the agent may act without a question."""
    place.rules(FREE)
    agent = Agent(Api(place.up))
    agent.ok("task_start", url=place.site)
    return agent


def number_of(agent: Agent, name: str) -> str:
    elements = (agent.ok("browser_dom_index").result or {})["elements"]
    return str(next(element["clickId"] for element in elements if element["name"] == name))


def test_an_agent_reads_a_page_fills_in_a_form_and_sees_what_changed(agent: Agent) -> None:
    assert "somebody might want to read" in (agent.ok("browser_readability_extract").result or {})["markdown"]
    agent.ok("browser_type", clickId=number_of(agent, "Name"), text="Ada 世界")
    changes = (agent.ok("browser_click", clickId=number_of(agent, "Greet")).result or {})["changes"]
    assert any("Hello Ada 世界" in line for line in changes["added"])
    assert (agent.ok("browser_find_text", text="Hello Ada").result or {})["total"] == 1


@pytest.mark.trial("browsers", is_long=True)
def test_over_stdio_the_same_browser_answers_with_a_picture(place: Place) -> None:
    place.rules(FREE)
    client = Stdio(place.project, place.state)
    agent = Agent(client)
    agent.ok("task_start", url=place.site)
    result = agent.ok("browser_screenshot")
    assert [image["mimeType"] for image in result.images] == ["image/png"]
    assert agent.ok("browser_dom_index").text.count("\n") < 10
    client.close()


@pytest.mark.trial("browsers", is_long=True)
def test_a_redirect_to_a_denied_host_reveals_nothing_about_it(place: Place, agent: Agent) -> None:
    place.rules(FREE, DENIED)
    result = agent.call("browser_navigate", url=f"{place.site}away")
    assert result.code == "FORBIDDEN"
    assert "secret" not in str(result.error)
    assert "about:blank" in [tab["url"] for tab in (agent.ok("browser_tabs").result or {})["tabs"]]
    assert "secret" not in str(agent.call("browser_readability_extract"))


@pytest.mark.trial("browsers", is_long=True)
def test_a_denied_host_in_the_middle_of_a_chain_ends_it(place: Place, agent: Agent) -> None:
    place.rules(FREE, {**FREE, "host": OTHER})
    result = agent.ok("browser_navigate", url=f"{place.site}round").result or {}
    assert result["hops"] == [f"{place.site}round", f"{Pages.elsewhere}/back"]
    assert result["url"] == place.site
    place.rules(FREE, DENIED)
    assert agent.code("browser_navigate", url=f"{place.site}round") == "FORBIDDEN"
    assert "about:blank" in [tab["url"] for tab in (agent.ok("browser_tabs").result or {})["tabs"]]
    refused = agent.call("browser_dom_index").error or {}
    assert refused["code"] == "INVALID_TARGET"
    assert "browser_navigate" in str(refused)


def test_a_denied_host_gets_no_request(place: Place, agent: Agent) -> None:
    place.rules(FREE, DENIED)
    Pages.asked.clear()
    assert agent.code("browser_navigate", url=f"{place.site}away") == "FORBIDDEN"
    agent.ok("browser_navigate", url=place.site)
    assert agent.code("browser_click", clickId=number_of(agent, "Leave")) == "FORBIDDEN"
    agent.ok("browser_navigate", url=f"{place.site}framing")
    page = agent.ok("browser_page").result or {}
    assert page["lines"] == ["around"]
    assert [address for address in Pages.asked if address.startswith(OTHER)] == []
    assert "127.0.0.1/away" in Pages.asked


@pytest.mark.trial("browsers", is_long=True)
def test_a_frame_of_a_host_denied_later_is_neither_reported_nor_used(place: Place, agent: Agent) -> None:
    place.rules(FREE, {**FREE, "host": OTHER})
    agent.ok("browser_navigate", url=f"{place.site}framing")
    # the frame loads later than the page
    until(lambda: (agent.ok("browser_page").result or {})["lines"] == ["around", "secret"])
    secret = (agent.ok("browser_find_text", text="secret").result or {})["matches"][0]["clickId"]
    place.rules(FREE, DENIED)
    assert (agent.ok("browser_page").result or {})["lines"] == ["around"]
    assert (agent.ok("browser_find_text", text="secret").result or {})["total"] == 0
    assert agent.code("browser_click", clickId=secret) == "FORBIDDEN"


@pytest.mark.trial("browsers", is_long=True)
def test_a_link_to_a_host_that_is_asked_about_waits_for_a_person(place: Place, agent: Agent) -> None:
    place.rules(FREE, {"tool": "*", "host": OTHER, "decision": "ask"})
    link = number_of(agent, "Leave")
    with ThreadPoolExecutor(1) as pool:
        clicked = pool.submit(agent.call, "browser_click", clickId=link)
        assert OTHER in Person(place.state).answers("--ok")["prompt"]["title"]
        assert (clicked.result().result or {})["changes"]["navigated"] == Pages.elsewhere


def test_the_question_shows_the_page_with_the_target_element(place: Place, agent: Agent) -> None:
    button = number_of(agent, "Greet")
    place.rules()
    with ThreadPoolExecutor(1) as pool:
        clicked = pool.submit(agent.call, "browser_click", clickId=button)
        prompt = Person(place.state).answers("--ok")["prompt"]
        assert clicked.result().error is None
    assert prompt["title"] == f'Click button "Greet" at {place.site}'
    (image,) = prompt["images"]
    assert "outlined" in image["alt"]
    assert Path(image["path"]).read_bytes().startswith(PNG)


def test_a_form_is_filled_in_after_one_question_that_shows_every_value(place: Place, agent: Agent) -> None:
    name = number_of(agent, "Name")
    place.rules()
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(agent.call, "browser_fill", fields=[{"clickId": name, "value": "Grace"}])
        prompt = Person(place.state).answers("--ok")["prompt"]
        result = pending.result()
    assert prompt["title"] == f'Fill in {name}: "Grace" at {place.site}'
    assert result.error is None, result.error
    assert (result.result or {})["filled"] == [name]
    page = agent.ok("browser_page").result or {}
    assert f"[{name} textbox Name = Grace]" in " ".join(page["lines"])


def test_an_element_of_a_closed_page_never_resolves_to_another_one(place: Place, agent: Agent) -> None:
    button = number_of(agent, "Greet")
    agent.ok("browser_reload")
    assert agent.code("browser_click", clickId=button) == "INVALID_TARGET"


def test_the_extension_is_in_the_folder_that_the_command_prints(tmp_path: Path) -> None:
    result = run("extension", "path", "--state", tmp_path)
    assert json.loads((Path(result.stdout.strip()) / "manifest.json").read_text())["manifest_version"] == 3


def test_without_a_server_nothing_is_launched(tmp_path: Path) -> None:
    result = run("extension", "launch", "--state", tmp_path)
    assert result.returncode == 1
    assert "handrail up" in result.stderr


_LAUNCH = """
import sys
from pathlib import Path
from handrail.features.browser import launching
launching.EXTENSION_FOLDER = Path(sys.argv.pop(1))
from handrail.__main__ import main
main()
"""


@pytest.mark.trial("browsers", is_long=True)
def test_a_real_extension_of_another_version_is_asked_to_update(tmp_path: Path) -> None:
    project, state, old = tmp_path / "project", tmp_path / "state", tmp_path / "extension"
    project.mkdir()
    shutil.copytree(EXTENSION_FOLDER, old)
    worker = (old / "worker.js").read_text()
    assert fingerprint() in worker, "build the extension"
    (old / "worker.js").write_text(worker.replace(fingerprint(), "0" * 16))
    up = Up(project, state)
    launch = ["extension", "launch", "--headless", "--state", str(state)]
    browser = subprocess.Popen([sys.executable, "-c", _LAUNCH, str(old), *launch], stdout=subprocess.PIPE)
    try:
        assert up.process.stderr is not None
        assert b"Update the handrail extension" in up.process.stderr.readline()
        plugins = up.http.get("/api/extension/extension-list").json()["data"]
        assert not any(plugin["socketConnected"] for plugin in plugins)
    finally:
        browser.send_signal(signal.SIGINT)
        browser.communicate(timeout=30)
        up.close()
