"""The power fails at any moment: nothing that was acknowledged is lost, and what is left is whole.

A real server's calls to the disk are recorded once. Then disks are made as a cut at some moment could have left them,
and the program is started on each.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from handrail.kernel.approval import PresetAnswer
from handrail.kernel.audit import Audit
from handrail.kernel.call import Call
from handrail.kernel.record_check import Findings, verify_record
from handrail.ports.identity import Caller
from handrail.wiring import Wiring
from tests.e2e.recorded_disk import Recording, command, tree
from tests.e2e.servers import serving
from tests.effort import chance, count, tries
from tests.wire.stage import put_policy

CUTS = tries(10, 3_000)
WRITES = 6
PATHS = ("a.txt", "b.txt", "c.txt")
AGENT = Caller("mcp", "agent", "uid:1000", "stdio:one")
LONG_AGO = 1_600_000_000
"""Before this machine was started: that is how the program knows that the power was off."""


def version(number: int) -> str:
    return f"{number:04d} of many lines\n" * 40


class Traced:
    """`handrail mcp` under strace, with line by line input."""

    def __init__(self, project: Path, state: Path, trace: Path) -> None:
        options = ["--alone", "--answer", "allow", "--project", str(project), "--state", str(state)]
        program = [*command(trace), sys.executable, "-m", "handrail", "mcp", *options]
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ})
        self._last = 0
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "cut", "version": "1"}}
        self.request("initialize", client)

    def request(self, method: str, params: Mapping[str, Any]) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self._last:
            pass
        return answer["result"]

    def write(self, path: str, content: str) -> int:
        """Returns the id of the request that wrote."""
        for dry_run in (True, False):
            params = {"path": path, "content": content, "dryRun": dry_run}
            answer = self.request("tools/call", {"name": "write_to_file", "arguments": params})
            assert not answer.get("isError"), answer
        return self._last

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


def put_back(disk: Mapping[str, bytes | None], *roots: Path) -> None:
    for root in roots:
        shutil.rmtree(root, ignore_errors=True)
    for path, content in sorted(disk.items()):
        place = Path(path)
        if content is None:
            place.mkdir(parents=True, exist_ok=True)
        elif place.parent.is_dir():  # otherwise its folder was lost with it
            place.write_bytes(content)
            place.chmod(0o600)
            os.utime(place, (LONG_AGO, LONG_AGO))
    for root in roots:
        root.chmod(0o700)


@dataclass(frozen=True)
class Recorded:
    """A real server's changes to the disk, and when it acknowledged each write."""

    project: Path
    state: Path
    recording: Recording
    acknowledged: list[tuple[int, int]]

    def cut(self, random: Random) -> tuple[int, dict[str, int]]:
        """A disk as a power cut may have left it: the moment, and what was acknowledged by then."""
        moment = random.choice(self.recording.moments)
        put_back(self.recording.disk_after(moment, random), self.project, self.state)
        acknowledged = [number for when, number in self.acknowledged if when <= moment]
        return moment, {PATHS[number % 3]: number for number in acknowledged}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    project, state, trace = folder / "project", folder / "state", folder / "trace"
    project.mkdir()
    put_policy(project, snapshotRetention=0)
    with serving(project, state) as server:  # the state directory and its databases exist
        server.write("a.txt", version(0))
    before = tree(project, state)
    traced = Traced(project, state, trace)
    result = {traced.write(PATHS[number % 3], version(number)): number for number in range(1, WRITES + 1)}
    traced.close()
    recording = Recording([project, state], before, trace)
    assert recording.whole_disk() == tree(project, state), "every call was understood"
    acknowledged = [
        (moment, result[identity])
        for moment, text in recording.said
        for line in text.splitlines()
        if (identity := json.loads(line).get("id")) in result
    ]
    assert [number for _, number in acknowledged] == [*range(1, WRITES + 1)]
    return Recorded(project, state, recording, acknowledged)


async def go_on(project: Path, state: Path) -> dict[str, str]:
    """Starts the program again, reads and writes, and returns what it has read."""
    open_project = Wiring().open_project(project, state, PresetAnswer("allow"))
    try:
        there = [path for path in PATHS if (project / path).exists()]
        replies = {path: await open_project.gate.run(Call("read_file", {"path": path}, AGENT)) for path in there}
        for dry_run in (True, False):
            params = {"path": "after.txt", "content": "it goes on\n", "dryRun": dry_run}
            await open_project.gate.run(Call("write_to_file", params, AGENT))
        return {path: msgspec.to_builtins(reply.result)["content"] for path, reply in replies.items()}
    finally:
        open_project.close()


def verify(state: Path) -> Findings:
    program = Wiring()
    stores = program.open_stores(state)
    audit = Audit(stores.audit)
    try:
        return verify_record(audit, stores.record(), program.open_evidence)
    finally:
        audit.close()
        stores.close()


def check(findings: Findings, moment: int) -> None:
    assert findings.is_intact, f"at {moment}: {findings}"
    assert not findings.edits


@pytest.mark.trial("power cut")
@pytest.mark.timeout(180 + 6 * CUTS)
def test_acknowledged_writes_survive_a_power_cut_and_no_file_is_torn(recorded: Recorded) -> None:
    random = chance()
    for _ in range(CUTS):
        count()
        moment, last = recorded.cut(random)
        check(verify(recorded.state), moment)
        findings = asyncio.run(go_on(recorded.project, recorded.state))
        for path, number in last.items():
            assert findings[path] in (version(number), version(number + 3)), f"{path} at {moment}"
        check(verify(recorded.state), moment)
