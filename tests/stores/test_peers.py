"""Who is at the other end of a socket, on Linux by asking the kernel, on macOS as far as bytes can tell it."""

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
def test_what_is_no_audit_token_names_nobody(size: int) -> None:
    with pytest.raises(InputOutput):
        peer_of(bytes(size))
