"""Identifies the peer of a socket: on Linux from the kernel, on macOS as far as encoded data can be tested."""

import os
import socket
import struct
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from handrail.ports.errors import InputOutput
from handrail.stores.local.peers import identify
from handrail.stores.local.peers.linux import LinuxCaller, start_ticks
from handrail.stores.local.peers.macos import peer_of
from handrail.stores.local.peers.sessions import stdio_identity


@pytest.fixture
def pair(tmp_path: Path) -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX)


def test_a_process_is_named_by_pid_user_and_the_program_it_runs(pair: tuple[socket.socket, socket.socket]) -> None:
    caller = identify(pair[0])
    assert (caller.peer.pid, caller.peer.uid) == (os.getpid(), os.getuid())
    assert caller.is_alive()
    assert caller.program() == os.path.realpath(sys.executable)
    caller.close()
    assert not caller.is_alive()
    for end in pair:
        end.close()


def test_a_process_that_has_ended_is_no_longer_alive_and_has_no_program(tmp_path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "s"))
    listening.listen()
    code = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); sys.stdin.read()"
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "s")], stdin=subprocess.PIPE)
    connection, _ = listening.accept()
    caller = LinuxCaller.of(connection)
    assert caller.peer.pid == child.pid
    assert caller.is_alive()
    child.communicate()
    assert not caller.is_alive()
    assert caller.program() is None
    with pytest.raises(InputOutput):
        LinuxCaller.of(connection)
    caller.close()
    connection.close()
    listening.close()


def test_the_start_time_is_found_behind_any_name() -> None:
    assert start_ticks(b"1 (a) b) c)) S " + b" ".join(b"%d" % n for n in range(4, 53))) == 22


def test_a_macos_audit_token_is_taken_apart_and_hashed_whole() -> None:
    token = struct.pack("8I", 1, 501, 20, 501, 20, 4242, 100_010, 77)
    peer = peer_of(token)
    assert (peer.pid, peer.uid) == (4242, 501)
    assert peer.digest == sha256(token).hexdigest()
    again = peer_of(struct.pack("8I", 1, 501, 20, 501, 20, 4242, 100_010, 78))
    assert again.digest != peer.digest, "a later process with the same pid is another one"


@pytest.mark.parametrize("size", [0, 31, 33])
def test_data_that_is_not_an_audit_token_identifies_no_one(size: int) -> None:
    with pytest.raises(InputOutput):
        peer_of(bytes(size))


def lasting_identity(*command: str) -> str:
    """A client started by such a command: its child is the process that serves it."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        assert client.stdin is not None
        served = int(client.stdout.readline())
        agent = stdio_identity(served).agent
        client.stdin.close()
    return agent


def test_a_script_that_is_only_an_argument_of_another_program_lends_it_no_identity(tmp_path: Path) -> None:
    """Approving a client that an interpreter runs doesn't approve programs that name that client as an argument."""
    script = tmp_path / "client.sh"
    script.write_text(serving := "sh -c 'echo $$; read line'; true")
    real = lasting_identity("sh", str(script))
    assert str(script) in real
    assert lasting_identity("sh", str(script), "--verbose") == real
    imitations = [("sh", "-c", serving, str(script)), ("sh", "-e", str(script))]
    assert real not in [lasting_identity(*each) for each in imitations]
