"""A call that has to wait: signs of life every second, an end in time, and no wait any more once it is cancelled.

It waits because the test holds the project's lock, as another process in the middle of a write would.
"""

import fcntl
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.servers import Server, audit_records, serving, snapshots
from tests.wire.clients import Json
from tests.wire.stage import SCENE, START


@contextmanager
def held_lock(project: Path) -> Iterator[None]:
    with (project / ".webgal_agent/lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def send_write(server: Server, id: str, path: str, content: str) -> None:
    arguments = {"path": path, "content": content, "dryRun": False}
    params = {"name": "write_to_file", "arguments": arguments, "_meta": {"progressToken": id}}
    server.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})


@pytest.mark.alone
@pytest.mark.trial("waiting", is_long=True)
def test_a_lock_that_is_not_released_is_a_conflict_after_ten_seconds_of_progress(project: Path, state: Path) -> None:
    with serving(project, state) as server:
        server.ok("write_to_file", path=START, content="x", dryRun=True)
        with held_lock(project):
            start = time.monotonic()
            send_write(server, "w", START, "x")
            values: list[Json] = []
            while "id" not in (message := server.receive_any()):
                values.append(message)
            waited = time.monotonic() - start
        assert '"E_CONFLICT"' in message["result"]["content"][0]["text"]
        assert 9 < waited < 14
        progress = [note["params"]["progress"] for note in values if note["method"] == "notifications/progress"]
        assert len(progress) == len(values)
        assert len(progress) >= 8
        assert progress == sorted(set(progress)), "progress only grows"
        assert max(after - before for before, after in itertools.pairwise(progress)) < 2
        assert {note["params"]["progressToken"] for note in values} == {"w"}
        assert (project / START).read_text() == SCENE
        assert server.ok("write_to_file", path=START, content="x", dryRun=False)["applied"], "the dry run is not lost"


def test_a_cancelled_call_stops_waiting_and_the_next_one_proceeds(project: Path, state: Path) -> None:
    """Both changes have the same caller, so the second waits for the first, which waits for the lock."""
    with serving(project, state) as server:
        for path in (START, "notes.md"):
            server.ok("write_to_file", path=path, content="x", dryRun=True)
        with held_lock(project):
            send_write(server, "first", START, "x")
            assert server.receive_any()["method"] == "notifications/progress"
            send_write(server, "second", "notes.md", "x")
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "first"}})
            while "first" in str(message := server.receive_any()):
                assert "result" not in message, "who has cancelled expects no answer"
            assert message["params"]["progressToken"] == "second", "it has its turn while the lock is still held"
        assert server.receive()["result"]["structuredContent"]["applied"] is True
        assert (project / START).read_text() == SCENE
        assert [meta["path"] for meta, _ in snapshots(project).values()] == ["notes.md"]
    ends = [record for record in audit_records(state) if record["event"] == "end" and record["effect"] == "WRITE"]
    assert [record.get("error", {}).get("condition") for record in ends] == ["Aborted", None]


def test_reads_are_served_while_a_write_waits(project: Path, state: Path) -> None:
    with serving(project, state) as server:
        server.ok("write_to_file", path=START, content="x", dryRun=True)
        with held_lock(project):
            send_write(server, "w", START, "x")
            assert server.receive_any()["method"] == "notifications/progress"
            for _ in range(20):  # if they were delayed, the write's answer would come first
                assert server.ok("read_file", path=START)["content"] == SCENE
        assert server.receive()["id"] == "w"


@pytest.mark.alone
def test_a_server_ends_with_its_client_even_if_a_write_is_waiting(project: Path, state: Path) -> None:
    server = Server(project, state, answer="allow")
    try:
        server.ok("write_to_file", path=START, content="x", dryRun=True)
        with held_lock(project):
            send_write(server, "w", START, "x")
            assert server.receive_any()["method"] == "notifications/progress"
            assert server.process.stdin is not None
            server.process.stdin.close()
            assert server.process.wait(timeout=9) == 0
        assert (project / START).read_text() == SCENE
    finally:
        server.kill()
