"""Hooks that come through a cage's own socket: no approvals, everything is recorded, handrail stays inaccessible."""

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from handrail.faces.local.client import ServerRefused, connect
from handrail.kernel.queue_approver import AskInQueue
from handrail.wiring import Wiring
from tests.persons import Person


def asked(path: Path, project: Path, command: str) -> tuple[int, bytes]:
    event = {
        "hook_event_name": "PreToolUse",
        "cwd": str(project),
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    data = json.dumps(event).encode()
    hello: dict[str, str | int | None] = {"client": "claude", "bytes": len(data), "wait": 20_000}
    wire = connect(str(path), "hook", {**hello, "project": "/"})  # a cage's socket is for its own project
    try:
        wire.send(data)
        status, out, err = map(int, wire.read_line().split())
        return status, wire.read_exactly(out + err)
    finally:
        wire.close()


def listening(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen()
    return listener


def test_inside_of_a_cage_a_hook_only_records(tmp_path: Path) -> None:
    project, state, cage = tmp_path / "project", tmp_path / "state", tmp_path / "cage.sock"
    project.mkdir()
    state.mkdir(mode=0o700)
    (state / "config.toml").write_text('[[rules]]\ntool = "native_shell"\nprogram = "rm"\ndecision = "deny"\n')
    wiring = Wiring()
    open_project = wiring.open_project(project, state, AskInQueue())

    async def run() -> list[tuple[int, bytes]]:
        async with open_project.in_use(), wiring.serve_cage(open_project, listening(cage), "claude-1"):
            commands = ("make all", "rm x", "handrail prompts answer x --ok")
            with pytest.raises(ServerRefused):  # only hooks are answered there
                await asyncio.to_thread(connect, str(cage), "mcp", {})
            return [await asyncio.to_thread(asked, cage, project, command) for command in commands]

    try:
        outcome, removed, own = asyncio.run(run())
    finally:
        open_project.close()
    assert outcome[0] == 0
    assert removed[0] == 2, "a rule that denies counts in a cage too"
    assert (own[0], b"handrail's own" in own[1]) == (2, True)
    assert Person(state).pending() == []
    log = (state / "audit" / "log.jsonl").read_text().splitlines()
    records: list[dict[str, Any]] = [entry.get("record", entry) for entry in map(json.loads, log)]
    assert any("cage claude-1" in each.get("answer", {}).get("by", "") for each in records)
    assert {each["project"] for each in records if "project" in each} == {open_project.location}


def test_a_narrow_cages_own_folders_are_not_handrails_although_they_are_in_its_state(tmp_path: Path) -> None:
    project, state, cage = tmp_path / "project", tmp_path / "state", tmp_path / "cage.sock"
    copy, other = state / "cages/a/copy", state / "cages/b/copy"
    for made in (project, copy, other):
        made.mkdir(mode=0o700, parents=True)
    wiring = Wiring()
    open_project = wiring.open_project(project, state, AskInQueue())

    async def run() -> list[int]:
        async with open_project.in_use(), wiring.serve_cage(open_project, listening(cage), "claude-1", [str(copy)]):
            commands = (
                "sed -i s/a/b/ door.txt", f"cat {copy}/door.txt", f"python3 -c 'open(\"{copy}/door.txt\")'",
                f"cat {state}/console.key", "cat ../../../console.key", f"cat {other}/door.txt", f"cat {copy}2/x",
            )  # fmt: skip
            return [(await asyncio.to_thread(asked, cage, copy, command))[0] for command in commands]

    try:
        assert asyncio.run(run()) == [0, 0, 0, 2, 2, 2, 2]
    finally:
        open_project.close()
