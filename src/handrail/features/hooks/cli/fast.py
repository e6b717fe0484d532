"""Runs `handrail hook` with as few imports as possible: sends the event to the server and prints its answer.

The client waits for this program before each of its tools. Any failure here denies the call: exit status 2, a reason on
stderr, and a denial on stdout for clients that read one.
"""

from __future__ import annotations

import os
import time

from handrail.faces.local.client import FILE, NoServer, connect, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

    from handrail.kernel.program import Program
else:
    import _signal as signal  # the module without enums, which take longer to import than everything else here

DEFAULT_TIMEOUTS = {
    "claude": 600,
    "codex": 600,
    "gemini": 60,
    "qwen": 60,
    "cursor": 60,
    "copilot": 30,
    "cline": 30,
    "opencode": 60,
}
"""How long each client waits for a hook by default, in seconds."""
BLOCKED = 2
_MOST_BYTES = 32 * 1024 * 1024
_PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR")
_REASON = "handrail: the hook failed, so the tool is blocked"
_DENY = f'"permissionDecision":"deny","permissionDecisionReason":"{_REASON}"'
_PRE = f'{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{_DENY}}}}}'
_DECISION = f'{{"decision":"deny","reason":"{_REASON}"}}'
_DENIALS = {
    "claude": _PRE,
    "codex": _PRE,
    "qwen": _PRE,
    "gemini": _DECISION,
    "opencode": _DECISION,
    "cursor": f'{{"permission":"deny","user_message":"{_REASON}","agent_message":"{_REASON}"}}',
    "copilot": f"{{{_DENY}}}",
    "cline": f'{{"cancel":true,"errorMessage":"{_REASON}"}}',
}


class BadArguments(Exception):
    """The message says what is wrong with the command line."""


class Arguments:
    """`CLIENT [--state DIR] [--project DIR] [--wait SECONDS]`. BadArguments."""

    def __init__(self, words: list[str]) -> None:
        options: dict[str, str] = {}
        self.client, remaining = "", list(words)
        while remaining:
            word = remaining.pop(0)
            name, has_value, value = word.partition("=")
            if name in ("--state", "--project", "--wait"):
                if not has_value and not remaining:
                    raise BadArguments(f"{name} needs a value")
                options[name] = value if has_value else remaining.pop(0)
            elif word in DEFAULT_TIMEOUTS and not self.client:
                self.client = word
            else:
                raise BadArguments(f"unknown argument {word!r}. Clients: {', '.join(DEFAULT_TIMEOUTS)}")
        if not self.client:
            raise BadArguments(f"no client is named. Clients: {', '.join(DEFAULT_TIMEOUTS)}")
        self.state = options.get("--state")
        self.project = _find_project(options.get("--project"))
        wait = options.get("--wait") or str(DEFAULT_TIMEOUTS[self.client])
        if not (wait.isdecimal() and 1 <= int(wait) <= 3600):
            raise BadArguments("--wait takes a number of seconds from 1 to 3600")
        limit = int(wait)
        self.seconds = limit - min(5.0, limit / 4)
        """We answer before the client's limit, because a hook that is killed blocks nothing."""


def run(words: list[str], open_program: Callable[[], Program]) -> int | None:
    """Returns the exit status, or None for `--help`."""
    if not words or "--help" in words or "-h" in words:
        return None
    try:
        arguments = Arguments(words)
        _block_on_timeout(arguments)
        data = _read_event()
        try:
            status, out, err = _ask_server(arguments, data)
        except NoServer:
            from handrail.features.hooks.cli.without_server import answer

            status, out, err = answer(open_program(), arguments, data)
        _print(1, out)
        _print(2, err)
        return status
    except BadArguments as fault:
        return _block(words, str(fault))
    except BaseException as fault:  # noqa: BLE001 - after any failure the tool must not run
        return _block(words, f"{type(fault).__name__}: {fault}")


def _ask_server(arguments: Arguments, data: bytes) -> tuple[int, bytes, bytes]:
    deadline = time.monotonic() + arguments.seconds
    hello: dict[str, str | int | None] = {
        "project": arguments.project,
        "client": arguments.client,
        "bytes": len(data),
        "wait": int((arguments.seconds - min(2.0, arguments.seconds / 4)) * 1000),
    }
    wire = connect(os.path.join(state_folder(arguments.state), FILE), "hook", hello)
    try:
        wire.send(data)
        wire.socket.settimeout(max(0.1, deadline - time.monotonic()))
        status, out, err = map(int, wire.read_line().split())
        return status, wire.read_exactly(out), wire.read_exactly(err)
    finally:
        wire.close()


def _block_on_timeout(arguments: Arguments) -> None:
    """Denies the call if everything takes too long, and when the client ends us."""

    def block(number: int, frame: FrameType | None) -> NoReturn:
        _block([arguments.client], "there was no answer in time")
        os._exit(BLOCKED)

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, block)
    signal.setitimer(signal.ITIMER_REAL, arguments.seconds + min(1.0, arguments.seconds / 10))


def _read_event() -> bytes:
    """Reads everything, even if it is too long: a client might take a broken pipe for permission."""
    chunks, size = [], 0
    while chunk := os.read(0, 1 << 20):
        size += len(chunk)
        if size <= _MOST_BYTES:
            chunks.append(chunk)
    if size > _MOST_BYTES:
        raise ValueError(f"the event has more than {_MOST_BYTES} bytes")
    return b"".join(chunks)


def _find_project(option: str | None) -> str:
    """Returns the named folder, or the nearest project at or above the session's folder."""
    folder_name = option or next(filter(None, map(os.environ.get, _PROJECT_VARIABLES)), None)
    folder = start = os.path.realpath(folder_name or os.getcwd())
    if option:
        return folder
    home = os.path.realpath(os.path.expanduser("~"))
    while folder not in ("/", home):
        if any(os.path.lexists(os.path.join(folder, name)) for name in (".handrail", ".git")):
            return folder
        folder = os.path.dirname(folder)
    return start


def _block(words: list[str], why: str) -> int:
    denial = next((_DENIALS[word] for word in words if word in _DENIALS), None)
    if denial is not None:
        _print(1, denial.encode() + b"\n")
    _print(2, f"{_REASON}: {why}\n".encode(errors="replace"))
    return BLOCKED


def _print(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os._exit(BLOCKED)
