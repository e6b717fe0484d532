"""What calls itself Terre is asked on this machine and nowhere else, and leaves nothing behind."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from handrail.backends.terre.finding import TerreFinder
from handrail.backends.terre.site import TerreSite


@pytest.fixture
def leading_on() -> Iterator[tuple[int, list[str]]]:
    """A server that leads each question on to another place, and the questions that came there."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/elsewhere"):
                asked.append(self.path)
            self.send_response(302)
            self.send_header("location", f"/elsewhere{self.path}")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *line: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def test_what_leads_elsewhere_is_no_terre_and_is_not_followed(leading_on: tuple[int, list[str]]) -> None:
    port, asked = leading_on
    assert asyncio.run(TerreFinder(port, "/").find("game")) is None
    assert asked == []


def test_a_screen_that_is_closed_is_not_kept() -> None:
    site = TerreSite("127.0.0.1:1", "demo", "demo")
    site.open_screen().close()
    site.open_screen()
    assert len(site._screens) == 1
    asyncio.run(site.close())
    assert not site._screens
