"""Starts an agent in its cage: forks, enters namespaces, and becomes bubblewrap when the launcher allows it."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress

from handrail.features.cage import namespace
from handrail.features.cage.listening import listening_ports
from handrail.features.cage.process_status import exit_code_of
from handrail.features.cage.spec import ENDPOINT_PORT, CageSpec
from handrail.features.cage.syscalls import filter_program
from handrail.ports.errors import InputOutput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

BUBBLEWRAP = "bwrap"
LIST_PORTS = b"ports"
"""Sent to the helper inside instead of a port number: asks which ports have listeners."""
_MOST_DESCRIPTORS = 65536
_READY, _FAILED = b"ready", b"failed "


class CageRefused(InputOutput):
    """The kernel refused to make the namespaces or the overlay. `why` has its message."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The cage can't be made: {why}.", hint="Run `handrail doctor` to see what this machine supports."
        )
        self.why = why


class Streams:
    """The agent's stdin, stdout and stderr, and whether stdin is the agent's own terminal."""

    def __init__(self, descriptors: tuple[int, int, int], has_terminal: bool = False) -> None:
        self.descriptors = descriptors
        self.has_terminal = has_terminal


class CagedAgent:
    """An agent in its cage. `endpoint` listens inside; `helper` is the channel to the process that connects inside."""

    def __init__(self, pid: int, pidfd: int, endpoint: socket.socket, helper: socket.socket, go: int) -> None:
        self.pid = pid
        self.pidfd = pidfd
        self.endpoint = endpoint
        self.helper = helper
        self.go = go

    def start(self) -> None:
        """Lets the agent run. Everything in the cage has been set up before."""
        os.write(self.go, b"x")
        os.close(self.go)

    def agent_pid(self) -> int | None:
        """The command's process id as seen from outside; None if it hasn't started yet or is gone."""
        bubblewrap = _child_inside(self.pid, self.pid)
        first = None if bubblewrap is None else _child_inside(bubblewrap, bubblewrap)
        return None if first is None or bubblewrap is None else _child_inside(first, bubblewrap)

    def signal(self, number: int) -> None:
        agent_pid = self.agent_pid()
        if agent_pid is None:
            self.kill()
        else:
            os.kill(agent_pid, number)

    def unreaped_exit_code(self) -> int | None:
        """Returns the agent's exit code if it has ended but its parent hasn't: an agent can stop that by tracing it."""
        agent_pid = self.agent_pid()
        return None if agent_pid is None else exit_code_of(agent_pid)

    def kill(self) -> None:
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def wait(self) -> int:
        """Returns the agent's exit code, or 128 plus the signal that ended it. Blocks."""
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return 128 - code if code < 0 else code


def start_cage(
    spec: CageSpec,
    streams: Streams,
    bubblewrap: str,
    cache: str | None = None,
    while_starting: Callable[[], None] = lambda: None,
) -> CagedAgent:
    """Sets up everything; `CagedAgent.start` then runs the agent. CageRefused.

    `while_starting` runs here while the kernel makes the namespaces.
    """
    program = filter_program(spec.refused, cache) if spec.refused else None
    project_inode = os.stat(spec.project)
    channel, child_channel = socket.socketpair()
    helper, child_helper = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    wait, go = os.pipe()
    launcher = os.getpid()
    pid = os.fork()
    if pid == 0:
        _run_child(
            child_channel,
            lambda: _exec_bubblewrap(
                spec,
                streams,
                bubblewrap,
                program,
                (project_inode.st_dev, project_inode.st_ino),
                child_channel,
                child_helper,
                (wait, go),
                launcher,
            ),
            launcher,
        )
    child_channel.close()
    child_helper.close()
    os.close(wait)
    while_starting()
    message, endpoint = namespace.receive_socket(channel)
    if message != _READY or endpoint is None:
        os.waitpid(pid, 0)
        raise CageRefused(message.removeprefix(_FAILED).decode(errors="replace") or "it ended early")
    channel.close()
    return CagedAgent(pid, os.pidfd_open(pid), endpoint, helper, go)


