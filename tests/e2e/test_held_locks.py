"""A lock that another process holds delays the call that needs it, and nothing else: no page, no socket, no other read.

Where the limits are of the clock, the tests run alone.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.credentials import browser_token
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_agent import desktop_rig
from tests.e2e.servers import Server, audit_records, child, serving
from tests.e2e.test_desktop_hosting import wait_for
from tests.waiting import until
from tests.wire.clients import Api, Up
from tests.wire.scripted_browser import CLIENT_ID, ScriptedBrowser
from tests.wire.stage import furnish, put_policy

LIMIT = 0.05
SAMPLES = 20


class Rig:
    """A server with its console's socket open, and another one on the same state, for another project."""

    def __init__(self, up: Up, socket: ScriptedBrowser, elsewhere: Server, project: Path, state: Path) -> None:
        self.up, self.socket, self.elsewhere, self.project, self.state = up, socket, elsewhere, project, state
        self.api = Api(up)
        self.reads = 0

    def answers_at_once(self) -> None:
        """Many looks at everything that has no need of the lock."""
        looks = {"/health": self.look, "a socket": self.socket.sync, "a read elsewhere": self.read_elsewhere}
        times = {what: [timed(look) for _ in range(SAMPLES)] for what, look in looks.items()}
        for what, taken in times.items():
            assert is_at_once(taken), f"{what}: {[round(seconds * 1000) for seconds in taken]} ms"

    def look(self) -> None:
        self.up.http.get("/health").raise_for_status()

    def read_elsewhere(self) -> None:
        assert self.elsewhere.ok("read_file", path="notes.md")["content"] == "# Notes\n"
        self.reads += 1


def timed(look: Callable[[], object]) -> float:
    start = time.monotonic()
    look()
    return time.monotonic() - start


def is_at_once(taken: list[float]) -> bool:
    """One look in ten may be late for a reason of the machine's own, and none as late as a lock makes it."""
    return sorted(taken)[len(taken) * 9 // 10 - 1] < LIMIT and max(taken) < 10 * LIMIT


@pytest.fixture
def rig(project: Path, state: Path, tmp_path: Path) -> Iterator[Rig]:
    put_policy(project, snapshotRetention=0)
    (tmp_path / "other").mkdir()
    up = Up(project, state, answer="allow")
    try:
        address, token = str(up.http.base_url), browser_token(state, CLIENT_ID)
        with serving(furnish(tmp_path / "other"), state) as elsewhere:
            socket = ScriptedBrowser(address, token)
            rig = Rig(up, socket, elsewhere, project, state)
            rig.api.ok("write_to_file", path="notes.md", content="first\n", dryRun=True)
            rig.api.ok("write_to_file", path="notes.md", content="first\n", dryRun=False)
            rig.api.ok("write_to_file", path="notes.md", content="second\n", dryRun=True)
            yield rig
            socket.close()
        up.close()
    finally:
        up.kill()


@pytest.fixture
def quick_rig(rig: Rig) -> Rig:
    """Everything is warm, and the limit is one that holds without a lock."""
    rig.answers_at_once()
    return rig


LOCKS = {
    "the audit": ("flock", "state/audit/log.jsonl"),
    "the database": ("database", "state/handrail.db"),
    "the browser's database": ("database", "state/browser/browser.db"),
    "the project": ("flock", "project/.webgal_agent/lock"),
}


@pytest.mark.alone
@pytest.mark.parametrize("lock", LOCKS)
def test_a_held_lock_delays_only_its_own_call_and_nothing_is_lost(quick_rig: Rig, tmp_path: Path, lock: str) -> None:
    rig, (kind, path) = quick_rig, LOCKS[lock]
    write = {"path": "notes.md", "content": "second\n", "dryRun": False}
    with ThreadPoolExecutor(1) as thread:
        with child("hold_a_lock.py", kind, tmp_path / path):
            writing = thread.submit(rig.api.ok, "write_to_file", **write)
            rig.answers_at_once()
            if lock in ("the audit", "the project"):
                assert not writing.done()
        assert writing.result(20)["applied"]
    assert (rig.project / "notes.md").read_text() == "second\n"
    until(lambda: _reads(rig.state, rig.elsewhere) == rig.reads)
    ends = [record for record in audit_records(rig.state) if record["event"] == "end"]
    assert [record["ok"] for record in ends if record["tool"] == "write_to_file"] == [True] * 4


def _reads(state: Path, server: Server) -> int:
    records = audit_records(state)
    return sum(record.get("tool") == "read_file" and record["project"] == str(server.project) for record in records)


def test_a_lock_that_is_never_released_fails_its_own_call_with_a_clear_error(rig: Rig, tmp_path: Path) -> None:
    write = {"path": "notes.md", "content": "second\n", "dryRun": False}
    with child("hold_a_lock.py", "flock", tmp_path / "state/audit/log.jsonl"):
        outcome = rig.api.call("write_to_file", write)
        assert outcome.code == "E_CONFLICT"
        assert "held a lock" in str(outcome.error)
    assert (rig.project / "notes.md").read_text() == "first\n", "nothing runs that is not on record"
    assert rig.api.ok("read_file", path="notes.md")["content"] == "first\n"


@pytest.mark.alone
@pytest.mark.trial("waiting", is_long=True)
def test_pages_answer_at_once_all_the_time_that_a_call_waits_in_vain(quick_rig: Rig, tmp_path: Path) -> None:
    write = {"path": "notes.md", "content": "second\n", "dryRun": False}
    with ThreadPoolExecutor(1) as thread, child("hold_a_lock.py", "flock", tmp_path / "state/audit/log.jsonl"):
        writing = thread.submit(quick_rig.api.call, "write_to_file", write)
        times = []
        while not writing.done():
            times.append(timed(quick_rig.look))
        assert is_at_once(times)
        assert writing.result().code == "E_CONFLICT"


@pytest.mark.alone
def test_a_frozen_desktop_host_delays_only_calls_that_need_it(desktop_session: DesktopSession, tmp_path: Path) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig:
        (host,) = wait_for(rig.state, lambda diagnostics: len(diagnostics) == 1)
        rig.call("desktop_health")
        os.kill(host, signal.SIGSTOP)
        try:
            with ThreadPoolExecutor(1) as thread:
                asking = thread.submit(rig.call, "desktop_health")
                assert is_at_once([timed(lambda: rig.request("GET", "/health")) for _ in range(SAMPLES)])
                os.kill(host, signal.SIGCONT)
                assert asking.result(30).status == 200
        finally:
            os.kill(host, signal.SIGCONT)
