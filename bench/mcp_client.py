"""A minimal MCP client over stdio, whose own time hardly counts."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

# As for a user, compiled modules are cached between starts.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Client:
    def __init__(self, command: Sequence[str], more: Mapping[str, str] | None = None) -> None:
        environment = {**_ENVIRONMENT, **(more or {})}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._count = 0
        client = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def pid(self) -> int:
        return self._process.pid

    def request(self, method: str, params: Mapping[str, Any]) -> Any:
        assert self._process.stdout is not None
        self._count += 1
        self._send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        while line := self._process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self._count and "method" not in answer:
                return answer["result"]
        raise SystemExit(f"{self._process.args!r} ended.")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
