"""A read of a server's tool through the gateway, and of the same server directly: both over stdio, alternately."""

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from bench.budget import Budget
from bench.mcp_client import Client
from bench.stdio import NODE, PEER

_ROOT = Path(__file__).parents[1]
_READS = 1000
_TOOLS = ("files__read_text_file", "read_text_file")


def measure() -> list[Budget]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-") as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        state.mkdir(mode=0o700)
        (state / "config.toml").write_text('presence = "never"\n')
        file = project / "file.txt"
        file.write_text("x" * 1024)
        handrail, peer = str(_ROOT / ".venv/bin/handrail"), [str(NODE), str(PEER), str(project)]
        words = [handrail, "servers", "add", "files", "--yes", "--state", str(state), "--", *peer]
        subprocess.run(words, cwd=project, check=True, stdout=subprocess.DEVNULL)
        ours = [handrail, "mcp", "--alone", "--project", str(project), "--state", str(state)]
        through, direct = _reads(Client(ours), Client(peer), str(file))
    name = "an allowed read of a server's tool through the gateway, p50"
    return [Budget(name, "the same server directly", through, direct, through - direct, 1.5)]


def _reads(through: Client, direct: Client, path: str) -> tuple[float, float]:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_READS):
        for client, tool, samples in zip(
            (through, direct), ("files__read_text_file", "read_text_file"), times, strict=True
        ):
            started = time.perf_counter()
            response = client.request("tools/call", {"name": tool, "arguments": {"path": path}})
            samples.append((time.perf_counter() - started) * 1000)
            assert not response.get("isError")
    through.close()
    direct.close()
    return statistics.median(times[0][_READS // 10 :]), statistics.median(times[1][_READS // 10 :])