def _run_child(channel: socket.socket, work: Callable[[], None], launcher: int) -> NoReturn:
    try:
        namespace.end_with_parent(launcher)
        work()
    except BaseException as fault:  # noqa: BLE001 - the launcher reports any error, and this process ends
        reason = fault.strerror if isinstance(fault, OSError) else None
        channel.send(_FAILED + (reason or str(fault)).encode())
    os._exit(1)


def _exec_bubblewrap(
    spec: CageSpec,
    streams: Streams,
    bubblewrap: str,
    program: bytes | None,
    project_inode: tuple[int, int],
    channel: socket.socket,
    helper: socket.socket,
    start: tuple[int, int],
    launcher: int,
) -> None:
    """Becomes bubblewrap as the first process of a namespace, so that everything in the cage ends with it.

    Bubblewrap makes a second namespace for the agent, but until that is set up its first process doesn't end with
    bubblewrap.
    """
    wait, go = start
    os.setsid()
    for target, descriptor in enumerate(streams.descriptors):
        os.dup2(descriptor, target)
    close_all_but(channel.fileno(), helper.fileno(), wait, go)
    namespace.enter_namespaces(has_network=not spec.has_own_network)
    namespace.end_with_parent(launcher)  # again: entering namespaces resets it
    if spec.has_overlay:
        namespace.mount_overlay(spec.project, project_inode, spec.upper, spec.work)
    alive, living = os.pipe()
    if first := os.fork():
        close_all_but(living)
        _exit_like(first)
    os.close(living)
    namespace.end_with_starter(alive)
    namespace.mount_own_proc()
    port = ENDPOINT_PORT if spec.has_own_network else 0
    with namespace.listen_inside(port) as listening:
        if os.fork() == 0:
            os.close(wait)
            _serve_inside(channel, listening, helper)
        helper.close()
        namespace.send_socket(channel, _READY, listening)
    os.set_inheritable(wait, True)
    files = {target: _memory_file(data) for target, data in spec.files.items()}
    arguments = spec.arguments(files, None if program is None else _memory_file(program), streams.has_terminal)
    os.execve(bubblewrap, [BUBBLEWRAP, "--block-fd", str(wait), *arguments], dict(spec.environment))


def _exit_like(child: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(128 - code if code < 0 else code)


def close_all_but(*descriptors: int) -> None:
    """Closes everything that the launcher has inherited or opened: the agent must not get it."""
    last = 2
    for descriptor in sorted(descriptors):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, _MOST_DESCRIPTORS)


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("cage", 0)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _serve_inside(channel: socket.socket, listening: socket.socket, helper: socket.socket) -> NoReturn:
    """A process of ours in the cage's network, out of the agent's reach, that connects to the agent's ports.

    It keeps the pipe open that starts the agent, because bubblewrap takes its end as the signal to start. So it ends
    last.
    """
    channel.close()
    listening.close()
    for descriptor in range(3):
        os.close(descriptor)
    while request := helper.recv(16):
        try:
            if request == LIST_PORTS:
                helper.send(b" ".join(b"%d" % port for port in sorted(listening_ports())) or b"0")
            else:
                with _connect_inside(int(request)) as connected:
                    namespace.send_socket(helper, b"ok", connected)
        except OSError as error:
            helper.send(str(error.strerror or error).encode() or b"failed")
    while True:
        signal.pause()


def _connect_inside(port: int) -> socket.socket:
    """Some servers listen only on one of the two addresses."""
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=5)
    except OSError:
        return socket.create_connection(("::1", port), timeout=5)


def _child_inside(pid: int, outside: int) -> int | None:
    """The first child of `pid` in another process namespace than `outside`: our helper is a child, too."""
    with suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        for word in file.read().split():
            if os.readlink(f"/proc/{word}/ns/pid") != os.readlink(f"/proc/{outside}/ns/pid"):
                return int(word)
    return None
