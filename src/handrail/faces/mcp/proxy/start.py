"""`handrail mcp` in as few imports as possible: finds the running server, or starts one.

Where there can be none it hands over to the whole program, which serves alone.
"""

from __future__ import annotations

import os
import sys
import time

import handrail
from handrail.faces.local.client import FILE, NoServer, ServerEnded, ServerRefused, send_hello, state_folder
from handrail.faces.mcp.proxy.relay import NoServerComes, Relay
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


class Left:
    """What a proxy that found no server has read and answered: the program goes on from there."""

    waiting: bytes = b""
    answered: tuple[str | int, ...] = ()


class Arguments:
    """ValueError where the whole program is needed: to explain itself, or for options that a server doesn't share."""

    def __init__(self, words: list[str]) -> None:
        given: dict[str, str] = {}
        rest = list(words)
        self.is_compact = False
        while rest:
            word = rest.pop(0)
            name, has_value, value = word.partition("=")
            if name in _OPTIONS and (has_value or rest):
                given[name] = value if has_value else rest.pop(0)
            elif word in _FLAGS:
                self.is_compact = True
            else:
                raise ValueError(word)
        if any(name.startswith("HANDRAIL_") and name not in _KNOWN_VARIABLES for name in os.environ):
            raise ValueError("settings in the environment are this process's own")
        self.state = state_folder(given.get("--state"))
        self.project = os.path.realpath(given.get("--project") or ".")
        if not os.path.isdir(self.project) or not _is_server_wanted(self.state):
            raise ValueError(self.project)
        self.tools = given.get("--tools")


def _is_server_wanted(state: str) -> bool:
    """As config.toml says. Most people's says nothing: then nothing is loaded to find out."""
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
    """The exit status; None where the program has to serve alone."""
    try:
        arguments = Arguments(words)
    except ValueError:
        return None
    words = [handrail.__version__, arguments.tools or "", str(arguments.is_compact)]
    relay = Relay(Server(arguments).find, StoredAnswers(arguments.state, arguments.project, words))
    try:
        relay.run()
    except NoServerComes:
        Left.waiting, answered = relay.left()
        Left.answered = tuple(answered)
        return None
    except KeyboardInterrupt:
        return 130
    return 0


class Server:
    """The one on this state directory. It is started if there is none, and ends once nobody has used it for a while."""

    def __init__(self, arguments: Arguments) -> None:
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: int | None = None
        self._began = int(time.time())
        self._lock: int | None = None
        self._until = self._again_at = 0.0
        self._failed_starts = 0

    def find(self, again: list[str | int]) -> socket.socket | None:
        """None while it starts. `again` are requests that an earlier server had. NoServerComes."""
        import json

        mine = self._arguments
        hello: dict[str, str | int | None] = {
            "project": mine.project,
            "tools": mine.tools,
            "compact": int(mine.is_compact),
            "handrail": handrail.__version__,
            "since": self._began,
            "again": json.dumps(again) if again else None,
        }
        try:
            connection = send_hello(os.path.join(mine.state, FILE), SERVICE, hello)
        except (NoServer, ServerEnded):
            self._start()
            return None
        except ServerRefused:
            raise NoServerComes from None
        self._until = 0.0
        self._let_others_start()
        return connection

    def _start(self) -> None:
        """One of all proxies starts it.

        A start that fails may only have come second, to a server that isn't ready yet: that one gets its time.
        """
        now = time.monotonic()
        if not self._until:
            self._until, self._process, self._failed_starts = now + _START_SECONDS, None, 0
        if now > self._until:
            self._let_others_start()
            raise NoServerComes
        if self._process is not None and self._process.poll() is None:
            self._again_at = now + _GRACE_SECONDS
        elif now > self._again_at and self._may_start():
            if self._process is not None:
                self._failed_starts += 1
            if self._failed_starts == _MOST_STARTS:
                self._let_others_start()
                raise NoServerComes
            self._spawn()
            self._again_at = now + _GRACE_SECONDS

    def _may_start(self) -> bool:
        import fcntl

        if self._lock is None:
            try:
                os.makedirs(self._arguments.state, 0o700, exist_ok=True)
                path = os.path.join(self._arguments.state, _LOCK)
                self._lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            except OSError:
                raise NoServerComes from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _let_others_start(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _spawn(self) -> None:
        import subprocess

        mine = self._arguments
        command = [sys.executable, "-m", "handrail", "up", "--project", mine.project, "--state", mine.state]
        command += ["--no-open", "--until-unused", str(UNUSED_SECONDS)]
        if self._pipe is not None:
            os.close(self._pipe)
        reading, self._pipe = os.pipe()
        try:
            path = os.path.join(mine.state, _LOG)
            log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        except OSError:
            raise NoServerComes from None
        try:
            self._process = subprocess.Popen(
                command, stdin=reading, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )
        finally:
            os.close(reading)
            os.close(log)
