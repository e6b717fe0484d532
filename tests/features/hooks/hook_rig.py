"""A project with handrail, and a client that starts the hook with an event on stdin."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.persons import HANDRAIL, Person
from tests.waiting import until


@dataclass(frozen=True)
class HookResult:
    status: int
    out: Any
    err: str

    @property
    def is_allowed(self) -> bool:
        return self.status == 0 and decision_of(self.out) == "allow"

    @property
    def is_denied(self) -> bool:
        """By its exit status and in the client's own format."""
        return self.status == 2 and decision_of(self.out) == "deny"


def decision_of(out: Any) -> str | None:
    if not isinstance(out, dict):
        return None
    if "cancel" in out:
        return "deny" if out["cancel"] else "allow"
    inner = out.get("hookSpecificOutput", out)
    result = inner.get("permissionDecision") or inner.get("decision") or inner.get("permission")
    return result if isinstance(result, str) else None


@dataclass
class Rig:
    project: Path
    state: Path
    server: "subprocess.Popen[str] | None" = None
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def person(self) -> Person:
        return Person(self.state)

    def event(self, tool: str, params: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "hook_event_name": "PreToolUse",
            "session_id": "s1",
            "cwd": str(self.project),
            "tool_name": tool,
            "tool_input": params,
            "tool_use_id": "t1",
            **more,
        }

    def begin(self, event: Any, client: str = "claude", wait: int = 60, **options: Any) -> "subprocess.Popen[bytes]":
        """Starts the hook. An event that isn't JSON is sent unchanged."""
        words = [HANDRAIL, "hook", client, "--state", str(self.state), "--wait", str(wait)]
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env={**os.environ, "CLAUDE_PROJECT_DIR": str(self.project)},
            **options,
        )
        self.started.append(process)
        assert process.stdin is not None
        process.stdin.write(event if isinstance(event, bytes) else json.dumps(event).encode())
        process.stdin.close()
        process.stdin = None
        return process

    def asks(
        self, tool: str, params: dict[str, Any], client: str = "claude", wait: int = 60, **more: Any
    ) -> HookResult:
        return said(self.begin(self.event(tool, params, **more), client, wait))

    def runs(self, command: str, **more: Any) -> HookResult:
        return self.asks("Bash", {"command": command}, **more)

    def records(self) -> list[dict[str, Any]]:
        """The audit's native calls, oldest first."""
        log = self.state / "audit" / "log.jsonl"
        lines = log.read_text().splitlines() if log.exists() else []
        matches = [entry.get("record", entry) for entry in map(json.loads, lines)]
        return [entry for entry in matches if str(entry.get("tool", "")).startswith("native_")]

    def two_records(self) -> list[dict[str, Any]]:
        """Waits until there are two."""
        until(lambda: len(self.records()) == 2)
        return self.records()

    def evidence(self, record: dict[str, Any], name: str) -> Any:
        return json.loads((self.project / ".handrail" / record["evidence"]["dir"] / name).read_text())

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()


def said(process: "subprocess.Popen[bytes]") -> HookResult:
    out, err = process.communicate(timeout=60)
    try:
        read = json.loads(out) if out.strip() else None
    except ValueError:
        read = out.decode()
    return HookResult(process.returncode, read, err.decode())


def make_rig(folder: Path) -> Iterator[Rig]:
    project = folder / "project"
    project.mkdir()
    (project / "a.txt").write_text("one\ntwo\n")
    (project / ".git").mkdir()
    rig = Rig(project, folder / "state")
    try:
        yield rig
    finally:
        rig.close()
