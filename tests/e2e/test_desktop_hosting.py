"""Which process starts the desktop host, keeps it running and ends it: `handrail up`, or the first that needs it."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.desktop_apps import command, texts
from tests.desktop_session import DesktopSession
from tests.e2e.desktop_agent import desktop_agent, desktop_rig, on_desktop
from tests.persons import HANDRAIL
from tests.waiting import PATIENCE, until


def hosts(state: Path) -> set[int]:
    """Returns the processes that serve a desktop for this state directory."""
    matches = set()
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdecimal() else []
        except OSError:
            continue
        if b"desktop-host" in words and os.fsencode(state) in words:
            matches.add(int(entry.name))
    return matches


def wait_for(state: Path, expected: Any) -> set[int]:
    until(lambda: expected(hosts(state)), lambda: hosts(state))
    return hosts(state)


def call(tool: str, project: Path, state: Path, env: dict[str, str], **params: Any) -> Any:
    place = ["--project", str(project), "--state", str(state)]
    result = subprocess.run(
        [HANDRAIL, "call", tool, json.dumps(params), *place],
        env={**os.environ, **env},
        capture_output=True,
        timeout=PATIENCE,
    )
    return json.loads(result.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "p").mkdir()
    yield tmp_path
    for pid in hosts(tmp_path / "s"):
        os.kill(pid, signal.SIGTERM)
    wait_for(tmp_path / "s", lambda each: not each)


@pytest.mark.trial("desktop", is_long=True)
def test_up_starts_a_host_starts_it_again_when_it_dies_and_takes_it_along(
    desktop_session: DesktopSession, tmp_path: Path
) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig:
        (first,) = wait_for(rig.state, lambda each: len(each) == 1)
        assert rig.call("desktop_health").json["data"]["permissions"]["accessibility"] == "granted"
        os.kill(first, signal.SIGKILL)
        (second,) = wait_for(rig.state, lambda each: each and first not in each)
        assert second != first
        assert rig.call("desktop_health").json["data"]["permissions"]["accessibility"] == "granted"
        rig.stop()
        assert hosts(rig.state) == set()


@pytest.mark.trial("desktop", is_long=True)
def test_a_server_that_is_killed_leaves_no_host_behind(desktop_session: DesktopSession, tmp_path: Path) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig:
        wait_for(rig.state, lambda hosts: len(hosts) == 1)
        rig.stop(signal.SIGKILL)
        wait_for(rig.state, lambda hosts: not hosts)


@pytest.mark.trial("desktop", is_long=True)
def test_an_agent_beside_the_server_uses_its_host_and_starts_no_other(
    desktop_session: DesktopSession, tmp_path: Path
) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig:
        (own,) = wait_for(rig.state, lambda each: len(each) == 1)
        assert rig.call("desktop_health").status == 200  # it listens
        with desktop_agent(desktop_session, rig) as agent:
            for _ in range(3):  # enough time for a second host to start and to notice the first
                agent.is_refused("desktop_click", target={"selector": {"titleContains": "there is no such button"}})
                agent.does("desktop_health")
            assert hosts(rig.state) == {own}
        assert "--socket" not in (rig.state / "desktop.log").read_text()


def test_a_command_below_the_servers_project_uses_the_servers_host(
    desktop_session: DesktopSession, tmp_path: Path
) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig:
        (own,) = wait_for(rig.state, lambda hosts: len(hosts) == 1)
        assert rig.call("desktop_health").status == 200  # it listens
        inner = rig.project / "inner"
        inner.mkdir()
        assert "permissions" in call("desktop_health", inner, rig.state, on_desktop(desktop_session))
        wait_for(rig.state, lambda hosts: hosts == {own})  # the host's forks look like the host for a moment


@pytest.mark.trial("desktop", is_long=True)
def test_a_command_for_another_state_starts_its_own_host_which_the_next_one_shares(
    desktop_session: DesktopSession, folder: Path
) -> None:
    project, state, env = folder / "p", folder / "s", on_desktop(desktop_session)
    window = desktop_session.start(command("gtk3"))
    result = call("desktop_find", project, state, env, selector={"titleContains": texts.COUNT, "byRole": "AXButton"})
    (pid,) = hosts(state)
    reference = {"elementRef": result["elementRefs"][0]}
    assert call("desktop_highlight", project, state, env, target=reference, durationMs=10)["highlighted"] is True
    assert hosts(state) == {pid}
    desktop_session.end(window)


@pytest.mark.trial("desktop", is_long=True)
def test_many_commands_at_once_start_one_host(desktop_session: DesktopSession, folder: Path) -> None:
    words = [HANDRAIL, "call", "desktop_health", "--project", str(folder / "p"), "--state", str(folder / "s")]
    env = {**os.environ, **on_desktop(desktop_session)}
    running = [subprocess.Popen(words, env=env, stdout=subprocess.PIPE) for _ in range(6)]
    answers = [json.loads(each.communicate(timeout=PATIENCE)[0]) for each in running]
    assert all("permissions" in answer for answer in answers)
    wait_for(folder / "s", lambda hosts: len(hosts) == 1)


def test_without_a_display_a_tool_says_what_is_missing(folder: Path) -> None:
    env = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": "", "HANDRAIL_DESKTOP": "true"}
    refused = call("desktop_observe", folder / "p", folder / "s", {**env, "XDG_RUNTIME_DIR": str(folder)})
    assert refused["error"]["code"] == "DESKTOP_PERMISSION_MISSING"
    assert refused["error"]["details"]["hint"]


def test_a_setting_switches_the_desktop_off(folder: Path) -> None:
    refused = call("desktop_health", folder / "p", folder / "s", {"HANDRAIL_DESKTOP": "false"})
    assert "switched off" in refused["error"]["message"]
    assert hosts(folder / "s") == set()


@pytest.mark.trial("desktop", is_long=True)
def test_a_frozen_host_delays_only_its_own_calls(desktop_session: DesktopSession, tmp_path: Path) -> None:
    with desktop_rig(desktop_session, tmp_path) as rig, ThreadPoolExecutor() as others:
        (host,) = wait_for(rig.state, lambda hosts: len(hosts) == 1)
        assert rig.call("desktop_health").status == 200
        os.kill(host, signal.SIGSTOP)
        try:
            stuck = [others.submit(rig.call, "desktop_list_modals") for _ in range(3)]
            for _ in range(20):
                assert rig.request("GET", "/health").status == 200
                assert rig.call("list_files", {"path": "."}).status == 200
            assert not any(call.done() for call in stuck)
        finally:
            os.kill(host, signal.SIGCONT)
        assert [call.result().status for call in stuck] == [200, 200, 200]
