"""What a supervised child program guarantees to the process that started it."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from handrail.features.webgal.backends.supervised_program import SupervisedProgram, start_program
from tests.waiting import eventually

pytestmark = pytest.mark.anyio
Begin = Callable[..., SupervisedProgram]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    def begin(*command: str, environ: Mapping[str, str] | None = None) -> SupervisedProgram:
        folder = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            return start_program(command, folder, environ or {"PATH": os.environ["PATH"]})
        finally:
            os.close(folder)

    return begin


async def printed(program: SupervisedProgram) -> str:
    return b"".join([chunk async for chunk in program.chunks()]).decode()


def is_there(pid: str) -> bool:
    return Path("/proc", pid).exists()


async def test_it_runs_in_the_folder_with_that_environment_and_nothing_to_read(begin: Begin, tmp_path: Path) -> None:
    params = {"LC_ALL": "C.UTF-8", "A": "1"}
    line = 'pwd; cat; env | grep -v "^_=\\|^PWD=\\|^SHLVL=\\|^HANDRAIL_RUN=" | sort; ls /proc/self/fd'
    program = begin("/bin/sh", "-c", line, environ=params)
    lines = (await printed(program)).splitlines()
    assert lines[:3] == [str(tmp_path), "A=1", "LC_ALL=C.UTF-8"]
    assert lines[3:] in (["0", "1", "2", "3"], ["0", "1", "2"]), "no descriptor of ours is handed on"
    assert program.status == 0


@pytest.mark.parametrize(("line", "status"), [("exit 3", 3), ("kill -9 $$", 137), ("no-such-command", 127)])
async def test_its_status_is_the_commands_shell_status(begin: Begin, line: str, status: int) -> None:
    program = begin("/bin/sh", "-c", line)
    await printed(program)
    assert program.status == status


async def test_a_command_that_is_not_there_says_so(begin: Begin) -> None:
    program = begin("no-such-command")
    assert "no-such-command" in await printed(program)
    assert program.status == 127


async def test_it_runs_in_its_own_session(begin: Begin) -> None:
    program = begin(sys.executable, "-c", "import os; print(os.getpid() == os.getsid(0), os.getsid(os.getppid()))")
    is_leader, keepers = (await printed(program)).split()
    assert is_leader == "True"
    assert int(keepers) != os.getsid(0)


async def test_ending_it_waits_until_nothing_is_left(begin: Begin, tmp_path: Path) -> None:
    stubborn = "trap '' TERM; echo $$ >> pids; while :; do sleep 1; done"
    program = begin("/bin/sh", "-c", f'setsid sh -c "{stubborn.replace("$", chr(92) + "$")}" & {stubborn}')

    def are_two() -> bool:
        file = tmp_path / "pids"
        return file.exists() and len(file.read_text().split()) == 2

    await eventually(are_two)
    assert program.status is None
    await program.end_and_wait()
    assert program.status == 128 + signal.SIGKILL
    assert not any(map(is_there, (tmp_path / "pids").read_text().split()))


async def test_ending_it_twice_or_after_its_end_is_nothing(begin: Begin) -> None:
    program = begin("true")
    await printed(program)
    await program.end_and_wait()
    program.end()
    assert program.status == 0


async def test_the_ports_of_its_children_are_known(begin: Begin) -> None:
    program = begin("/bin/sh", "-c", f"{sys.executable} -m http.server 0 --bind 127.0.0.1 & wait")

    await eventually(lambda: bool(program.ports()))
    (port,) = program.ports()
    with socket.create_connection(("127.0.0.1", port), timeout=10):
        pass
    await program.end_and_wait()
    assert program.ports() == []


async def test_a_command_that_kills_its_keeper_ends_with_all_that_carries_its_mark(
    begin: Begin, tmp_path: Path
) -> None:
    script = "trap '' TERM; echo \\$\\$ >> pids; while :; do sleep 1; done"
    program = begin("/bin/sh", "-c", f'setsid sh -c "{script}" & until [ -s pids ]; do sleep 0.01; done; kill -9 $PPID')
    async with asyncio.timeout(60):
        await printed(program)
    assert program.status == 128 + signal.SIGKILL
    assert program.may_have_left_something
    (pid,) = (tmp_path / "pids").read_text().split()
    await eventually(lambda: not is_there(pid))  # nobody of ours is its parent


async def test_a_finished_command_leaves_nothing_behind(begin: Begin) -> None:
    program = begin("/bin/sh", "-c", "kill -9 $$")
    await printed(program)
    assert not program.may_have_left_something
