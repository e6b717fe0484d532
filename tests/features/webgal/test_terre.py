"""A program that claims to be Terre is only contacted on this machine, and unexpected answers are harmless."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from handrail.features.webgal.backends.terre import editor
from handrail.features.webgal.backends.terre.editor import TerreFinder, TerreSite


@pytest.fixture
def leading_on() -> Iterator[tuple[int, list[str]]]:
    """A server that leads each question on to another place, and the questions that came there."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/elsewhere"):
                requests.append(self.path)
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
        yield server.server_port, requests
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def test_a_redirecting_server_is_not_terre_and_is_not_followed(leading_on: tuple[int, list[str]]) -> None:
    port, requests = leading_on
    assert asyncio.run(TerreFinder(port, "/").find("game")) is None
    assert requests == []


STRANGERS = {
    "silent": (b"", True),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", False),
    "hangs up": (b"", False),
    "a page for everything": (b"HTTP/1.1 200 OK\r\n\r\n<title>OK</title>", False),
    "a list for everything": (b'HTTP/1.1 200 OK\r\n\r\n["OK", {"dir": 1}]', False),
    "no path": (b'HTTP/1.1 200 OK\r\n\r\n{"activeUserDataRoot": "OK\\u0000"}', False),
    "deep": (b'HTTP/1.1 200 OK\r\n\r\n"OK"' + b"[" * 100_000, False),
    "endless": (b"HTTP/1.1 200 OK\r\n\r\n" + b"OK" * (3 << 20), True),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_port_that_something_else_has_taken_has_no_terre(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, stays = STRANGERS[name]
    monkeypatch.setattr(editor, "_TIMEOUT_SECONDS", 0.2 if name == "silent" else 30)

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await writer.drain()
            while stays and await reader.read(1):
                pass
        writer.close()

    async def find() -> object:
        server = await asyncio.start_server(answered, "127.0.0.1", 0)
        try:
            return await TerreFinder(server.sockets[0].getsockname()[1], "/").find("game")
        finally:
            server.close()

    assert asyncio.run(find()) is None


def test_a_closed_screen_is_not_reused() -> None:
    site = TerreSite("127.0.0.1:1", "demo", "demo")
    site.open_screen().close()
    site.open_screen()
    assert len(site._screens) == 1
    asyncio.run(site.close())
    assert not site._screens
