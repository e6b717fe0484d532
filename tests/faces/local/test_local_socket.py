"""The local socket with real connections: callers, refusals, and clients of a silent server."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from handrail.faces.jsonrpc.socket_file import open_socket
from handrail.faces.local import client
from handrail.faces.local.server import LocalServer
from handrail.kernel.local_service import LocalCaller, LocalSession
from handrail.kernel.project import Project
from handrail.ports.errors import NotFound
from handrail.stores.local.machine import this_machine
from handrail.stores.local.peers.linux import start_ticks

CHILD = """
import sys
from handrail.faces.local import client
wire = client.connect(sys.argv[1], "echo", {"said": "anything"})
print(wire.read_line().decode())
"""


def identify_caller(connection: socket.socket) -> LocalCaller:
    machine = this_machine()
    caller = machine.identify(connection)
    try:
        pid = caller.peer.pid
        return LocalCaller(pid, caller.peer.uid, machine.agent_identity(pid), machine.stdio_identity(pid))
    finally:
        caller.close()


def this_process() -> str:
    return f"process:{os.getpid()}.{start_ticks(Path('/proc/self/stat').read_bytes())}"


async def echo(session: LocalSession) -> None:
    """Returns the caller, then repeats one line."""
    who = {"pid": session.caller.pid, "agent": session.caller.identity.connection, "cage": session.caller.cage}
    await session.stream.write(json.dumps(who).encode() + b"\n")
    if (line := await session.stream.read_line()) is not None:
        await session.stream.write(line + b"\n")


async def find_project(folder: str | None) -> Project:
    if folder == "/nowhere":
        raise NotFound("There is no project folder /nowhere.")
    return cast(Project, folder)


@asynccontextmanager
async def listening(path: Path, cage: str | None = None) -> AsyncIterator[str]:
    with open_socket(path) as listener:
        server = LocalServer({"echo": lambda: echo}, find_project, identify_caller)
        async with server.listening(listener, cage=cage):
            yield str(path)


def called(path: str, **members: Any) -> dict[str, Any]:
    wire = client.connect(path, "echo", members)
    try:
        who: dict[str, Any] = json.loads(wire.read_line())
        wire.send(b"again\n")
        assert wire.read_line() == b"again"
        return who
    finally:
        wire.close()


async def test_a_caller_is_identified_by_the_kernel_and_not_by_its_claims(tmp_path: Path) -> None:
    async with listening(tmp_path / "local.sock") as path:
        who = await asyncio.to_thread(called, path, pid=1, agent="program:0:/bin/true", cage="mine")
    assert who["pid"] == os.getpid()
    assert who["cage"] is None


async def test_all_processes_of_one_agent_have_its_identity_also_through_a_shell(tmp_path: Path) -> None:
    async with listening(tmp_path / "local.sock") as path:
        command = f"{sys.executable} -c '{CHILD}' {path}; true"
        through_shell, direct = [
            json.loads((await asyncio.to_thread(subprocess.run, how, capture_output=True, check=True)).stdout)
            for how in (["/bin/sh", "-c", command], [sys.executable, "-c", CHILD, path])
        ]
    assert through_shell["agent"] == direct["agent"] == this_process()


async def test_only_the_socket_decides_that_a_caller_is_in_a_cage(tmp_path: Path) -> None:
    async with listening(tmp_path / "cage.sock", cage="claude-1") as path:
        assert (await asyncio.to_thread(called, path))["cage"] == "claude-1"


@pytest.mark.parametrize(
    ("hello", "says"),
    [
        (b"\n", "NotJson"),
        (b"garbage\n", "NotJson"),
        (b'{"service": "echo"}\n', "Unsupported"),
        (b'{"service": "echo", "version": 2}\n', "Unsupported"),
        (b'{"service": "none", "version": 1}\n', "NotFound"),
        (b'{"service": "echo", "version": 1, "project": 3}\n', "InvalidParams"),
        (b'{"service": "echo", "version": 1, "project": "/nowhere"}\n', "NotFound"),
        (b'{"service": "echo", "service": "echo", "version": 1}\n', "InvalidParams"),
        (b'{"service": "' + b"x" * 70_000 + b'", "version": 1}\n', "InvalidParams"),
    ],
)
async def test_a_hello_that_makes_no_sense_is_refused_with_the_reason(tmp_path: Path, hello: bytes, says: str) -> None:
    def refused(path: str) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as raw:
            raw.connect(path)
            raw.sendall(hello)
            answer: dict[str, Any] = json.loads(raw.recv(65536))
            return answer

    async with listening(tmp_path / "local.sock") as path:
        answer = await asyncio.to_thread(refused, path)
    assert answer["ok"] is False
    assert answer["error"]["condition"] == says


def test_without_a_server_the_client_says_so(tmp_path: Path) -> None:
    with pytest.raises(client.NoServer):
        client.connect(str(tmp_path / "local.sock"), "echo", {})
    with open_socket(tmp_path / "dead.sock"):
        pass
    with pytest.raises(client.NoServer):
        client.connect(str(tmp_path / "dead.sock"), "echo", {})


def test_a_server_that_hangs_is_refused_and_not_taken_for_none(tmp_path: Path) -> None:
    with open_socket(tmp_path / "local.sock"), pytest.raises(client.ServerRefused):  # it listens but never accepts
        client.connect(str(tmp_path / "local.sock"), "echo", {}, seconds=0.05)


async def test_a_clients_paths_reach_the_server_unchanged(tmp_path: Path) -> None:
    replies: list[Any] = []

    async def hear(session: LocalSession) -> None:
        replies.append(session.hello["said"])

    names = ['a"b\\c', "line\nbreak\ttab\x01", "名前 🚲", ""]
    with open_socket(tmp_path / "local.sock") as listener:
        server = LocalServer({"hear": lambda: hear}, find_project, identify_caller)
        async with server.listening(listener):
            for name in names:
                wire = await asyncio.to_thread(client.connect, str(tmp_path / "local.sock"), "hear", {"said": name})
                assert await asyncio.to_thread(wire.read_line) == b""
                wire.close()
    assert replies == names


def test_a_long_path_of_the_state_directory_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 100) / ("y" * 100)
    folder.mkdir(parents=True)

    async def reach() -> dict[str, Any]:
        async with listening(folder / "local.sock") as path:
            return await asyncio.to_thread(called, path)

    assert asyncio.run(reach())["pid"] == os.getpid()


def test_a_server_that_ends_during_the_handshake_counts_as_gone_and_can_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, its = socket.socketpair()
    its.close()
    monkeypatch.setattr(client, "_connect", lambda path, seconds: ours)
    with pytest.raises(client.ServerEnded):
        client.send_hello(str(tmp_path / "socket"), "mcp", {})
