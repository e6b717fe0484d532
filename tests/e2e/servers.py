"""Running servers under stress: killed, started in advance, observed from outside."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Unpack

from tests.wire.clients import Json, Options, Outcome, Stdio, run

HERE = Path(__file__).parent
CHILDREN = (HERE / "children", HERE.parent / "stores/files/children")


class Server(Stdio):
    """A `handrail mcp` that a test may kill at any moment."""

    def __init__(self, project: Path, state: Path, **options: Unpack[Options]) -> None:
        self.project = project
        super().__init__(project, state, **options)

    def call_unless_gone(self, tool: str, **params: Any) -> Outcome | None:
        """Returns the call's outcome, or None if the server ended before it answered."""
        try:
            return self.call(tool, params)
        except (AssertionError, BrokenPipeError, json.JSONDecodeError):
            if self.process.poll() is None:
                self.process.wait(timeout=5)
            return None

    def kill(self) -> None:
        """Kills it with kill -9 if it still runs."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    @property
    def greatest_memory(self) -> int:
        """The peak memory use in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.split("\n") if line.startswith("VmHWM"))) * 1024


@contextmanager
def serving(project: Path, state: Path, **options: Unpack[Options]) -> Iterator[Server]:
    """A server that must still run at the end; by default, its questions are answered with yes."""
    options.setdefault("answer", "allow")
    server = Server(project, state, **options)
    try:
        yield server
        assert server.request("ping", {}) == {}
        server.close()
    finally:
        server.kill()


@contextmanager
def child(script: str, *arguments: str | Path) -> Iterator[None]:
    """Runs one of our scripts, or one of the sandbox tests' scripts, until the block ends."""
    file = next(folder / script for folder in CHILDREN if (folder / script).exists())
    process = subprocess.Popen([sys.executable, str(file), *map(str, arguments)], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


def snapshots(project: Path) -> dict[str, tuple[Json, bytes]]:
    """Returns each snapshot's metadata and content by id. Fails if one of the two is missing."""
    folder = project / ".webgal_agent/snapshots"
    names = {name for name in os.listdir(folder) if not name.startswith(".")} if folder.exists() else set()
    ids = {name.partition(".")[0] for name in names}
    contents = {id: f"{id}.bin" if f"{id}.bin" in names else f"{id}.txt" for id in ids}
    assert names == {*contents.values(), *(f"{id}.meta.json" for id in ids)}
    return {
        id: (json.loads((folder / f"{id}.meta.json").read_bytes()), (folder / name).read_bytes())
        for id, name in contents.items()
    }


def audit_records(state: Path) -> list[Json]:
    """Returns all records after verifying the chain."""
    verified = run("audit", "verify", "--state", state)
    assert verified.returncode == 0, verified.stderr
    return [json.loads(line) for line in (state / "audit/log.jsonl").read_bytes().split(b"\n") if line]


def leftovers(project: Path) -> list[str]:
    return [str(path.relative_to(project)) for path in project.rglob(".handrail-*")]
