"""An agent asks while nobody watches: the real program notifies a person."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from handrail.stores.local.viewers import watching
from tests.e2e.agents import Agent
from tests.persons import HANDRAIL, Person
from tests.waiting import PATIENCE, until
from tests.wire.stage import START


def server(state: Path) -> Any:
    file = state / "server.json"
    return json.loads(file.read_bytes()) if file.exists() else {"pid": 0}


def answers(port: int) -> bool:
    with suppress(httpx2.TransportError):
        return httpx2.get(f"http://127.0.0.1:{port}/health").status_code == 200
    return False


def has_called(state: Path) -> bool:
    """The marker is written before a server or browser starts, which takes longer than a test may wait."""
    return (state / "summons").exists()


@contextmanager
def agent(project: Path, state: Path, **environ: str) -> Iterator[Agent]:
    agent_client = Agent(project, state, **environ)
    try:
        yield agent_client
    finally:
        agent_client.close()
        if pid := server(state)["pid"]:
            until(lambda: answers(server(state)["port"]), "the server to answer, which ends in order from then on")
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            until(lambda: server(state)["pid"] == 0)


def test_without_a_display_the_agent_gets_the_address_and_the_command(project: Path, state: Path) -> None:
    with agent(project, state) as client:
        client.asks()
        message = client.wait_for_progress("No one is watching")
        assert has_called(state)
        running = server(state)
        assert f"http://127.0.0.1:{running['port']}" in message
        assert "handrail prompts" in message
        assert "make the same call again later" in message, "the client's last message, should it give up"
        assert "code=" not in message, "the client is the agent's own program"
        assert httpx2.get(f"http://127.0.0.1:{running['port']}/health").json()["data"]["pid"] == running["pid"]
        Person(state).answers("--ok")
        assert client.result()["isError"] is False
    assert "city" in (project / START).read_text()


@pytest.mark.trial("commands", is_long=True)
def test_with_a_display_the_console_opens_and_lets_the_person_in(project: Path, state: Path, tmp_path: Path) -> None:
    address_file = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> {address_file}\n')
    browser.chmod(0o755)
    with agent(project, state, DISPLAY=":99", BROWSER=f"{browser} %s") as client:
        client.asks()
        client.wait_for_progress("the console opens in a browser")
        until(address_file.exists)
        address, _, code = address_file.read_text().strip().partition("/#code=")
        let_in = httpx2.post(f"{address}/api/session", json={"code": code}, headers={"origin": address})
        assert let_in.status_code == 200, let_in.text
        Person(state).answers("--ok")
        assert client.result()["isError"] is False


@pytest.mark.trial("commands", is_long=True)
def test_a_port_in_use_does_not_stop_the_server(project: Path, state: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with agent(project, state, HANDRAIL_PORT=str(taken)) as client:
            client.asks()
            client.wait_for_progress("No one is watching")
            assert server(state)["port"] != taken
            Person(state).answers("--cancel")
            assert client.result()["isError"] is True


def test_a_person_who_is_already_watching_is_not_notified(project: Path, state: Path) -> None:
    state.mkdir()
    with watching(state), agent(project, state) as client:
        client.asks()
        client.wait_for_progress("handrail prompts show")
        Person(state).answers("--cancel")
        client.result()
        assert not has_called(state)


def test_a_setting_turns_it_off(project: Path, state: Path) -> None:
    with agent(project, state, HANDRAIL_CALL_PERSON="false") as client:
        client.asks()
        client.wait_for_progress("handrail prompts show")
        Person(state).answers("--cancel")
        client.result()
        assert not has_called(state)


def test_a_server_started_on_demand_ends_when_it_is_unused(project: Path, state: Path) -> None:
    folders = ["--project", str(project), "--state", str(state)]
    with subprocess.Popen(
        [HANDRAIL, "up", *folders, "--port", "0", "--no-open", "--until-unused", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as client_process:
        assert client_process.stdin is not None
        assert client_process.stdout is not None
        client_process.stdout.readline()
        client_process.stdin.close()
        assert client_process.wait(timeout=PATIENCE) == 0
    assert server(state)["pid"] == 0
