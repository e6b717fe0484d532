"""A lock that another process holds delays the call that needs it, and nothing else: no page, no socket, no other read.

Where the limits are of the clock, the tests run alone.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
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
"""Seconds beyond what the same requests take without a lock: on a busy machine that is more than on an idle one."""
SAMPLES = 20
Times = Mapping[str, list[float]]


class Rig:
    """A server with an open console socket, and another one on the same state for another project."""

    def __init__(self, up: Up, socket: ScriptedBrowser, elsewhere: Server, project: Path, state: Path) -> None:
        self.up, self.socket, self.elsewhere, self.project, self.state = up, socket, elsewhere, project, state
        self.api = Api(up)
        self.reads = 0

    def measure(self) -> dict[str, list[float]]:
        """Measures many requests that don't need the lock, in seconds."""
        looks = {"/health": self.look, "a socket": self.socket.sync, "a read elsewhere": self.read_elsewhere}
        return {what: [timed(look) for _ in range(SAMPLES)] for what, look in looks.items()}

    def answers_at_once(self, usual: Times) -> None:
        for what, times in self.measure().items():
            assert is_at_once(times, usual[what]), f"{what}: {[round(seconds * 1000) for seconds in times]} ms"

    def look(self) -> None:
        self.up.http.get("/health").raise_for_status()

    def read_elsewhere(self) -> None:
        assert self.elsewhere.ok("read_file", path="notes.md")["content"] == "# Notes\n"
        self.reads += 1


def timed(look: Callable[[], object]) -> float:
    start = time.monotonic()
    look()
    return time.monotonic() - start


def is_at_once(times: list[float], usual: list[float]) -> bool:
    """Whether they are at most `LIMIT` slower than usual. One in ten may be slower."""
    return ninth_tenth(times) < LIMIT + ninth_tenth(usual) and max(times) < 10 * LIMIT + max(usual)


def ninth_tenth(times: list[float]) -> float:
    return sorted(times)[len(times) * 9 // 10 - 1]


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
def usual(rig: Rig) -> Times:
    """The times without a lock, after warming up."""
    rig.measure()
    return rig.measure()


LOCKS = {
    "the audit": ("flock", "state/audit/log.jsonl"),
    "the database": ("database", "state/handrail.db"),
    "the browser's database": ("database", "state/browser/browser.db"),
    "the project": ("flock", "project/.webgal_agent/lock"),
}


@pytest.mark.alone
@pytest.mark.parametrize("lock", LOCKS)
def test_a_held_lock_delays_only_its_own_call_and_nothing_is_lost(
    rig: Rig, usual: Times, tmp_path: Path, lock: str
) -> None:
    kind, path = LOCKS[lock]
    write = {"path": "notes.md", "content": "second\n", "dryRun": False}
    with ThreadPoolExecutor(1) as thread:
        with child("hold_a_lock.py", kind, tmp_path / path):
            writing = thread.submit(rig.api.ok, "write_to_file", **write)
            rig.answers_at_once(usual)
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
def test_pages_answer_at_once_all_the_time_that_a_call_waits_in_vain(rig: Rig, usual: Times, tmp_path: Path) -> None:
    write = {"path": "notes.md", "content": "second\n", "dryRun": False}
    with ThreadPoolExecutor(1) as thread, child("hold_a_lock.py", "flock", tmp_path / "state/audit/log.jsonl"):
        writing = thread.submit(rig.api.call, "write_to_file", write)
        times = []
        while not writing.done():
            times.append(timed(rig.look))
        assert is_at_once(times, usual["/health"])
        assert writing.result().code == "E_CONFLICT"


@pytest.mark.alone
def test_a_frozen_desktop_host_delays_only_calls_that_need_it(desktop_session: DesktopSession, tmp_path: Path) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig:
        (host,) = wait_for(rig.state, lambda diagnostics: len(diagnostics) == 1)
        rig.call("desktop_health")
        usual = [timed(lambda: rig.request("GET", "/health")) for _ in range(SAMPLES)]
        os.kill(host, signal.SIGSTOP)
        try:
            with ThreadPoolExecutor(1) as thread:
                asking = thread.submit(rig.call, "desktop_health")
                times = [timed(lambda: rig.request("GET", "/health")) for _ in range(SAMPLES)]
                assert is_at_once(times, usual)
                os.kill(host, signal.SIGCONT)
                assert asking.result(30).status == 200
        finally:
            os.kill(host, signal.SIGCONT)
