"""The time from a changed line in the editor to its diagnostics, compared with the first check of the whole game.

Both over the language server's protocol, in wall-clock time, because a person waits.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.comparison import Comparison
from bench.webgal_check import scene

_ROUNDS, _CHANGES = 3, 9
_SCENES, _LINES = 1000, 40
_LAST = "zzz.txt"
"""It has a mistake and is checked last, so its diagnostics mean that the check is complete."""


class _Editor:
    def __init__(self, project: Path) -> None:
        command = [sys.executable, "-m", "handrail", "webgal", "lsp", "--state", str(project / "state")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._project = project

    def first_check(self) -> float:
        self._send("initialize", {"capabilities": {}, "rootUri": self._project.as_uri()}, number=1)
        while self._receive().get("id") != 1:
            continue
        started = time.perf_counter()
        self._send("initialized", {})
        self._wait_for(_LAST, None)
        return (time.perf_counter() - started) * 1000

    def changes(self, name: str) -> list[float]:
        """Changes one scene, a line at a time."""
        uri = self._uri(name)
        text = (self._project / "game" / "scene" / name).read_text(encoding="utf-8")
        item = {"uri": uri, "languageId": "webgal", "version": 0, "text": text}
        self._send("textDocument/didOpen", {"textDocument": item})
        self._wait_for(name, 0)
        return [self._change(uri, name, version) for version in range(1, _CHANGES + 1)]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _change(self, uri: str, name: str, version: int) -> float:
        start = {"line": _LINES // 2, "character": 0}
        change = {"range": {"start": start, "end": start}, "text": f"雪乃:改了第{version}次\n"}
        started = time.perf_counter()
        document = {"uri": uri, "version": version}
        self._send("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self._wait_for(name, version)
        return (time.perf_counter() - started) * 1000

    def _wait_for(self, name: str, version: int | None) -> None:
        expected = (self._uri(name), version)
        while (params := self._receive().get("params", {})) is not None:
            if (params.get("uri"), params.get("version")) == expected:
                return

    def _uri(self, name: str) -> str:
        return (self._project / "game" / "scene" / name).as_uri()

    def _send(self, method: str, params: Any, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> Any:
        stream = self._process.stdout
        assert stream is not None
        length = 0
        while line := stream.readline().strip():
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
        return json.loads(stream.read(length))


def measure() -> list[Comparison]:
    first, again = [], []
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project = Path(folder)
        _write_game(project)
        for _ in range(_ROUNDS):
            editor = _Editor(project)
            first.append(editor.first_check())
            again += editor.changes(f"scene{_SCENES // 2:04}.txt")
            editor.close()
    ours, theirs = statistics.median(again), statistics.median(first)
    return [Comparison("from an edit to its problems, 1,000 scenes", "the first check", ours, theirs, 1 / 5)]


def _write_game(project: Path) -> None:
    scenes = project / "game" / "scene"
    scenes.mkdir(parents=True)
    for number in range(_SCENES):
        (scenes / f"scene{number:04}.txt").write_text(scene(number, _LINES), encoding="utf-8")
    (scenes / _LAST).write_text("雪乃:没有分号\n", encoding="utf-8")
    for name in ("background/place{}.jpg", "figure/hero{}.png", "vocal/v{}.wav"):
        for number in range(200):
            file = project / "game" / name.format(number)
            file.parent.mkdir(exist_ok=True)
            file.touch()
