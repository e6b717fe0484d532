"""Runs the real `handrail` as a child process, on the test's own project and state directory."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.persons import Person

HANDRAIL = Path(sys.executable).with_name("handrail")


@dataclass(frozen=True, slots=True)
class CommandResult:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Parses stdout, which must be exactly one JSON text."""
        return json.loads(self.out)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])


@dataclass(frozen=True, slots=True)
class Machine:
    project: Path
    state: Path

    def run(self, *words: str, stdin: bytes = b"", **environ: str) -> CommandResult:
        result = subprocess.run(
            [HANDRAIL, *words],
            input=stdin,
            capture_output=True,
            cwd=self.project,
            env=self.environ(**environ),
            timeout=60,
        )
        return CommandResult(result.returncode, result.stdout.decode(), result.stderr.decode())

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Starts a command that waits; `person` answers it."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [HANDRAIL, *words],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            cwd=self.project,
            env=self.environ(),
        )

    @property
    def person(self) -> Person:
        return Person(self.state)

    def call(self, tool: str, params: Any = None, *flags: str, stdin: bytes = b"") -> CommandResult:
        return self.run("call", tool, *([] if params is None else [json.dumps(params)]), *flags, stdin=stdin)

    def write(self, path: str, content: str) -> str:
        """Writes through the gate without a question; returns the snapshot's id."""
        expected = {"path": path, "content": content}
        assert self.call("write_to_file", {**expected, "dryRun": True}).status == 0
        result = self.call("write_to_file", {**expected, "dryRun": False}, "--answer", "allow")
        assert result.status == 0, result
        return str(result.json["snapshotId"])

    def put(self, path: str, content: str) -> Path:
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
        return file

    def text(self, path: str) -> str:
        return (self.project / path).read_text(encoding="utf-8")

    def environ(self, **more: str) -> dict[str, str]:
        variables = {name: value for name, value in os.environ.items() if not name.startswith("HANDRAIL_")}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR"):
            variables.pop(name, None)
        ours = {"HANDRAIL_STATE": str(self.state), "HANDRAIL_CALL_PERSON": "false", "TERM": "xterm"}
        return {**variables, **ours, **more}
