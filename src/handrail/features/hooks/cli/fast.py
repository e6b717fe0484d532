"""`handrail hook` in as few imports as possible: hands the event to the running server and prints its answer.

The client waits for this program before each of its tools. Whatever goes wrong here denies: exit status 2, a reason on
stderr, and where the client reads one a denial on stdout.
"""

from __future__ import annotations

import os
import time

from handrail.faces.local.client import FILE, NoServer, connect, state_folder
from handrail.features.hooks.limits import WAITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

    from handrail.kernel.program import Program
else:
    import _signal as signal  # without the names for numbers, which take longer to load than all the rest

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


class Arguments:
    """`CLIENT [--state DIR] [--project DIR] [--wait SECONDS]`. ValueError."""

    def __init__(self, words: list[str]) -> None:
        given: dict[str, str] = {}
        self.client, rest = "", list(words)
        while rest:
            word = rest.pop(0)
            name, has_value, value = word.partition("=")
            if name in ("--state", "--project", "--wait"):
                if not has_value and not rest:
                    raise ValueError(f"{name} needs a value")
                given[name] = value if has_value else rest.pop(0)
            elif word in WAITS and not self.client:
                self.client = word
            else:
                raise ValueError(f"unknown argument {word!r}")
        if not self.client:
            raise ValueError(f"name the client: {', '.join(WAITS)}")
        self.state = given.get("--state")
        self.project = _project_of(given.get("--project"))
        limit = int(given.get("--wait") or WAITS[self.client])
        if not 1 <= limit <= 3600:
            raise ValueError("--wait is 1 to 3600 seconds")
        self.seconds = limit - min(5.0, limit / 4)
        """We answer earlier than the client's limit: a hook that is killed blocks nothing."""


def run(words: list[str], open_program: Callable[[], Program]) -> int | None:
    """The exit status; None for `--help`, which is no event."""
    if not words or "--help" in words or "-h" in words:
        return None
    try:
        arguments = Arguments(words)
        _block_in_time(arguments)
        data = _read_event()
        try:
            status, out, err = _ask_server(arguments, data)
        except NoServer:
            from handrail.features.hooks.cli.without_server import answer

            status, out, err = answer(open_program(), arguments, data)
        _print(1, out)
        _print(2, err)
        return status
    except BaseException as fault:  # noqa: BLE001 - whatever it is, the tool must not run
        return _blocked(words, f"{type(fault).__name__}: {fault}")


def _ask_server(arguments: Arguments, data: bytes) -> tuple[int, bytes, bytes]:
    ends = time.monotonic() + arguments.seconds
    hello: dict[str, str | int | None] = {
        "project": arguments.project,
        "client": arguments.client,
        "bytes": len(data),
        "wait": int((arguments.seconds - min(2.0, arguments.seconds / 4)) * 1000),
    }
    wire = connect(os.path.join(state_folder(arguments.state), FILE), "hook", hello)
    try:
        wire.send(data)
        wire.socket.settimeout(max(0.1, ends - time.monotonic()))
        status, out, err = map(int, wire.read_line().split())
        return status, wire.read_exactly(out), wire.read_exactly(err)
    finally:
        wire.close()


def _block_in_time(arguments: Arguments) -> None:
    """However long anything takes, and when the client ends us: a denial is the last word."""

    def block(number: int, frame: FrameType | None) -> NoReturn:
        _blocked([arguments.client], "there was no answer in time")
        os._exit(BLOCKED)

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, block)
    signal.setitimer(signal.ITIMER_REAL, arguments.seconds + min(1.0, arguments.seconds / 10))


def _read_event() -> bytes:
    """All of it, even if it is too long: a client whose pipe breaks may take that for a failure that allows."""
    chunks, size = [], 0
    while chunk := os.read(0, 1 << 20):
        size += len(chunk)
        if size <= _MOST_BYTES:
            chunks.append(chunk)
    if size > _MOST_BYTES:
        raise ValueError(f"the event has more than {_MOST_BYTES} bytes")
    return b"".join(chunks)


def _project_of(given: str | None) -> str:
    """What was named, or the folder of the session; of its parents, the nearest that is a project."""
    named = given or next(filter(None, map(os.environ.get, _PROJECT_VARIABLES)), None)
    folder = start = os.path.realpath(named or os.getcwd())
    if given:
        return folder
    home = os.path.realpath(os.path.expanduser("~"))
    while folder not in ("/", home):
        if any(os.path.lexists(os.path.join(folder, name)) for name in (".handrail", ".git")):
            return folder
        folder = os.path.dirname(folder)
    return start


def _blocked(words: list[str], why: str) -> int:
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
