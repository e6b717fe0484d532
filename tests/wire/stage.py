"""The project that the tests use, and the programs that serve it."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

from handrail.stores.local.trust import TrustFile
from tests.wire.clients import Api, Cli, Client, Stdio, Streamable, Up

SCENE = "欢迎:来到这里;\nchangeBg:beach.jpg;\nend;\n"
START = "game/scene/start.txt"


class Stage:
    """One project for all faces. Starting a program is the slowest part of a test, so it is done once."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.state = folder / "state"
        self.project.mkdir()
        self._up: Up | None = None
        self._clients: dict[str, Client] = {}

    def client(self, face: str) -> Client:
        if face not in self._clients:
            self._clients[face] = self._started(face)
        return self._clients[face]

    def stdio(self) -> Stdio:
        client = self.client("stdio")
        assert isinstance(client, Stdio)
        return client

    def _started(self, face: str) -> Client:
        if face == "stdio":
            return Stdio(self.project, self.state, answer="allow")
        if face == "cli":
            return Cli(self.project, self.state, answer="allow")
        if self._up is None:
            self._up = Up(self.project, self.state, answer="allow")
        return Streamable(self._up) if face == "streamable" else Api(self._up)

    def reset(self) -> None:
        for entry in self.project.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                _remove(entry)
            else:
                entry.unlink()
        furnish(self.project)

    def close(self) -> None:
        if "stdio" in self._clients:
            self.stdio().close()
        if self._up is not None:
            self._up.close()


def _remove(folder: Path) -> None:
    """Retries if a server was just cleaning up there, which it does soon after its start."""
    deadline = time.monotonic() + 10
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=time.monotonic() < deadline)


def furnish(project: Path) -> Path:
    """A small game."""
    put(project, START, SCENE)
    put(project, "game/config.txt", "Game_name:demo;\n")
    put(project, "notes.md", "# Notes\n")
    return project


def put(project: Path, path: str, content: str | bytes) -> Path:
    """Creates a file directly on disk."""
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def put_policy(project: Path, rules: list[dict[str, str]] | None = None, **policies: Any) -> Path:
    document = {"contractVersion": "1.0.0", "mode": "cline", "policies": policies, "rules": rules or []}
    return put(project, ".handrail/policy.json", json.dumps(document, indent=2))


def trust(project: Path, state: Path) -> None:
    """Does what `handrail policy trust` does, without starting a process each time."""
    policy = project / ".handrail/policy.json"
    TrustFile(state).add(policy.read_bytes(), str(policy))


def put_snapshot(project: Path, id: str, content: str = "", **meta: Any) -> None:
    """Writes a snapshot as another program would that follows the same contract."""
    metadata = {"id": id, "path": START, "timestamp": 1_700_000_000_000, "contentHash": "e3b0c442", **meta}
    put(project, f".webgal_agent/snapshots/{id}.txt", content)
    put(project, f".webgal_agent/snapshots/{id}.meta.json", json.dumps(metadata))
