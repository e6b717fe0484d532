"""Starts an agent in a narrow cage: a supervisor, and below it the agent with Landlock and a filter of system calls."""

import fcntl
import os
import signal
import socket
import sys
import termios
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from handrail.features.cage.launch import CagedAgent, Streams, close_all_but
from handrail.features.cage.narrow import landlock
from handrail.features.cage.narrow.allowed_files import AllowedFiles
from handrail.features.cage.narrow.notifications import load_filter, receive_listener, send_listener
from handrail.features.cage.narrow.processes import children
from handrail.features.cage.narrow.rules import LANDLOCK_PARTS, NARROW_REFUSED_CALLS, SUPERVISED_CALLS, LandlockPart
from handrail.features.cage.narrow.supervisor import become_subreaper, end_everything, supervise
from handrail.features.cage.narrow.syscall_handlers import SyscallHandler, SyscallHandlers
from handrail.features.cage.spec import ENDPOINT_PORT, CageSpec
from handrail.features.cage.syscalls import Refusal, filter_program, number_of
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
    """`spec.project` is the copy that the agent works on; `written` are other folders that it may write."""

    spec: CageSpec
    written: Sequence[str]
    read: Sequence[str]
    hooks: str
    """The socket on which hooks are answered."""
    refused: Sequence[Refusal] = NARROW_REFUSED_CALLS
    supervised: Sequence[str] = SUPERVISED_CALLS
    landlock: Sequence[LandlockPart] = LANDLOCK_PARTS

    @property
    def all_written(self) -> list[str]:
        mounts = [mount.source for mount in self.spec.mounts if mount.is_writable]
        return [self.spec.project, self.spec.home, *self.written, *mounts]

    @property
    def all_read(self) -> list[str]:
        return [*_ALSO_READ, *self.read, *(mount.source for mount in self.spec.mounts)]


class NarrowAgent(CagedAgent):
    """`pid` is the supervisor's and `helper` its channel: when that closes, it ends everything."""

    def agent_pid(self) -> int | None:
        pids = children(self.pid)
        return pids[0] if pids else None

    def kill(self) -> None:
        self.helper.shutdown(socket.SHUT_RDWR)


def start_narrow(narrow: NarrowSpec, streams: Streams) -> NarrowAgent:
    """Sets up everything; `start` then runs the agent. InputOutput."""
    program = filter_program(narrow.refused, supervised=narrow.supervised)
    endpoint = socket.create_server(("127.0.0.1", 0), backlog=256)
    files = AllowedFiles(narrow.all_written, narrow.all_read)
    syscall_handlers = SyscallHandlers(files, (ENDPOINT_PORT, endpoint.getsockname()[1]), narrow.hooks)
    handlers: dict[int, SyscallHandler] = {
        number: getattr(syscall_handlers, name) for name in narrow.supervised if (number := number_of(name)) is not None
    }
    channel, supervisor_channel = socket.socketpair()
    wait, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        _run_supervisor(narrow, streams, program, handlers, supervisor_channel, wait)
    supervisor_channel.close()
    os.close(wait)
    message = channel.recv(4096)
    if message != _READY:
        os.waitpid(pid, 0)
        why = message.decode(errors="replace") or "it ended early"
        raise InputOutput(
            f"The narrow cage can't be made: {why}.", hint="Run `handrail doctor` to see what this machine supports."
        )
    return NarrowAgent(pid, os.pidfd_open(pid), endpoint, channel, go)


def _run_supervisor(
    narrow: NarrowSpec,
    streams: Streams,
    program: bytes,
    handlers: dict[int, SyscallHandler],
    channel: socket.socket,
    wait: int,
) -> NoReturn:
    code = 1
    try:
        os.setsid()  # Ctrl-C reaches the agent through the launcher, not directly
        become_subreaper()
        agent_channel, own_channel = socket.socketpair()
        agent = os.fork()
        if agent == 0:
            _run_agent(narrow, streams, program, agent_channel, wait)
        agent_channel.close()
        devnull = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(devnull, number)
        close_all_but(channel.fileno(), own_channel.fileno())
        message, listener = receive_listener(own_channel)
        if message == _READY and listener is not None:
            channel.send(_READY)
            code = supervise(agent, listener, channel, handlers)
        else:
            channel.send(message or b"the agent's process ended early")
    except BaseException as fault:  # noqa: BLE001 - the launcher reports any error, and everything ends
        channel.send(str(fault).encode())
    end_everything()
    os._exit(code)


def _run_agent(narrow: NarrowSpec, streams: Streams, program: bytes, channel: socket.socket, wait: int) -> NoReturn:
    try:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.setsid()
        for target, descriptor in enumerate(streams.descriptors):
            os.dup2(descriptor, target)
        close_all_but(channel.fileno(), wait)
        devices = [f"/dev/{name}" for name in _DEVICES]
        if streams.has_terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            devices.append(os.ttyname(0))
        os.chdir(narrow.spec.project)
        _restrict(narrow, devices)
        send_listener(channel, load_filter(program))
    except BaseException as fault:  # noqa: BLE001
        channel.send(str(fault).encode())
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
