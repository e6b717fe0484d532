"""Starts a Chromium for each driver; all have the same flags, and ours also the extension."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

_FLAGS = (
    "--headless=new", "--remote-debugging-port=0", "--remote-allow-origins=*", "--window-size=1280,800",
    "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate,MediaRouter,OptimizationHints",
    "--silent-debugger-extension-api", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
    "--disable-breakpad", "--disable-domain-reliability", "--metrics-recording-only", "--password-store=basic",
    "--use-mock-keychain", "--disable-gpu", "--disable-dev-shm-usage", "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",
)  # fmt: skip
_START_SECONDS = 120.0
_END_SECONDS = 5.0


class Chromium:
    def __init__(self, pid: int, address: str) -> None:
        self.pid = pid
        self.address = address

    def targets(self, kind: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self.address}/json/list", timeout=10) as response:
            return [target for target in json.load(response) if target["type"] == kind]

    def open_tab(self, url: str) -> dict[str, Any]:
        request = urllib.request.Request(f"{self.address}/json/new?{url}", method="PUT")
        with urllib.request.urlopen(request, timeout=10) as response:
            target: dict[str, Any] = json.load(response)
            return target


@contextmanager
def start(extension: Path | None = None) -> Iterator[Chromium]:
    command = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if command is None:
        raise SystemExit("The browser benchmarks need chromium; $CHROMIUM names another one.")
    with tempfile.TemporaryDirectory(prefix="handrail-bench-", ignore_cleanup_errors=True) as profile:
        flags = [*_FLAGS, f"--user-data-dir={profile}"]
        flags += ["--no-sandbox"] * (os.geteuid() == 0)
        flags += [f"--load-extension={extension}"] if extension else []
        process = subprocess.Popen([command, *flags, "about:blank"], stderr=subprocess.DEVNULL)
        try:
            yield Chromium(process.pid, _address(Path(profile, "DevToolsActivePort"), process))
        finally:
            process.terminate()
            process.wait(20)
            _empty(Path(profile))


def _empty(profile: Path) -> None:
    """Processes of the browser may still write there for a moment after it has ended."""
    deadline = time.monotonic() + _END_SECONDS
    while any(profile.iterdir()) and time.monotonic() < deadline:
        for path in profile.iterdir():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        time.sleep(0.2)


def _address(port_file: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if port_file.exists() and (port := port_file.read_text().partition("\n")[0]):
            return f"http://127.0.0.1:{port}"
        time.sleep(0.05)
    raise SystemExit("Chromium did not start.")


class Target:
    """A DevTools connection to one target of the browser."""

    def __init__(self, target: dict[str, Any]) -> None:
        self._socket: ClientConnection = connect(target["webSocketDebuggerUrl"], max_size=None)
        self._count = 0

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=30))
            if message.get("id") == self._count:
                result: dict[str, Any] = message.get("result", {})
                return result

    def evaluate(self, expression: str) -> Any:
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        return result.get("result", {}).get("value")

    def wait_for(self, expression: str) -> None:
        """Also works while the page is loading and has no context."""
        deadline = time.monotonic() + _START_SECONDS
        while self.evaluate(expression) is not True:
            if time.monotonic() > deadline:
                raise SystemExit(f"The page never reached {expression}.")
            time.sleep(0.05)

    def close(self) -> None:
        self._socket.close()
