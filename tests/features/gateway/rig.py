"""A project with servers behind the gate, and clients for people and agents."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from handrail.features.gateway.definitions import Definition, read_offering
from handrail.features.gateway.model import Server
from handrail.features.gateway.server_file import AcceptedDefinition, Entry, server_file
from handrail.wiring import Wiring
from tests.waiting import PATIENCE

HANDRAIL = str(Path(sys.executable).parent / "handrail")
PEERS = Path(__file__).parents[2] / "peers/node_modules/.bin"
ODD = str(Path(__file__).with_name("odd_server.py"))
SAY: dict[str, Any] = {
    "name": "say",
    "description": "Says it back.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    "annotations": {"readOnlyHint": True},
}


def odd_command(behaviour: str, file: Path | None = None) -> tuple[str, ...]:
    return (sys.executable, ODD, behaviour, *([] if file is None else [str(file)]))


class Rig:
    """`presence` is off: proof of presence has its own tests."""

    def __init__(self, folder: Path) -> None:
        self.project, self.state = folder / "project", folder / "state"
        self.project.mkdir(parents=True)
        self.state.mkdir(mode=0o700)
        (self.state / "config.toml").write_text('presence = "never"\n')
        self.environ = {**os.environ, "HANDRAIL_STATE": str(self.state), "HANDRAIL_CALL_PERSON": "false"}
        self.environ["HANDRAIL_ALL_TOOLS"] = "true"

    def run(self, *words: str, stdin: str = "", is_ok: bool = True) -> "subprocess.CompletedProcess[str]":
        result = subprocess.run(
            [HANDRAIL, *words],
            env=self.environ,
            cwd=self.project,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert not is_ok or result.returncode == 0, result.stdout + result.stderr
        return result

    def add(self, name: str, *command: str, more: tuple[str, ...] = (), stdin: str = "") -> None:
        self.run("servers", "add", name, "--yes", *more, "--", *command, stdin=stdin)

    def pin(
        self,
        name: str,
        command: tuple[str, ...],
        *tools: Mapping[str, Any],
        resources: bool = False,
        reads: bool = True,
    ) -> None:
        """Writes the server file as if a person had accepted these definitions; with `reads`, also their hints."""
        definitions = read_offering(tools or (SAY,), (), has_resources=resources).definitions
        self.put(Server(name=name, command=command), definitions, reads=reads)

    def put(self, server: Server, definitions: Mapping[str, Definition], *, reads: bool = True) -> None:
        accepted = {
            key: AcceptedDefinition(definition=each, reads=reads and each.has_read_only_hint)
            for key, each in definitions.items()
        }
        entry = Entry(server=server, accepted=accepted, accepted_from=server.digest)
        stores = Wiring().open_stores(self.state)
        try:
            server_file(stores).change(lambda entries: entries.update({server.name: entry}))
        finally:
            stores.close()

    def prompts(self) -> list[dict[str, Any]]:
        """The pending prompts."""
        prompt_list = json.loads(self.run("prompts", "list", "--json").stdout)
        matches: list[dict[str, Any]] = prompt_list["prompts"]
        return matches

    def evidence(self) -> list[Path]:
        """Oldest first."""
        files = (self.project / ".handrail/artifacts").rglob("request.json")
        return sorted(files, key=lambda file: file.stat().st_mtime_ns)


class Mcp:
    """An MCP client on the real program's stdin and stdout."""

    def __init__(
        self, rig: Rig, *options: str, words: tuple[str, ...] = ("mcp",), environ: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            [HANDRAIL, *words[:1], "--project", str(rig.project), *options, *words[1:]],
            env={**rig.environ, **(environ or {})},
            cwd=rig.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        self._number = 0
        self.notes: list[Any] = []
        self._messages: queue.Queue[Any] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.hello = self.request("initialize", hello)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: Any = None) -> Any:
        return self.answer(self.begin(method, params))

    def begin(self, method: str, params: Any = None) -> int:
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}})
        return self._number

    def answer(self, number: int) -> Any:
        """Waits for this answer, and keeps others that arrive."""
        while not (matches := [each for each in self.notes if each.get("id") == number]):
            self.notes.append(self._messages.get(timeout=PATIENCE))
        self.notes.remove(matches[0])
        return matches[0].get("result", matches[0].get("error"))

    def note(self, method: str) -> Any:
        """The next notification of this kind."""
        while True:
            for message in self.notes:
                if message.get("method") == method:
                    self.notes.remove(message)
                    return message.get("params")
            self.notes.append(self._messages.get(timeout=PATIENCE))

    def names(self) -> list[str]:
        return [tool["name"] for tool in self.request("tools/list")["tools"]]

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool: str, **arguments: Any) -> str:
        """The text of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert result.get("isError") is False, result
        message: str = result["content"][0]["text"]
        return message

    def error(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """handrail's error object of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result.get("isError") is True, result
        error: dict[str, Any] = json.loads(result["content"][0]["text"])["error"]
        return error

    def cancel(self, number: int) -> None:
        self._write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})

    def close(self) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(timeout=PATIENCE)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(timeout=PATIENCE)

    def _write(self, message: Any) -> None:
        assert self._process.stdin is not None
        print(json.dumps(message), file=self._process.stdin, flush=True)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._messages.put(json.loads(line))
        self._messages.put({"id": self._number, "error": {"code": 0, "message": "the program ended"}})
