"""Starts handrail by forking a process that has already imported it, because the tests start it over a thousand times.

`install` patches how this process starts `handrail` and modules of the tests; other programs start as usual. The fork
becomes a child of this process, with its own arguments, environment, working directory, streams and signals. Starts
with options that a fork can't imitate, and all starts in a campaign, are ordinary ones.
"""

import atexit
import ctypes
import fcntl
import gc
import json
import os
import pkgutil
import runpy
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

SCRIPT = Path(sys.executable).with_name("handrail")
INTERPRETER_VARIABLES = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC_", "TZ", "SSL_", "VIRTUAL_ENV")
DEFAULT_LOCALE = (("LANG", "C.UTF-8"), ("LC_CTYPE", "C.UTF-8"))
"""The locale that the interpreter chooses if none is set (PEP 538)."""
IMPORTED_LATE = (
    "cryptography.hazmat.primitives.asymmetric.ed25519",  # nearly every command signs at its end
    "keyring.backends.fail",
    "keyring.backends.SecretService",
    "anyio._backends._asyncio",
    "asyncinotify",
    "jsonschema_rs",
    "sqlite3",
    "tree_sitter_bash",
    "uvicorn.lifespan.on",
    "uvloop",
)
"""Modules that functions of libraries and of the program import when they are called."""
_CLONE_PARENT = 0x8000
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}


def take_terminal() -> None:
    """Run in a child process: makes its standard input its controlling terminal."""
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


# In the process of the tests


def install() -> None:
    if os.uname().machine in _SYS_CLONE:
        original = subprocess.Popen._execute_child  # type: ignore[attr-defined]
        subprocess.Popen._execute_child = _forking(original)  # type: ignore[attr-defined]


def _forking(original: Callable[..., None]) -> Callable[..., None]:
    """Replaces CPython's method; the positional arguments are the same."""

    def execute_child(self: Any, args: Any, executable: Any, *more: Any) -> None:
        preexec, _, pass_fds, cwd, env, _, _, shell = more[:8]
        p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite = more[8:14]
        gid, gids, uid, umask, new_session, group = more[15:21]
        takes_terminal = preexec is take_terminal
        is_plain = (
            not ((preexec and not takes_terminal) or pass_fds or shell or gid or gids or uid)
            and umask == -1
            and group == -1
        )
        words = None if isinstance(args, str | bytes | os.PathLike) else [os.fspath(word) for word in args]
        if (
            executable
            or not is_plain
            or not words
            or not (program := _program(words))
            or not _has_same_interpreter_settings(env)
        ):
            original(self, args, executable, *more)
            return
        order = {
            "module": program[0],
            "argv": program[1],
            "env": {os.fsdecode(name): os.fsdecode(value) for name, value in (env or os.environ).items()},
            "cwd": os.fsdecode(cwd) if cwd else os.getcwd(),
            "is_new_session": bool(new_session),
            "takes_terminal": takes_terminal,
        }
        streams = [own if own >= 0 else number for number, own in enumerate((p2cread, c2pwrite, errwrite))]
        self.pid = _server().start(order, streams)
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)

    return execute_child


def _program(words: Sequence[str]) -> tuple[str, list[str]] | None:
    """Returns the module and its arguments if it is one of ours."""
    if words[0] == str(SCRIPT):
        return "handrail", list(words)
    is_module = words[0] == sys.executable and words[1:2] == ["-m"] and len(words) > 2
    if is_module and words[2].partition(".")[0] in ("handrail", "tests"):
        return words[2], list(words[2:])
    return None


def _has_same_interpreter_settings(env: Mapping[str, str] | None) -> bool:
    """Whether an interpreter started with this environment would behave like the fork server."""
    return env is None or _interpreter_variables(env) == _interpreter_variables(os.environ) == _server().environ


def _interpreter_variables(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name.startswith(INTERPRETER_VARIABLES) and (name, value) not in DEFAULT_LOCALE
    }


class _Server:
    def __init__(self, popen: Callable[..., Any]) -> None:
        self.environ = _interpreter_variables(os.environ)
        self.pid = os.getpid()
        self._lock = threading.Lock()
        self._wire, far = socket.socketpair()
        with far:
            command = [sys.executable, "-c", "from tests.quick_start import serve; serve()", str(far.fileno())]
            self._process = popen(command, pass_fds=[far.fileno()], cwd=Path(__file__).parents[1])

    def start(self, order: Mapping[str, Any], streams: Sequence[int]) -> int:
        text = json.dumps(order).encode()
        with self._lock:
            socket.send_fds(self._wire, [len(text).to_bytes(4, "big")], streams)
            self._wire.sendall(text)
            return int.from_bytes(self._wire.recv(4), "big")


_servers: list[_Server] = []
_making = threading.Lock()


def _server() -> _Server:
    with _making:
        if not _servers or _servers[-1].pid != os.getpid():
            _servers.append(_Server(subprocess.Popen))
        return _servers[-1]


# In the server


def serve() -> None:
    wire = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_all()
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1, "a fork would lose the other threads"
    while head := _receive_head(wire):
        size, streams = head
        order = json.loads(_receive(wire, size))
        if (pid := _fork_beside()) == 0:
            wire.close()
            _become(order, streams)
            return
        wire.sendall(pid.to_bytes(4, "big"))
        for stream in streams:
            os.close(stream)
    os._exit(0)


def _receive_head(wire: socket.socket) -> tuple[int, list[int]] | None:
    data, streams, _, _ = socket.recv_fds(wire, 4, 3)
    return (int.from_bytes(data, "big"), list(streams)) if data else None


def _receive(wire: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += wire.recv(size - len(data))
    return data


def _import_all() -> None:
    """Includes modules that the program imports only when it needs them."""
    import handrail

    for module in pkgutil.walk_packages(handrail.__path__, "handrail.", onerror=lambda _: None):
        if not module.name.endswith("__main__"):
            with suppress(Exception):
                import_module(module.name)
    for name in IMPORTED_LATE:
        import_module(name)


def _fork_beside() -> int:
    """Forks a sibling: its parent is this process's parent, which can then wait for it."""
    python = ctypes.PyDLL(None)  # keeps the GIL during the call
    python.PyOS_BeforeFork()
    pid = int(python.syscall(_SYS_CLONE[os.uname().machine], _CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0))
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    return pid


def _become(order: Mapping[str, Any], streams: Sequence[int]) -> None:
    if order["is_new_session"]:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    if order["takes_terminal"]:
        take_terminal()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", errors="backslashreplace", buffering=1)  # noqa: SIM115
    sys.argv = order["argv"]
    try:
        runpy.run_module(order["module"], run_name="__main__", alter_sys=order["module"] != "handrail")
    except SystemExit as end:
        if isinstance(end.code, int | None):
            _leave(end.code or 0)
        raise


def _leave(status: int) -> None:
    """Exits like an interpreter, without freeing the imported modules. A broken pipe is left to the interpreter."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
