"""`handrail up` and `handrail mcp` as processes: start, requirements and shutdown."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.credentials import agent_token
from tests.faces.cli.machine import HANDRAIL, Machine
from tests.faces.cli.terminal import PROMPT, Terminal
from tests.persons import without_presence
from tests.waiting import PATIENCE, until

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


@contextmanager
def up(machine: Machine, *words: str, **environ: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [HANDRAIL, "up", "--port", "0", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=machine.project,
        env=machine.environ(**environ),
    )
    assert process.stdout is not None
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert address is not None
        yield process, address[0]
    finally:
        process.kill()
        process.communicate()


def call(machine: Machine, address: str, tool: str, params: dict[str, Any], task: str = "t") -> Any:
    token = agent_token(machine.state)
    request = urllib.request.Request(
        f"{address}/api/tools/{tool}",
        json.dumps(params).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "X-Task-Id": task},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]


@pytest.mark.trial("commands", is_long=True)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_up_serves_until_a_signal_and_leaves_in_order(machine: Machine, number: signal.Signals) -> None:
    with up(machine) as (process, address):
        with urllib.request.urlopen(f"{address}/health", timeout=PATIENCE) as health:
            assert health.status == 200
        result = call(machine, address, "search_files", {"path": ".", "regex": "tw"})
        assert result["matches"][0]["preview"] == "two"
        running = {check["name"]: check for check in machine.run("doctor", "--json").json["checks"]}["handrail up"]
        assert (running["ok"], f"process {process.pid}" in running["detail"]) == (True, True)
        process.send_signal(number)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_up_says_where_it_is_and_after_that_only_what_is_wrong(machine: Machine) -> None:
    with up(machine) as (process, address):
        assert call(machine, address, "read_file", {"path": "a.txt"})["bytes"] == 8
        token = agent_token(machine.state)
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        request = urllib.request.Request(f"{address}/mcp", json.dumps(INITIALIZE).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert b"serverInfo" in answer.read()
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=10) as client:
            client.sendall(b"no HTTP\r\n\r\n")
            while client.recv(4096):
                pass
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    assert out == ""
    assert err == "handrail: WARNING uvicorn.error: Invalid HTTP request received.\n"


def test_a_port_in_use_is_an_error_that_says_what_to_do(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = occupied.getsockname()[1]
        refused = machine.run("up", "--port", str(port), "--no-open")
    assert (refused.status, refused.out) == (1, "")
    assert f"Port {port} is in use" in refused.err
    assert "--port" in refused.err


def test_a_second_up_on_the_same_state_names_the_first(machine: Machine) -> None:
    with up(machine) as (_, address):
        refused = machine.run("up", "--port", "0")
        assert refused.status == 1
        assert f"already running on this state directory at {address}" in refused.err


@pytest.mark.trial("commands", is_long=True)
def test_up_asks_on_its_own_terminal_one_question_at_a_time(machine: Machine) -> None:
    machine.put("b.txt", "two\n")
    terminal = Terminal(machine, "up", "--port", "0", stdout_is_terminal=True)
    address = re.search(r"http://[0-9.:]+", terminal.wait_for("Ctrl-C stops it"))
    assert address is not None
    with ThreadPoolExecutor() as clients:
        calls = [
            clients.submit(
                call, machine, address[0], "replace_in_file", {"path": path, "find": "two", "replace": "2"}, task=path
            )
            for path in ("a.txt", "b.txt")
        ]
        assert terminal.wait_for(PROMPT).count("handrail asks") == 1
        terminal.press("y\n")
        assert terminal.wait_for(PROMPT).count("handrail asks") == 1
        terminal.press("y\n")
        assert [answer.result(30)["count"] for answer in calls] == [1, 1]
    terminal.press("\x03")
    assert terminal.end()[0] == 0
    assert (machine.text("a.txt"), machine.text("b.txt")) == ("one\n2\n", "2\n")


@pytest.mark.trial("commands", is_long=True)
def test_up_opens_the_browser_where_there_is_a_display(machine: Machine, tmp_path: Path) -> None:
    address_file, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {address_file}.new && mv {address_file}.new {address_file}\n')
    browser.chmod(0o755)
    with up(machine, BROWSER=str(browser), DISPLAY=":77") as (_, address):
        until(address_file.exists)
        assert address_file.read_text().strip().startswith(address)
    address_file.unlink()
    with up(machine, "--no-open", BROWSER=str(browser), DISPLAY=":77") as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert not address_file.exists()


@pytest.mark.trial("commands", is_long=True)
def test_trust_granted_or_revoked_elsewhere_applies_at_once(machine: Machine) -> None:
    machine.put(".handrail/policy.json", '{"rules": [{"tool": "replace_in_file", "decision": "allow"}]}')
    params = {"path": "a.txt", "find": "two", "replace": "2"}
    with up(machine, "--answer", "deny") as (_, address):
        with pytest.raises(urllib.error.HTTPError):
            call(machine, address, "replace_in_file", params)
        without_presence(machine.state)
        machine.run("policy", "trust", "--answer", "allow")
        assert call(machine, address, "replace_in_file", params)["count"] == 1
        machine.run("policy", "distrust")
        with pytest.raises(urllib.error.HTTPError):
            call(machine, address, "replace_in_file", {"path": "a.txt", "find": "2", "replace": "3"})


def mcp(machine: Machine, *messages: object, flags: tuple[str, ...] = ()) -> list[Any]:
    result = machine.run("mcp", *flags, stdin=b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    assert (result.status, result.err) == (0, "")
    return [json.loads(line) for line in result.out.splitlines()]


def test_mcp_leaves_nothing_open(machine: Machine) -> None:
    result = machine.run("mcp", stdin=json.dumps(INITIALIZE).encode() + b"\n", PYTHONWARNINGS="default")
    assert (result.status, result.err) == (0, "")


def test_mcp_writes_only_answers_to_stdout_and_ends_with_its_input(machine: Machine) -> None:
    write = {"name": "replace_in_file", "arguments": {"path": "a.txt", "find": "two", "replace": "2"}}
    ask = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": write}
    denying = mcp(machine, INITIALIZE, INITIALIZED, LIST, ask, flags=("--answer", "deny", "--tools", "all"))
    answers = {answer["id"]: answer["result"] for answer in denying}
    assert answers[1]["serverInfo"]["name"] == "handrail"
    names = [tool["name"] for tool in answers[2]["tools"]]
    known = [tool["name"] for tool in machine.run("tools", "--json").json["tools"]]
    developers, finders = {"execute_command", "browser_action"}, {"tools_search", "tools_describe", "tools_call"}
    assert names == [name for name in known if name not in developers | finders], "no developer mode, no compact list"
    assert "denied by --answer deny" in answers[3]["content"][0]["text"]
    allowed = mcp(machine, INITIALIZE, INITIALIZED, ask, flags=("--answer", "allow", "--tools", "workspace"))
    assert allowed[-1]["result"]["structuredContent"]["count"] == 1


def test_mcp_refuses_a_surface_that_does_not_exist(machine: Machine) -> None:
    refused = machine.run("mcp", "--tools", "workspace,spaceship")
    assert (refused.status, refused.out) == (1, "")
    assert "spaceship" in refused.err


def test_mcp_in_a_terminal_never_asks_there_and_ends_at_ctrl_c(machine: Machine) -> None:
    terminal = Terminal(machine, "mcp")
    terminal.press(json.dumps(INITIALIZE) + "\n")
    assert b'"serverInfo"' in terminal.first_line()
    terminal.press("\x03")
    assert terminal.end()[0] == 0
    assert "Traceback" not in terminal.screen


@pytest.mark.alone
@pytest.mark.parametrize("typed", ["", json.dumps(INITIALIZE)], ids=["nothing", "half a line"])
def test_mcp_at_a_terminal_ends_at_once_at_ctrl_c(machine: Machine, typed: str) -> None:
    terminal = Terminal(machine, "mcp", stdout_is_terminal=True)
    terminal.press(json.dumps(INITIALIZE) + "\n")
    terminal.wait_for("serverInfo")
    terminal.press(typed)
    pressed = time.monotonic()
    terminal.press("\x03")
    assert terminal.end()[0] == 0
    assert time.monotonic() - pressed < 2
    assert "Traceback" not in terminal.screen


def test_mcp_reads_a_file_to_its_end_however_long_it_is(machine: Machine) -> None:
    pings = [
        {"jsonrpc": "2.0", "id": number, "method": "ping", "params": {"_meta": {"padding": "x" * 100_000}}}
        for number in range(2, 32)
    ]
    messages = [INITIALIZE, INITIALIZED, *pings]
    requests = machine.put("requests.jsonl", "\n".join(map(json.dumps, messages)))  # no newline at the end
    with requests.open("rb") as file:
        result = subprocess.run(
            [HANDRAIL, "mcp"],
            stdin=file,
            capture_output=True,
            cwd=machine.project,
            env=machine.environ(),
            timeout=60,
        )
    assert (result.returncode, result.stderr) == (0, b"")
    assert {json.loads(line)["id"] for line in result.stdout.splitlines()} == set(range(1, 32))


@pytest.mark.trial("commands", is_long=True)
def test_mcp_starts_without_what_it_does_not_need(machine: Machine) -> None:
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "handrail", "mcp"],
        input=json.dumps(INITIALIZE).encode() + b"\n",
        capture_output=True,
        cwd=machine.project,
        env=machine.environ(PYTHONPATH=os.pathsep.join(sys.path)),
        timeout=60,
    )
    assert b"serverInfo" in result.stdout
    imported = {line.rpartition(b"|")[2].strip().decode() for line in result.stderr.splitlines() if b"|" in line}
    assert "handrail.wiring" in imported
    assert imported.isdisjoint({"rich", "sqlite3", "jsonschema_rs", "re2", "webbrowser"})
