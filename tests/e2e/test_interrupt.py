"""Ctrl-C during a write: the old content or the new, an exit code that matches, and nothing in between."""

import fcntl
import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.servers import audit_records, leftovers, serving, snapshots
from tests.effort import chance, count, tries
from tests.waiting import PATIENCE, let_run, until
from tests.wire.clients import HANDRAIL

PATH = "game/big.txt"
OLD, NEW = "old\n" * 1000, "new\n" * 1000
INTERRUPTED = 128 + signal.SIGINT


def start_write(project: Path, state: Path, *before: str) -> "subprocess.Popen[bytes]":
    """Starts `handrail call write_to_file` and sends its parameters."""
    place = ["--project", str(project), "--state", str(state)]
    call = subprocess.Popen(
        [*before, HANDRAIL, "call", "write_to_file", "-", "--answer", "allow", *place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert call.stdin is not None
    call.stdin.write(json.dumps({"path": PATH, "content": NEW, "dryRun": False}).encode())
    call.stdin.close()
    call.stdin = None
    return call


@pytest.fixture
def prepared(project: Path, state: Path) -> Path:
    """The project with the old content, and a dry run of the new one."""
    (project / PATH).write_text(OLD)
    with serving(project, state) as server:
        server.ok("write_to_file", path=PATH, content=NEW, dryRun=True)
    return project


def test_before_its_last_checkpoint_an_interrupted_write_is_not_done(prepared: Path, state: Path) -> None:
    """It waits for the project's lock, which the test holds; its beginning is recorded."""
    with (prepared / ".webgal_agent/lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call = start_write(prepared, state)
        log = state / "audit/log.jsonl"
        until(lambda: b'"begin"' in log.read_bytes())
        call.send_signal(signal.SIGINT)
        out, err = call.communicate(timeout=PATIENCE)
    assert (call.returncode, out) == (INTERRUPTED, b""), err.decode()
    assert (prepared / PATH).read_text() == OLD
    assert snapshots(prepared) == {}
    records = audit_records(state)
    assert [record["event"] for record in records[-2:]] == ["begin", "end"]
    assert records[-1]["error"]["condition"] == "Aborted"
    with serving(prepared, state) as server:
        assert server.ok("write_to_file", path=PATH, content=NEW, dryRun=False)["applied"], "the dry run is still good"


def test_after_its_last_checkpoint_an_interrupted_write_is_finished_and_says_so(prepared: Path, state: Path) -> None:
    """Every fsync is slow, so that the signal arrives while the temporary file is being written."""
    strace = shutil.which("strace")
    assert strace, "strace is a package of the tests"
    call = start_write(prepared, state, strace, "-D", "-f", "-o", "/dev/null", "-e", "inject=fsync:delay_enter=300000")
    until(lambda: any((prepared / "game").glob(".handrail-*")))
    call.send_signal(signal.SIGINT)
    out, err = call.communicate(timeout=PATIENCE)
    assert call.returncode == 0, err.decode()
    assert json.loads(out)["applied"] is True
    assert (prepared / PATH).read_text() == NEW
    assert leftovers(prepared) == []
    assert audit_records(state)[-1]["ok"] is True


@pytest.mark.trial("kill")
@pytest.mark.timeout(600)
def test_interrupted_at_any_moment_it_leaves_the_old_content_or_the_new(project: Path, state: Path) -> None:
    (project / PATH).write_text(OLD)
    moments = chance()
    with serving(project, state) as server:
        server.ok("write_to_file", path=PATH, content=NEW, dryRun=True)
        start = time.monotonic()
        assert start_write(project, state).wait(timeout=PATIENCE) == 0
        duration = time.monotonic() - start
        for _ in range(tries(3, 30)):
            count()
            (project / PATH).write_text(OLD)
            server.ok("write_to_file", path=PATH, content=NEW, dryRun=True)
            call = start_write(project, state)
            assert call.poll() is None
            let_run(call, moments.uniform(0.3, 1.0) * duration)
            call.send_signal(signal.SIGINT)
            _, err = call.communicate(timeout=PATIENCE)
            # In the first tenths of a second Python isn't running yet: the signal then ends it like any other program.
            assert call.returncode in (0, INTERRUPTED, -signal.SIGINT), err.decode()
            content = (project / PATH).read_text()
            assert content in (OLD, NEW)
            assert content == NEW or call.returncode != 0
            assert leftovers(project) == []
    audit_records(state)
