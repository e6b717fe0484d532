"""Starts an agent in its cage: forks, makes the namespaces, becomes bubblewrap once the launcher says so."""

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
ASK_PORTS = b"ports"
"""In place of a port, to the helper inside: which ports are listened on."""
_MOST_DESCRIPTORS = 65536
_READY, _FAILED = b"ready", b"failed "


class CageRefused(InputOutput):
    """The kernel doesn't make these namespaces or this overlay. `why` names what it said."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The cage can't be made: {why}.", hint="`handrail doctor` says what this machine allows.")
        self.why = why


class Streams:
    """What becomes the agent's stdin, stdout and stderr, and whether stdin is a terminal of the agent's own."""

    def __init__(self, descriptors: tuple[int, int, int], has_terminal: bool = False) -> None:
        self.descriptors = descriptors
        self.has_terminal = has_terminal


class Caged:
    """An agent in its cage. `endpoint` listens inside; `inside` reaches the helper that connects inside."""

    def __init__(self, pid: int, pidfd: int, endpoint: socket.socket, inside: socket.socket, go: int) -> None:
        self.pid = pid
        self.pidfd = pidfd
        self.endpoint = endpoint
        self.inside = inside
        self.go = go

    def start(self) -> None:
        """Until now nothing of the agent has run: bubblewrap has made everything ready meanwhile."""
        os.write(self.go, b"x")
        os.close(self.go)

    def agent(self) -> int | None:
        """The process of the command itself, as it is numbered outside; None when it is not there yet or any more."""
        bubblewrap = _child_inside(self.pid, self.pid)
        first = None if bubblewrap is None else _child_inside(bubblewrap, bubblewrap)
        return None if first is None or bubblewrap is None else _child_inside(first, bubblewrap)

    def signal(self, number: int) -> None:
        agent = self.agent()
        if agent is None:
            self.kill()
        else:
            os.kill(agent, number)

    def unnoticed_end(self) -> int | None:
        """The exit code of an agent that has ended while the cage goes on: by tracing its parent, it can stop that."""
        agent = self.agent()
        return None if agent is None else exit_code_of(agent)

    def kill(self) -> None:
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code: of the agent, or 128 and the signal that ended it. Blocks."""
        _, status = os.waitpid(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        return 128 - code if code < 0 else code


def start_cage(
    spec: CageSpec,
    streams: Streams,
    bubblewrap: str,
    cache: str | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> Caged:
    """Everything but the agent itself, which `Caged.start` starts. CageRefused.

    `meanwhile` is done here while the kernel makes the namespaces.
    """
    program = filter_program(spec.refused, cache) if spec.refused else None
    seen = os.stat(spec.project)
    line, child_line = socket.socketpair()
    inside, child_inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    wait, go = os.pipe()
    launcher = os.getpid()
    pid = os.fork()
    if pid == 0:
        _in_child(
            child_line,
            lambda: _become(
                spec,
                streams,
                bubblewrap,
                program,
                (seen.st_dev, seen.st_ino),
                child_line,
                child_inside,
                (wait, go),
                launcher,
            ),
            launcher,
        )
    child_line.close()
    child_inside.close()
    os.close(wait)
    meanwhile()
    message, endpoint = namespace.receive_socket(line)
    if message != _READY or endpoint is None:
        os.waitpid(pid, 0)
        raise CageRefused(message.removeprefix(_FAILED).decode(errors="replace") or "it ended early")
    line.close()
    return Caged(pid, os.pidfd_open(pid), endpoint, inside, go)


def _in_child(line: socket.socket, work: Callable[[], None], launcher: int) -> NoReturn:
    try:
        namespace.end_with_parent(launcher)
        work()
    except BaseException as fault:  # noqa: BLE001 - whatever it is, the launcher says it and this process ends
        said = fault.strerror if isinstance(fault, OSError) else None
        line.send(_FAILED + (said or str(fault)).encode())
    os._exit(1)


def _become(
    spec: CageSpec,
    streams: Streams,
    bubblewrap: str,
    program: bytes | None,
    seen: tuple[int, int],
    line: socket.socket,
    inside: socket.socket,
    start: tuple[int, int],
    launcher: int,
) -> None:
    """Bubblewrap becomes the first process of a namespace, so that everything in the cage ends with it.

    It makes another one for the agent, but the first process there doesn't end with bubblewrap until it is set up.
    """
    wait, go = start
    os.setsid()
    for target, descriptor in enumerate(streams.descriptors):
        os.dup2(descriptor, target)
    close_all_but(line.fileno(), inside.fileno(), wait, go)
    namespace.enter_namespaces(has_network=not spec.has_own_network)
    namespace.end_with_parent(launcher)  # again: new namespaces forget it
    if spec.has_overlay:
        namespace.mount_overlay(spec.project, seen, spec.upper, spec.work)
    alive, living = os.pipe()
    if first := os.fork():
        close_all_but(living)
        _exit_like(first)
    os.close(living)
    namespace.end_with_starter(alive)
    port = ENDPOINT_PORT if spec.has_own_network else 0
    with namespace.listen_inside(port) as listening:
        if os.fork() == 0:
            os.close(wait)
            _serve_inside(line, listening, inside)
        inside.close()
        namespace.send_socket(line, _READY, listening)
    os.set_inheritable(wait, True)
    files = {target: _memory_file(data) for target, data in spec.files.items()}
    arguments = spec.arguments(files, None if program is None else _memory_file(program), streams.has_terminal)
    os.execve(bubblewrap, [BUBBLEWRAP, "--block-fd", str(wait), *arguments], dict(spec.environment))


def _exit_like(child: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(128 - code if code < 0 else code)


def close_all_but(*kept: int) -> None:
    """Whatever the launcher has inherited or opened is not the agent's."""
    last = 2
    for descriptor in sorted(kept):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, _MOST_DESCRIPTORS)


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("cage", 0)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _serve_inside(line: socket.socket, listening: socket.socket, inside: socket.socket) -> NoReturn:
    """A process of ours in the cage's network, out of the agent's reach: it connects to ports that the agent opens.

    It keeps the end of the pipe open that starts the agent: to bubblewrap a closed one means go. So it ends last.
    """
    line.close()
    listening.close()
    for descriptor in range(3):
        os.close(descriptor)
    while request := inside.recv(16):
        try:
            if request == ASK_PORTS:
                inside.send(b" ".join(b"%d" % port for port in sorted(listening_ports())) or b"0")
            else:
                with _connected_inside(int(request)) as connected:
                    namespace.send_socket(inside, b"ok", connected)
        except OSError as error:
            inside.send(str(error.strerror or error).encode() or b"failed")
    while True:
        signal.pause()


def _connected_inside(port: int) -> socket.socket:
    """Some servers listen on one of both alone."""
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=5)
    except OSError:
        return socket.create_connection(("::1", port), timeout=5)


def _child_inside(pid: int, outside: int) -> int | None:
    """The first child of `pid` that is in another process namespace than `outside`: our helper is a child, too."""
    with suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        for word in file.read().split():
            if os.readlink(f"/proc/{word}/ns/pid") != os.readlink(f"/proc/{outside}/ns/pid"):
                return int(word)
    return None
