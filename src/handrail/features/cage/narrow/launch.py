"""Starts an agent in a narrow cage: a keeper, and the agent below it with Landlock and a filter of system calls."""

import fcntl
import os
import signal
import socket
import sys
import termios
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from handrail.features.cage.launch import Caged, Streams, close_all_but
from handrail.features.cage.narrow import landlock
from handrail.features.cage.narrow.answers import Answer, Answers
from handrail.features.cage.narrow.keeper import adopt, end_everything, keep
from handrail.features.cage.narrow.notifications import load_filter, receive_listener, send_listener
from handrail.features.cage.narrow.places import Places
from handrail.features.cage.narrow.processes import children
from handrail.features.cage.narrow.rules import ASKED, LANDLOCK_PARTS, NARROW_REFUSED, LandlockPart
from handrail.features.cage.spec import ENDPOINT_PORT, CageSpec
from handrail.features.cage.syscalls import Refused, filter_program, number_of
from handrail.ports.errors import InputOutput

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")
_ALSO_READ = (
    "/proc",
    "/etc/passwd",
    "/etc/group",
    "/etc/hosts",
    "/etc/hostname",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
)
_READY = b"ready"


class NarrowSpec(NamedTuple):
    """`spec.project` is the copy that the agent works on; `written` are folders that it may write besides."""

    spec: CageSpec
    written: Sequence[str]
    read: Sequence[str]
    hooks: str
    """The socket on which hooks are answered."""
    refused: Sequence[Refused] = NARROW_REFUSED
    asked: Sequence[str] = ASKED
    landlock: Sequence[LandlockPart] = LANDLOCK_PARTS

    @property
    def all_written(self) -> list[str]:
        mounts = [mount.source for mount in self.spec.mounts if mount.is_writable]
        return [self.spec.project, self.spec.home, *self.written, *mounts]

    @property
    def all_read(self) -> list[str]:
        return [*_ALSO_READ, *self.read, *(mount.source for mount in self.spec.mounts)]


class NarrowCaged(Caged):
    """`pid` is the keeper's. `inside` is its line: when that closes, it ends everything."""

    def agent(self) -> int | None:
        found = children(self.pid)
        return found[0] if found else None

    def kill(self) -> None:
        self.inside.shutdown(socket.SHUT_RDWR)


def start_narrow(narrow: NarrowSpec, streams: Streams) -> NarrowCaged:
    """Everything but the agent itself, which `start` starts. InputOutput."""
    program = filter_program(narrow.refused, asked=narrow.asked)
    endpoint = socket.create_server(("127.0.0.1", 0), backlog=256)
    places = Places(narrow.all_written, narrow.all_read)
    own = Answers(places, (ENDPOINT_PORT, endpoint.getsockname()[1]), narrow.hooks)
    answers: dict[int, Answer] = {
        number: getattr(own, name) for name in narrow.asked if (number := number_of(name)) is not None
    }
    line, keepers_line = socket.socketpair()
    wait, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be_keeper(narrow, streams, program, answers, keepers_line, wait)
    keepers_line.close()
    os.close(wait)
    said = line.recv(4096)
    if said != _READY:
        os.waitpid(pid, 0)
        why = said.decode(errors="replace") or "it ended early"
        raise InputOutput(
            f"The narrow cage can't be made: {why}.", hint="`handrail doctor` says what this machine has."
        )
    return NarrowCaged(pid, os.pidfd_open(pid), endpoint, line, go)


def _be_keeper(
    narrow: NarrowSpec,
    streams: Streams,
    program: bytes,
    answers: dict[int, Answer],
    line: socket.socket,
    wait: int,
) -> NoReturn:
    code = 1
    try:
        os.setsid()  # Ctrl-C at the launcher's terminal is the agent's, and comes to it from the launcher
        adopt()
        agents, ours = socket.socketpair()
        agent = os.fork()
        if agent == 0:
            _be_agent(narrow, streams, program, agents, wait)
        agents.close()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        close_all_but(line.fileno(), ours.fileno())
        said, listener = receive_listener(ours)
        if said == _READY and listener is not None:
            line.send(_READY)
            code = keep(agent, listener, line, answers)
        else:
            line.send(said or b"the agent's process ended early")
    except BaseException as fault:  # noqa: BLE001 - whatever it is, the launcher says it and everything ends
        line.send(str(fault).encode())
    end_everything()
    os._exit(code)


def _be_agent(narrow: NarrowSpec, streams: Streams, program: bytes, line: socket.socket, wait: int) -> NoReturn:
    try:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.setsid()
        for target, descriptor in enumerate(streams.descriptors):
            os.dup2(descriptor, target)
        close_all_but(line.fileno(), wait)
        devices = [f"/dev/{name}" for name in _DEVICES]
        if streams.has_terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            devices.append(os.ttyname(0))
        os.chdir(narrow.spec.project)
        _restrict(narrow, devices)
        send_listener(line, load_filter(program))
    except BaseException as fault:  # noqa: BLE001
        line.send(str(fault).encode())
        os._exit(1)
    close_all_but(wait)
    if not os.read(wait, 1):
        os._exit(1)
    os.close(wait)
    command, environment = narrow.spec.command, dict(narrow.spec.environment)
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        print(f"handrail: {command[0]}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(127)


def _restrict(narrow: NarrowSpec, devices: Sequence[str]) -> None:
    allowed = [(path, landlock.READ) for path in narrow.all_read]
    allowed += [(path, landlock.WRITE) for path in narrow.all_written]
    allowed += [(path, landlock.USE_DEVICE) for path in devices]
    files = network = scoped = 0
    for part in narrow.landlock:
        files, network, scoped = files | part.files, network | part.network, scoped | part.scoped
    landlock.restrict(allowed, files=files, network=network, scoped=scoped)
