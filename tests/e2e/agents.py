"""An agent's own program: an MCP client that starts `handrail mcp`, as in a user's configuration."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.persons import HANDRAIL
from tests.waiting import PATIENCE
from tests.wire.stage import START

CHANGE = {"name": "replace_in_file", "arguments": {"path": START, "find": "beach", "replace": "city"}}


class Agent:
    def __init__(self, project: Path, state: Path, name: str = "agent", **environ: str) -> None:
        self._state = state
        variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self._process = subprocess.Popen(
            [HANDRAIL, "mcp", "--project", str(project), "--state", str(state)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**variables, "HANDRAIL_PORT": "0", "HANDRAIL_CALL_PERSON": "true", **environ},
        )
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
        self.send(1, "initialize", client)
        self.receive()

    def send(self, id: int, method: str, params: Any) -> None:
        self._write({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

    def receive(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def asks(self, id: int = 2) -> None:
        self.send(id, "tools/call", {**CHANGE, "_meta": {"progressToken": id}})

    def wait_for_progress(self, words: str) -> str:
        """Returns the first progress message that contains these words."""
        while True:
            message = self.receive()
            assert "result" not in message, message
            if words in (text := message["params"]["message"]):
                return str(text)

    def result(self) -> Any:
        while "result" not in (message := self.receive()):
            pass
        return message["result"]

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=PATIENCE)

    def _write(self, message: Any) -> None:
        assert self._process.stdin is not None
        print(json.dumps(message), file=self._process.stdin, flush=True)

    def gives_up(self, id: int = 2) -> None:
        """Gives up after a minute, as many clients do."""
        given_up = {"requestId": id, "reason": "timeout"}
        self._write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": given_up})

    def kill(self) -> None:
        """Kills it with kill -9, together with its server."""
        self._process.kill()
        self._process.communicate()
