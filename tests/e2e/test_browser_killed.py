"""The server or the extension is killed during a click, which runs at most once and is never reported as retryable."""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser_place import FREE, Place, processes_of
from tests.effort import chance, tries
from tests.waiting import until
from tests.wire.browsing import Agent, Outcome
from tests.wire.clients import Stdio, Up

PAGE = b"""<!doctype html><title>Order</title><h1>Order</h1>
<button onclick="fetch('/order', { method: 'POST' }).then(() => (said.textContent = 'Ordered'))">Order</button>
<p id="said">Nothing ordered</p>"""


class Shop(BaseHTTPRequestHandler):
    """`on_order` is called before an order is answered."""

    orders = 0
    on_order: Callable[[], None] = staticmethod(lambda: None)

    def do_GET(self) -> None:
        self._answer(PAGE)

    def do_POST(self) -> None:
        type(self).orders += 1
        self.on_order()
        self._answer(b"")

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def no_orders() -> Iterator[None]:
    Shop.orders, Shop.on_order = 0, staticmethod(lambda: None)
    yield
    Shop.on_order = staticmethod(lambda: None)


@pytest.fixture(scope="module")
def place(shop: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("killed"), shop)
    place.rules(FREE)
    yield place
    place.close()


@pytest.fixture
def agent(place: Place) -> Iterator[Agent]:
    client = Stdio(place.project, place.state)
    agent = Agent(client)
    until(
        lambda: agent.call("task_start", url=place.site).error is None
    )  # the test before may have killed the connection of the browser
    yield agent
    client.close()


def button(agent: Agent) -> str:
    (number,) = [each["clickId"] for each in (agent.ok("browser_dom_index").result or {})["elements"]]
    return str(number)


def order(agent: Agent) -> Outcome:
    return agent.call("browser_click", clickId=button(agent))


def in_doubt(outcome: Outcome) -> None:
    """The error tells how to find out, and no part of it says that a retry is possible."""
    assert outcome.error is not None, outcome
    text = json.dumps(outcome.error)
    assert '"mayHaveBeenDone": true' in text
    assert '"retryable": true' not in text, text
    assert "ay have been done" in text
    assert "Look at" in text


def extension_processes(place: Place) -> list[int]:
    """Returns the processes that run the extension's worker and no page."""
    matches = []
    for pid in processes_of(place.state / "chromium"):
        command_line = Path(f"/proc/{pid}/cmdline")
        if command_line.exists() and b"--extension-process" in command_line.read_bytes():
            matches.append(int(pid))
    return matches


def kill_extension(place: Place) -> None:
    for pid in extension_processes(place):
        os.kill(pid, signal.SIGKILL)


def kill_server(place: Place) -> None:
    place.up.process.kill()


@pytest.mark.trial("browser-killed", is_long=True)
def test_a_click_during_which_the_extension_is_killed_may_have_been_done(place: Place, agent: Agent) -> None:
    Shop.on_order = staticmethod(lambda: kill_extension(place))
    in_doubt(order(agent))
    until(place.is_connected)
    assert "Ordered" in agent.ok("browser_page").text
    assert Shop.orders == 1


@pytest.mark.trial("browser-killed", is_long=True)
@pytest.mark.timeout(600)
def test_whenever_the_extension_is_killed_a_click_is_done_once_at_most(place: Place, agent: Agent) -> None:
    random = chance()
    for _ in range(tries(1, 20)):
        # A worker killed after its click still counts as connected for a moment.
        until(lambda: agent.call("browser_reload").error is None)
        before, number = Shop.orders, button(agent)
        killing = threading.Timer(random.uniform(0, 0.25), kill_extension, [place])
        killing.start()
        result = agent.call("browser_click", clickId=number)
        killing.join()
        until(place.is_connected)
        orders = Shop.orders - before
        assert orders <= 1
        if result.error is not None and orders:
            in_doubt(result)
        if result.result is not None:
            assert orders == 1


@pytest.mark.trial("browser-killed", is_long=True)
def test_a_click_during_which_the_server_is_killed_may_have_been_done(place: Place, agent: Agent) -> None:
    Shop.on_order = staticmethod(lambda: kill_server(place))
    in_doubt(order(agent))
    assert Shop.orders == 1
    place.up.kill()
    place.up = Up(place.project, place.state)
