"""`handrail open` and the address that `handrail up` prints for people."""

import json
import re
import signal
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.faces.cli.machine import Machine
from tests.faces.cli.terminal import Terminal
from tests.faces.cli.test_servers import up
from tests.waiting import PATIENCE, until

WITH_CODE = re.compile(r"(http://127\.0\.0\.1:\d+)/#code=([A-Za-z0-9_-]{32})")


def exchange(address: str, code: str) -> Any:
    request = urllib.request.Request(
        f"{address}/api/session", json.dumps({"code": code}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.headers["set-cookie"]


def browser(folder: Path) -> tuple[Path, Path]:
    address_file, program = folder / "opened", folder / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {address_file}.new && mv {address_file}.new {address_file}\n')
    program.chmod(0o755)
    return program, address_file


def appears(file: Path) -> str:
    until(file.exists)
    return file.read_text().strip()


def test_open_prints_an_address_that_lets_one_browser_in_where_there_is_no_display(machine: Machine) -> None:
    with up(machine, "--no-open") as (_, address):
        printed = machine.run("open")
        assert (printed.status, printed.err) == (0, "")
        match = WITH_CODE.fullmatch(printed.out.strip())
        assert match is not None
        assert match[1] == address
        assert exchange(address, match[2]).startswith("handrail_session_")
        assert machine.run("open").out != printed.out


@pytest.mark.trial("commands", is_long=True)
def test_open_opens_the_browser_where_there_is_a_display(machine: Machine, tmp_path: Path) -> None:
    program, address_file = browser(tmp_path)
    with up(machine, "--no-open") as (_, address):
        result = machine.run("open", BROWSER=str(program), DISPLAY=":77")
        assert (result.status, result.out) == (0, "")
        match = WITH_CODE.fullmatch(appears(address_file))
        assert match is not None
        assert exchange(address, match[2])
        printed = machine.run("open", "--print", BROWSER=str(program), DISPLAY=":77")
        assert WITH_CODE.fullmatch(printed.out.strip())


@pytest.mark.trial("commands", is_long=True)
def test_open_without_a_server_says_what_to_do(machine: Machine) -> None:
    for _ in range(2):
        refused = machine.run("open")
        assert (refused.status, refused.out) == (1, "")
        assert "handrail up" in refused.err
        with up(machine, "--no-open") as (process, _):
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0


def test_open_does_not_take_another_program_for_handrail(machine: Machine) -> None:
    machine.run("doctor")
    stale = {"pid": 1, "host": "127.0.0.1", "port": 1, "token": "t" * 43}
    (machine.state / "server.json").write_text(json.dumps(stale))
    refused = machine.run("open")
    assert (refused.status, refused.out) == (1, "")
    assert "handrail up" in refused.err
    assert "t" * 43 not in refused.err


def test_open_without_the_persons_key_says_so(machine: Machine) -> None:
    with up(machine, "--no-open"):
        (machine.state / "console.key").unlink()
        refused = machine.run("open")
        assert (refused.status, refused.out) == (1, "")
        assert "Restart it" in refused.err


def test_up_opens_the_console_with_a_code_and_prints_none(machine: Machine, tmp_path: Path) -> None:
    program, address_file = browser(tmp_path)
    with up(machine, BROWSER=str(program), DISPLAY=":77") as (process, address):
        match = WITH_CODE.fullmatch(appears(address_file))
        assert match is not None
        assert exchange(address, match[2])
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        assert (out, err) == ("", "")


@pytest.mark.trial("commands", is_long=True)
def test_up_gives_the_code_to_a_terminal_and_never_to_a_log(machine: Machine) -> None:
    with up(machine, "--no-open") as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=PATIENCE) == ("", "")  # after the line with the plain address

    terminal = Terminal(machine, "up", "--port", "0", "--no-open", stdout_is_terminal=True)
    output = terminal.wait_for("#code=") + terminal.wait_for("\n")
    assert "Ctrl-C stops it" in output
    match = WITH_CODE.search(output)
    assert match is not None
    assert exchange(match[1], match[2])
    terminal.press("\x03")
    assert terminal.end()[0] == 0
