"""Serves the pages of MiniWoB++ from PyPI with a seed and a longer time limit; they report each episode's reward."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

_TOLD = """<script>
core.EPISODE_MAX_TIME = 1e8;
Math.seedrandom(core.QueryString["seed"]);
const endEpisode = core.endEpisode;
core.endEpisode = function (reward, isTimed, why) {
  const before = WOB_EPISODE_ID;
  endEpisode.apply(this, arguments);
  if (WOB_EPISODE_ID === before) return;
  const told = { page: location.search, reward: WOB_RAW_REWARD_GLOBAL, why };
  fetch("/reward", { method: "POST", body: JSON.stringify(told) });
};
</script></html>"""


class Reward(NamedTuple):
    value: float
    why: str | None


class Site:
    def __init__(self, address: str, rewards: "SimpleQueue[dict[str, Any]]") -> None:
        self._address = address
        self._rewards = rewards
        self._episode = 0

    def episode(self, name: str, seed: int) -> str:
        self._episode += 1
        return f"{self._address}/miniwob/{name}.html?episode={self._episode}&seed={name}-{seed}"

    def reward(self, patience: float) -> Reward | None:
        """Returns the reward of the latest episode, None if it isn't over in time."""
        try:
            while True:
                told = self._rewards.get(timeout=patience) if patience else self._rewards.get_nowait()
                if parse_qs(urlsplit(told["page"]).query)["episode"] == [str(self._episode)]:
                    return Reward(float(told["reward"]), told.get("why"))
        except Empty:
            return None


class _Pages(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, rewards: "SimpleQueue[dict[str, Any]]", *args: Any, **more: Any) -> None:
        self._rewards = rewards
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html" or path.parent.name != "miniwob" or not path.is_file():
            return super().do_GET()
        page = path.read_text().replace("</html>", "") + _TOLD
        return self._answer(page.encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        self._rewards.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer(b"{}", "application/json")

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _folder() -> Path:
    """Locates the package without importing it, which would load training libraries."""
    package = find_spec("miniwob")
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "html"
    assert folder.is_dir(), "another module of this name is found first"
    return folder


def all_pages() -> set[str]:
    return {path.stem for path in _folder().glob("miniwob/*.html")}


@contextmanager
def served() -> Iterator[Site]:
    rewards: SimpleQueue[dict[str, Any]] = SimpleQueue()
    handler = partial(_Pages, rewards, directory=str(_folder()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Site(f"http://127.0.0.1:{server.server_port}", rewards)
    finally:
        server.shutdown()
        server.server_close()
