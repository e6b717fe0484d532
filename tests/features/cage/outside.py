"""What is outside a cage and must not be reachable from inside: sockets, a process, shared memory, a display."""

import ctypes
import os
import pty
import socket
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.features.cage.plain_user import SECRET

_IPC_CREAT = 0o1000
_libc = ctypes.CDLL(None, use_errno=True)


class Outside:
    """`facts` are what an attacker could guess; `heard` is what arrived at the sockets."""

    def __init__(self, home: Path) -> None:
        self.heard: list[str] = []
        self._sockets: list[socket.socket] = []
        self._answering: list[threading.Thread] = []
        display = Path(f"/tmp/.X11-unix-{os.getpid()}")
        abstract = f"\0handrail-test-{os.getpid()}"
        inside, pipe = Path("in.sock").absolute(), Path("in.pipe").absolute()
        os.mkfifo(pipe)
        self._reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._paths = [home / "bus", display, inside, pipe]
        listened = {"bus": home / "bus", "display": display, "abstract": abstract, "project_socket": inside}
        for name, path in ((name, str(path)) for name, path in listened.items()):
            self._listen(name, socket.AF_UNIX, path)
        datagrams = home / "datagrams"
        self._receive("datagrams", str(datagrams))
        self._terminal = pty.openpty()
        os.write(self._terminal[0], f"{SECRET}\n".encode())  # typed by the person, not read yet
        shared = Path(f"/dev/shm/handrail-test-{os.getpid()}")
        shared.write_text(SECRET)
        self._paths += [datagrams, shared]
        readable_file = home / "shown/file"
        tcp = self._listen("tcp", socket.AF_INET, ("127.0.0.1", 0)).getsockname()[1]
        udp = self._receive("udp").getsockname()[1]
        self._process = subprocess.Popen(["sleep", "600"], env={"PERSON": SECRET})
        key = 0x48520000 + os.getpid() % 0xFFFF
        self._memory = _libc.shmget(key, 4096, _IPC_CREAT | 0o600)
        self._queue = f"/handrail-test-{os.getpid()}"
        os.close(_libc.mq_open(self._queue.encode(), os.O_CREAT | os.O_RDWR, 0o600, None))
        self.facts: dict[str, Any] = {
            "queue": self._queue,
            "home": str(home),
            "bus": str(home / "bus"),
            "display": str(display),
            "project_socket": str(inside),
            "project_pipe": str(pipe),
            "abstract": abstract[1:],
            "tcp": tcp,
            "udp": udp,
            "pid": self._process.pid,
            "shm": key,
            "datagrams": str(datagrams),
            "terminal": os.ttyname(self._terminal[1]),
            "shared_file": str(shared),
            "shown": str(readable_file),
            "hostname": socket.gethostname(),
            "secret": SECRET,
        }

    def __enter__(self) -> "Outside":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for descriptor in (self._reader, *self._terminal):
            os.close(descriptor)
        _libc.shmctl(self._memory, 0, None)
        _libc.mq_unlink(self._queue.encode())
        for each in self._sockets:
            each.close()
        for path in self._paths:
            path.unlink(missing_ok=True)

    def answer(self) -> None:
        """Starts answering; before, the process has only one thread, so that it can fork."""
        for each in self._answering:
            each.start()

    def _listen(self, name: str, family: socket.AddressFamily, address: Any) -> socket.socket:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.bind(address)
        listening.listen()
        self._sockets.append(listening)

        def answer() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                self.heard.append(name)
                with connection:
                    connection.sendall(SECRET.encode())

        self._answering.append(threading.Thread(target=answer, daemon=True))
        return listening

    def _receive(self, name: str, path: str | None = None) -> socket.socket:
        receiving = socket.socket(socket.AF_INET if path is None else socket.AF_UNIX, socket.SOCK_DGRAM)
        receiving.bind(path or ("127.0.0.1", 0))
        self._sockets.append(receiving)

        def answer() -> None:
            while True:
                try:
                    _, sender = receiving.recvfrom(100)
                except OSError:
                    return
                self.heard.append(name)
                if path is None:
                    receiving.sendto(SECRET.encode(), sender)

        self._answering.append(threading.Thread(target=answer, daemon=True))
        return receiving
