"""A display that stops responding: the host reports it, can be aborted and ended, and recovers with the display."""

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.desktop_apps import command, texts
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_bridge import DesktopClient, Refused
from tests.persons import HANDRAIL
from tests.sway_session import SwaySession
from tests.waiting import until

RESTING_LOOKS = 10
LONG_REST = 45
"""Longer than the host waits for programs, which hang with the display, so only the display is left to wait for."""
SOON = 3.0
"""The promise is one second; the rest is for machines that are busy with other tests."""


@pytest.fixture(scope="module", params=[DesktopSession, SwaySession], ids=["x11", "sway"])
def session(request: pytest.FixtureRequest) -> Iterator[DesktopSession]:
    """A separate desktop, because its X server or compositor is stopped."""
    with request.param() as host:
        host.start(command("gtk3"))
        yield host


class StartedHost:
    def __init__(self, session: DesktopSession, folder: Path) -> None:
        self.session = session
        self.workspace, self.path = folder / "workspace", folder / "desktop.sock"
        self.workspace.mkdir()
        options = ["--socket", str(self.path), "--workspace-root", str(folder), "--state", str(folder / "state")]
        self.app = session.start([HANDRAIL, "desktop-host", "--confirm", "contract", *options], wait_for="nothing")
        until(lambda: str(self.path) in self.app.said, lambda: self.app.said)

    def client(self) -> DesktopClient:
        return DesktopClient(self.path, self.workspace)


@pytest.fixture
def host(session: DesktopSession, tmp_path: Path) -> Iterator[StartedHost]:
    started_host = StartedHost(session, tmp_path)
    client = started_host.client()
    until(lambda: is_seen(client), "the window can't be read")
    client.close()
    yield started_host
    session.end(started_host.app)


def is_seen(client: DesktopClient) -> bool:
    try:
        return bool(client.call("find", selector={"titleContains": texts.COUNT})["matched"])
    except Refused:
        return False


def waits_for_display(host: StartedHost, client: DesktopClient, looks: int = RESTING_LOOKS) -> bool:
    """Freezes the display for a while after it has received the request."""
    if not client.is_read():
        return False
    values: list[str] = []
    for _ in range(looks):
        status = Path(f"/proc/{host.app.pid}/stat").read_text()
        values.append(" ".join(status.rpartition(")")[2].split()[11:13]))
        select.select([], [], [], 0.05)
    return len(set(values)) == 1


@contextmanager
def stopped(session: DesktopSession) -> Iterator[None]:
    os.kill(session.display_server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(session.display_server.pid, signal.SIGCONT)


@pytest.mark.trial("desktop", is_long=True)
def test_observing_a_frozen_display_times_out_and_works_again_after_it_resumes(host: StartedHost) -> None:
    client = host.client()
    with stopped(host.session):
        for _ in range(2):
            with pytest.raises(Refused) as refused:
                client.call("observe")
            assert refused.value.error["code"] == "DESKTOP_TIMEOUT"
            assert refused.value.error["retryable"]
    until(lambda: is_seen(client), "the window can't be read again")
    assert client.call("observe")["evidence"]["screenshotPath"]
    client.close()


@pytest.mark.alone
def test_calls_waiting_for_a_frozen_display_can_be_aborted_at_once(host: StartedHost) -> None:
    waiting, other = host.client(), host.client()
    with stopped(host.session):
        id = waiting.begin("click", target={"selector": {"titleContains": texts.COUNT}}, confirm={"phrase": "CONFIRM"})
        until(lambda: waits_for_display(host, waiting), "it goes on")
        began = time.monotonic()

        def is_aborted() -> bool:
            """Retries because the call may not have started yet."""
            try:
                return bool(other.call("abort", executionId=id)["aborted"])
            except Refused:
                return False

        until(is_aborted, "it is not aborted")
        with pytest.raises(Refused) as refused:
            waiting.end(id)
        assert time.monotonic() - began < SOON
        assert refused.value.error["code"] == "DESKTOP_ABORTED"
    waiting.close()
    other.close()


@pytest.mark.alone
def test_a_host_ends_while_its_display_is_stopped(host: StartedHost) -> None:
    client = host.client()
    with stopped(host.session):
        client.begin("observe")
        until(lambda: waits_for_display(host, client, LONG_REST), "it goes on")
        os.kill(host.app.pid, signal.SIGTERM)
        until(lambda: not host.app.is_running, "it still runs", within=SOON)
    client.close()
