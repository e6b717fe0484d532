"""The tools stay on this machine and inside the project: contract 3 §0.5 and §9."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.clients import Client, Start
from tests.wire.stage import START

WATCHER = """
import os, sys

def watch(event, args):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.sendto")):
        if not (event == "socket.connect" and isinstance(args[1], (str, bytes))):
            os.write(NOTES, (event + repr(args[1:]) + "\\\\n").encode())

NOTES = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
sys.addaudithook(watch)
"""


@pytest.fixture
def watched(tmp_path: Path) -> dict[str, str]:
    """An environment in which every Python process records each attempt to reach a network address."""
    (tmp_path / "watcher").mkdir()
    (tmp_path / "watcher/sitecustomize.py").write_text(WATCHER)
    return {"PYTHONPATH": str(tmp_path / "watcher"), "WATCHED": str(tmp_path / "attempts.txt")}


def every_tool(client: Client) -> None:
    client.ok("list_files", path=".", globs=["**/*"])
    client.ok("read_file", path=START)
    result = client.write(START, "http://example.com/\n")
    client.ok("replace_in_file", path=START, find="example", replace="handrail.invalid")
    client.ok("search_files", path=".", regex="http")
    client.ok("list_snapshots")
    client.ok("restore_snapshot", snapshotId=result["snapshotId"])
    client.ok("get_runtime_info")


def test_no_tool_reaches_for_the_network(
    start: Start, own_project: Path, own_state: Path, watched: dict[str, str]
) -> None:
    every_tool(start("stdio", own_project, own_state, answer="allow", environ=watched))
    assert Path(watched["WATCHED"]).read_text() == ""


def test_an_attempt_to_reach_the_network_would_have_been_noted(watched: dict[str, str]) -> None:
    attempt = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    subprocess.run([sys.executable, "-c", attempt], env={**os.environ, **watched}, check=True)
    assert "socket.connect" in Path(watched["WATCHED"]).read_text()


def test_records_are_private_to_the_owner(start: Start, own_project: Path, own_state: Path) -> None:
    every_tool(start("cli", own_project, own_state, answer="allow"))
    assert stat.S_IMODE(own_state.stat().st_mode) == 0o700
    log = own_state / "audit/log.jsonl"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "example.com" not in log.read_text(), "the audit holds digests, no contents"
