"""Starts `handrail mcp` with as few imports as possible: finds the running server, or starts one.

If there can't be one, it hands over to the whole program, which serves from its own process.
"""

from __future__ import annotations

import os
import sys
import time

import handrail
from handrail.faces.local.client import FILE, NoServer, ServerEnded, ServerRefused, send_hello, state_folder
from handrail.faces.mcp.proxy.relay import NoServerAvailable, Relay
from handrail.faces.mcp.proxy.stored_answers import StoredAnswers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import subprocess

SERVICE = "mcp"
UNUSED_SECONDS = 600
_OPTIONS = ("--project", "--state", "--tools")
_FLAGS = ("--compact",)
_KNOWN_VARIABLES = ("HANDRAIL_STATE", "HANDRAIL_LANG")
_START_SECONDS = 30.0
_GRACE_SECONDS = 1.0
_MOST_STARTS = 3
_LOG, _LOCK = "up.log", "mcp-start.lock"


class Handover:
    """What a proxy without a server has read and answered, so that the whole program can continue from there."""

    unread: bytes = b""
    answered: tuple[str | int, ...] = ()


class Arguments:
    """Parses arguments. ValueError means that the whole program is needed: for help, errors or options of its own."""

    def __init__(self, words: list[str]) -> None:
        options: dict[str, str] = {}
        remaining = list(words)
        self.is_compact = False
        while remaining:
            word = remaining.pop(0)
            name, has_value, value = word.partition("=")
            if name in _OPTIONS and (has_value or remaining):
                options[name] = value if has_value else remaining.pop(0)
            elif word in _FLAGS:
                self.is_compact = True
            else:
                raise ValueError(word)
        if any(name.startswith("HANDRAIL_") and name not in _KNOWN_VARIABLES for name in os.environ):
            raise ValueError("settings in the environment apply to this process only")
        self.state = state_folder(options.get("--state"))
        self.project = os.path.realpath(options.get("--project") or ".")
        if not os.path.isdir(self.project) or not _uses_server(self.state):
            raise ValueError(self.project)
        self.tools = options.get("--tools")


def _uses_server(state: str) -> bool:
    """The setting `warm_server`. The TOML parser is only imported if the file mentions it."""
    try:
        with open(os.path.join(state, "config.toml"), "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if b"warm_server" not in text:
        return True
    import tomllib

    try:
        return tomllib.loads(text.decode()).get("warm_server") is True
    except ValueError:
        return False


def run(words: list[str]) -> int | None:
    """The exit status; None if the whole program has to serve instead."""
    try:
        arguments = Arguments(words)
    except ValueError:
        return None
    words = [handrail.__version__, arguments.tools or "", str(arguments.is_compact)]
    relay = Relay(Server(arguments).find, StoredAnswers(arguments.state, arguments.project, words))
    try:
        relay.run()
    except NoServerAvailable:
        Handover.unread, answered = relay.hand_over()
        Handover.answered = tuple(answered)
        return None
    except KeyboardInterrupt:
        return 130
    return 0


class Server:
    """The server on this state directory. It is started if none is running, and stops when unused for a while."""

    def __init__(self, arguments: Arguments) -> None:
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: int | None = None
        self._began = int(time.time())
        self._lock: int | None = None
        self._deadline = self._next_start = 0.0
        self._failed_starts = 0

    def find(self, resent: list[str | int]) -> socket.socket | None:
        """A connection; None while the server starts. `resent` are requests that an earlier server had."""
        import json

        arguments = self._arguments
        hello: dict[str, str | int | None] = {
            "project": arguments.project,
            "tools": arguments.tools,
            "compact": int(arguments.is_compact),
            "handrail": handrail.__version__,
            "since": self._began,
            "again": json.dumps(resent) if resent else None,
        }
        try:
            connection = send_hello(os.path.join(arguments.state, FILE), SERVICE, hello)
        except (NoServer, ServerEnded):
            self._start()
            return None
        except ServerRefused:
            raise NoServerAvailable from None
        self._deadline = 0.0
        self._release_lock()
        return connection

    def _start(self) -> None:
        """Starts the server; only one of all proxies does so.

        A start may fail because another server was started first and isn't ready yet; that one gets time to start.
        """
        now = time.monotonic()
        if not self._deadline:
            self._deadline, self._process, self._failed_starts = now + _START_SECONDS, None, 0
        if now > self._deadline:
            self._release_lock()
            raise NoServerAvailable
        if self._process is not None and self._process.poll() is None:
            self._next_start = now + _GRACE_SECONDS
        elif now > self._next_start and self._acquire_lock():
            if self._process is not None:
                self._failed_starts += 1
            if self._failed_starts == _MOST_STARTS:
                self._release_lock()
                raise NoServerAvailable
            self._spawn()
            self._next_start = now + _GRACE_SECONDS

    def _acquire_lock(self) -> bool:
        import fcntl

        if self._lock is None:
            try:
                os.makedirs(self._arguments.state, 0o700, exist_ok=True)
                path = os.path.join(self._arguments.state, _LOCK)
                self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            except OSError:
                raise NoServerAvailable from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _release_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _spawn(self) -> None:
        import subprocess

        arguments = self._arguments
        command = [sys.executable, "-m", "handrail", "up", "--project", arguments.project, "--state", arguments.state]
        command += ["--no-open", "--until-unused", str(UNUSED_SECONDS)]
        if self._pipe is not None:
            os.close(self._pipe)
        reading, self._pipe = os.pipe()
        try:
            path = os.path.join(arguments.state, _LOG)
            log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        except OSError:
            raise NoServerAvailable from None
        try:
            self._process = subprocess.Popen(
                command, stdin=reading, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )
        finally:
            os.close(reading)
            os.close(log)
