"""The agent's own terminal: keys, size, stops and the end."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.features.cage.plain_user import HANDRAIL, PlainUser, plain_user
from tests.waiting import until


class Screen:
    """A person's terminal with `handrail run` in it."""

    def __init__(self, master: int, slave: int, process: "subprocess.Popen[bytes]") -> None:
        self.master = master
        self.slave = slave
        self.process = process
        self.shown = b""
        os.set_blocking(master, False)

    def shows(self, text: bytes) -> None:
        until(lambda: text in self.read(), lambda: self.shown)

    def read(self) -> bytes:
        try:
            self.shown += os.read(self.master, 65536)
        except (BlockingIOError, OSError):
            return self.shown
        return self.shown

    def types(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def resizes(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def hangs_up(self) -> None:
        """The person closes the window."""
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, self.master)
        os.close(null)

    def ends(self) -> int:
        def ended() -> bool:
            self.read()
            return self.process.poll() is not None

        until(ended, lambda: self.shown)
        return self.process.returncode


@pytest.fixture(scope="module")
def user() -> Iterator[PlainUser]:
    with plain_user() as plain:
        yield plain


@contextmanager
def screen(user: PlainUser, *words: str, **environment: str) -> Iterator[Screen]:
    master, slave = pty.openpty()
    if os.geteuid() == 0:
        os.chmod(os.ttyname(slave), 0o666)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = user.start(
        [str(HANDRAIL), "run", "--", *words],
        env=environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        preexec_fn=take_terminal,
    )
    try:
        yield Screen(master, slave, process)
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def test_size_and_ctrl_c_reach_the_agent_and_the_terminal_is_restored(user: PlainUser) -> None:
    script = (
        "trap 'echo size $(stty size)' WINCH; trap 'echo interrupted; exit 3' INT; echo size $(stty size);"
        "echo terminal $(stat -Lc %t:%T /dev/stdin); while :; do sleep 0.05; done"
    )
    with screen(user, "bash", "-c", script) as terminal:
        before = termios.tcgetattr(terminal.slave)
        terminal.shows(b"size 24 80")
        status = os.fstat(terminal.slave)
        terminal.shows(b"terminal ")
        assert f"terminal {os.major(status.st_rdev):x}:{os.minor(status.st_rdev):x}\r\n".encode() not in terminal.shown
        assert not termios.tcgetattr(terminal.slave)[3] & termios.ICANON
        terminal.resizes(30, 101)
        terminal.shows(b"size 30 101")
        terminal.types(b"\x03")
        terminal.shows(b"interrupted")
        assert terminal.ends() == 3
        assert termios.tcgetattr(terminal.slave) == before


@pytest.mark.trial("cage", is_long=True)
def test_ctrl_z_stops_the_launcher_until_it_is_continued(user: PlainUser) -> None:
    with screen(user, "bash", "-c", "exec cat") as terminal:
        terminal.types(b"one\r")
        terminal.shows(b"one\r\none")
        terminal.types(b"\x1a")
        until(lambda: _state(terminal.process.pid) == "T", "the launcher stops")
        assert termios.tcgetattr(terminal.slave)[3] & termios.ICANON
        os.kill(terminal.process.pid, signal.SIGCONT)
        until(lambda: not termios.tcgetattr(terminal.slave)[3] & termios.ICANON, "the terminal is the agent's again")
        terminal.types(b"two\r")
        terminal.shows(b"two\r\ntwo")
        terminal.types(b"\x04")
        assert terminal.ends() == 0


def test_a_closed_terminal_ends_the_agent(user: PlainUser) -> None:
    with screen(user, "bash", "-c", "trap 'exit 9' HUP; echo ready; while :; do sleep 0.05; done") as terminal:
        terminal.shows(b"ready")
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.ends() == 9


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.trial("cage", is_long=True)
def test_an_agent_that_ignores_the_end_of_its_terminal_does_not_go_on_unseen(user: PlainUser) -> None:
    with screen(user, "bash", "-c", "trap '' HUP; echo ready; while :; do sleep 0.05; done") as terminal:
        terminal.shows(b"ready")
        terminal.hangs_up()
        until(lambda: terminal.process.poll() is not None)


def test_an_agent_that_reads_no_keys_is_still_ended_by_signals(user: PlainUser) -> None:
    """Its terminal is full: a pasted text, or the answers of the person's terminal to the agent's questions."""
    with screen(user, "bash", "-c", "trap '' TERM; stty raw -echo; echo ready; while :; do sleep 1; done") as terminal:
        terminal.shows(b"ready")

        def is_full() -> bool:
            try:
                os.write(terminal.master, b"x" * 1000)
            except BlockingIOError:
                return True
            return False

        until(lambda: is_full() and is_full())

        def signalled() -> bool:
            terminal.process.send_signal(signal.SIGTERM)
            return terminal.process.poll() is not None

        until(signalled)
