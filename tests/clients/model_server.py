"""A model on loopback that plays a script and records its requests."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.clients.script import Script, Turn
from tests.clients.wires import WHOLE, Request, Wire


class Model:
    """`requests` has every request, including those about titles and models; `script` has the conversation."""

    def __init__(self, wire: Wire, turns: Sequence[Turn]) -> None:
        self.wire = wire
        self.script = Script(turns)
        self.requests: list[Request] = []
        self.url = ""

    @property
    def conversation(self) -> list[Request]:
        """The requests that the script answered."""
        return [each for each in self.requests if self.wire.agent_request(each) is not None]


@contextmanager
def serving(wire: Wire, turns: Sequence[Turn]) -> Iterator[Model]:
    model = Model(wire, turns)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                body = json.loads(content or b"{}")
            except ValueError:
                body = {}
            request = Request(self.command, urlsplit(self.path).path, dict(self.headers), body)
            model.requests.append(request)
            question = wire.agent_request(request)
            if question is None:
                self.send("application/json", json.dumps(wire.other(request)).encode())
                return
            events = list(wire.events(request, model.script.answer(question)))
            if events[0][0] == WHOLE:
                self.send("application/json", json.dumps(events[0][1]).encode())
                return
            lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events]
            self.send("text/event-stream", "".join(lines).encode())

        def send(self, kind: str, content: bytes) -> None:
            with suppress(ConnectionError):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

        do_GET = do_POST = do_HEAD = do_PUT = do_OPTIONS = answer  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """The tests read `requests` instead."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        model.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield model
        finally:
            server.shutdown()
