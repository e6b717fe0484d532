"""`handrail desktop-host` as a program: its socket, shutdown, restart, and a machine without a desktop."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]
SESSION = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "AT_SPI_BUS_ADDRESS")


class Program:
    def __init__(self, *command: str, env: Mapping[str, str] | None = None, stdin: int | None = None) -> None:
        bare = {name: value for name, value in os.environ.items() if name not in SESSION}
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**bare, **(env or {})},
        )
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()

    def ended(self) -> tuple[int, str]:
        _, complaints = self.process.communicate(timeout=60)
        return self.process.returncode, complaints


@contextmanager
def running(*command: str, **how: Any) -> Iterator[Program]:
    program = Program(*command, **how)
    try:
        yield program
    finally:
        if program.process.poll() is None:
            program.process.kill()
        program.process.communicate(timeout=60)


class Wire:
    """A blocking client that uses only sockets and JSON."""

    def __init__(self, path: Path, workspace: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        folder = os.open(path.parent, os.O_RDONLY)
        self._socket.connect(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
        self.file = self._socket.makefile("rwb")
        self.meta = {"schemaVersion": 1, "requestId": "r", "workspacePath": str(workspace), "timeoutMs": 20_000}

    def call(self, method: str, **params: Any) -> Json:
        """Waits until the host has started."""
        request = {"jsonrpc": "2.0", "id": "1", "method": method, "params": {"meta": self.meta, **params}}
        while True:
            self.file.write(json.dumps(request).encode() + b"\n")
            self.file.flush()
            answer: Json = json.loads(self.file.readline())
            if answer.get("error", {}).get("code") != "DESKTOP_HOST_NOT_READY":
                return answer

    def close(self) -> None:
        self.file.close()
        self._socket.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def command(root: Path, state: Path, *more: str) -> tuple[str, ...]:
    return "handrail", "desktop-host", "--workspace-root", str(root), "--state", str(state), *more


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_socket_and_its_folder_are_private_to_the_owner(root: Path, state: Path) -> None:
    with running(*command(root, state)) as host:
        place = state / "desktop.sock"
        assert str(place) in host.first_line
        assert mode_of(place) == 0o600
        assert mode_of(state) == 0o700


def test_the_socket_and_the_root_may_be_named_elsewhere(tmp_path: Path, root: Path, state: Path) -> None:
    place = tmp_path / "new" / "folder" / ("long" * 30) / "bridge.sock"
    command = ("handrail", "desktop-host", "--socket", str(place), "--state", str(state))
    with running(*command, env={"WORKSPACE_ROOT": str(root)}):
        assert (mode_of(place), mode_of(place.parent)) == (0o600, 0o700)
        wire = Wire(place, root)
        assert "result" in wire.call("desktop.health")
        wire.close()


def test_a_second_host_is_refused_while_the_first_one_lives(root: Path, state: Path) -> None:
    with running(*command(root, state)):
        with running(*command(root, state)) as second:
            code, complaints = second.ended()
        assert code == 1
        assert "Another host" in complaints
        wire = Wire(state / "desktop.sock", root)
        assert "result" in wire.call("desktop.health")
        wire.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_host_in_order_and_the_socket_goes(root: Path, state: Path, number: int) -> None:
    with running(*command(root, state)) as host:
        wire = Wire(state / "desktop.sock", root)
        wire.call("desktop.health")
        host.process.send_signal(number)
        assert host.ended() == (0, "")
        assert not (state / "desktop.sock").exists()
        wire.close()


def test_running_calls_are_answered_when_the_host_ends(root: Path, state: Path) -> None:
    with running("tests.scripted_host", str(root), str(state)) as host:
        wire = Wire(state / "desktop.sock", root)
        wire.call("desktop.health")
        condition = {"selectorExists": {"titleContains": "Never"}}
        request = {"meta": wire.meta, "condition": condition, "timeoutMs": 60_000}
        message = {"jsonrpc": "2.0", "id": "w", "method": "desktop.waitUntil", "params": request}
        wire.file.write(json.dumps(message).encode() + b"\n")
        wire.file.flush()
        wire.call("desktop.doctor")
        host.process.send_signal(signal.SIGINT)
        assert json.loads(wire.file.readline())["error"]["code"] == "DESKTOP_ABORTED"
        assert wire.file.readline() == b""
        wire.close()


def test_a_host_takes_the_place_of_one_that_was_killed_and_its_used_tokens_stay_used(root: Path, state: Path) -> None:
    params = {"keys": ["enter"]}
    intent = {"method": "desktop.hotkey", "params": params}
    with running("tests.scripted_host", str(root), str(state)) as first:
        wire = Wire(state / "desktop.sock", root)
        token = wire.call("desktop.confirm.issue", intent=intent)["result"]["token"]
        assert "result" in wire.call("desktop.hotkey", confirm={"token": token}, **params)
        first.process.kill()
        first.process.wait()
        wire.close()
    assert (state / "desktop.sock").is_socket()
    with running("tests.scripted_host", str(root), str(state)):
        wire = Wire(state / "desktop.sock", root)
        error = wire.call("desktop.hotkey", confirm={"token": token}, **params)["error"]
        assert (error["code"], error["details"]["reason"]) == ("DESKTOP_CONFIRM_REQUIRED", "used")
        wire.close()


def test_a_file_that_is_not_a_socket_is_not_removed(root: Path, state: Path) -> None:
    state.mkdir(mode=0o700)
    (state / "desktop.sock").write_text("mine")
    with running(*command(root, state)) as host:
        code, complaints = host.ended()
    assert (code, "a socket" in complaints) == (1, True)
    assert (state / "desktop.sock").read_text() == "mine"


def test_a_root_that_is_not_a_folder_is_refused(tmp_path: Path, state: Path) -> None:
    with running(*command(tmp_path / "missing", state)) as host:
        code, complaints = host.ended()
    assert (code, "workspace root" in complaints) == (1, True)


def test_without_a_display_the_host_stays_up_and_names_what_is_missing(root: Path, state: Path) -> None:
    with running(*command(root, state, "--confirm", "contract")):
        wire = Wire(state / "desktop.sock", root)
        health = wire.call("desktop.health")["result"]
        assert health["permissions"]["accessibility"] == "denied"
        doctor = wire.call("desktop.doctor")["result"]
        assert doctor["healthy"] is False
        assert doctor["issues"]
        assert all(fix["fix"] for fix in doctor["fixes"])
        calls: dict[str, dict[str, Any]] = {
            "desktop.observe": {},
            "desktop.find": {"selector": {"byRole": "AXButton"}},
            "desktop.hotkey": {"keys": ["enter"], "confirm": {"phrase": "CONFIRM"}},
        }
        for method, params in calls.items():
            assert wire.call(method, **params)["error"]["code"] == "DESKTOP_PERMISSION_MISSING", method
        wire.close()


def test_the_host_can_end_with_the_process_that_started_it(root: Path, state: Path) -> None:
    with running(*command(root, state, "--until-eof"), stdin=subprocess.PIPE) as host:
        assert host.process.stdin is not None
        host.process.stdin.close()
        host.process.stdin = None
        assert host.ended()[0] == 0
    assert not (state / "desktop.sock").exists()


def test_the_host_can_end_when_it_is_unused(root: Path, state: Path) -> None:
    with running(*command(root, state, "--until-unused", "1")) as host:
        assert host.ended()[0] == 0
    assert not (state / "desktop.sock").exists()
