"""The pages that all participants drive: a given number of rows, each with a button, link or field."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_WORDS = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "jetty", "knoll", "larch")
_HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Orders</title><style>
body{font:15px sans-serif;margin:0}
header{position:sticky;top:0;background:#fff;border-bottom:1px solid #ccc;padding:8px}
li{display:flex;gap:16px;align-items:center;height:40px}p{margin:0;width:28em}h1{font-size:18px;margin:0}
</style><header><h1>Orders</h1><output role="status">Nothing yet</output></header><main><ul>"""
_TAIL = """</ul></main><script>
const said = document.querySelector("output");
document.addEventListener("click", ({ target }) => {
  if (target.matches("button")) said.textContent = `Shipped ${target.textContent.slice(5)}`;
});
</script></html>"""

CLICKED = tuple(range(0, 15, 5))
"""Rows with a button that are in everyone's viewport; `TYPED` are rows with a field."""
TYPED = tuple(range(4, 15, 5))


def name(row: int) -> str:
    """The name of the row's element in an index."""
    return f"{_VERBS[row % len(_VERBS)]} {_order(row)}"


_VERBS = ("Ship", "Ship", "Open", "Ship", "Note for")


def _order(row: int) -> str:
    return f"{_WORDS[row % len(_WORDS)]} {row}"


def _row(row: int) -> str:
    label = name(row)
    element = {
        "Ship": f'<button type="button">{label}</button>',
        "Open": f'<a href="#{row}">{label}</a>',
        "Note for": f'<input type="text" aria-label="{label}">',
    }[_VERBS[row % len(_VERBS)]]
    return f"<li><p>Order {_order(row)}, {row % 7 + 1} pieces, paid and packed</p>{element}</li>"


def html(count: int) -> str:
    return _HEAD + "".join(map(_row, range(count))) + _TAIL


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        count = self.path.removeprefix("/")
        body = html(int(count)).encode() if count.isdecimal() else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr."""


@contextmanager
def serve() -> Iterator[str]:
    """Yields the address; `/50` has fifty elements."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    serving = threading.Thread(target=site.serve_forever)
    serving.start()
    try:
        yield f"http://127.0.0.1:{site.server_port}"
    finally:
        site.shutdown()
        serving.join()
        site.server_close()
