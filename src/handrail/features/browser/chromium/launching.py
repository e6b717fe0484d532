"""Starts a Chromium that is controlled through a pipe, so that it ends with us."""

import asyncio
import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from handrail.ports.errors import InputOutput, Offline

OnEvent = Callable[[str, dict[str, Any]], None]
"""Called with the method and the parameters."""


class DevToolsPipe:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.WriteTransport) -> None:
        self._reader = reader
        self._writer = writer
        self._last_id = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._listeners: dict[str | None, OnEvent] = {}
        self._has_ended = False
        self._reading = asyncio.create_task(self._read())

    @property
    def has_ended(self) -> bool:
        """Whether the pipe is closed."""
        return self._has_ended

    def listen(self, session: str | None, on_event: OnEvent) -> None:
        self._listeners[session] = on_event

    def forget(self, session: str) -> None:
        self._listeners.pop(session, None)

    async def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Raises Offline if the browser has ended, InputOutput if it refuses."""
        if self._has_ended:
            raise _ended()
        message = await self._answer(self._send(method, session, params))
        if "error" in message:
            raise InputOutput(f"The browser refuses {method}: {message['error'].get('message', '')}")
        return dict(message["result"])

    def send(self, method: str, session: str | None = None, **params: Any) -> None:
        """Sends a command without waiting for its answer."""
        if not self._has_ended:
            self._send(method, session, params)

    async def close(self) -> None:
        """Closes the pipe, which ends the browser."""
        self._writer.close()
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading

    def _send(self, method: str, session: str | None, params: dict[str, Any]) -> int:
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        self._writer.write(json.dumps(message).encode() + b"\0")
        return self._last_id

    async def _answer(self, id: int) -> dict[str, Any]:
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = waiting
        try:
            return await waiting
        finally:
            del self._waiting[id]

    async def _read(self) -> None:
        try:
            while True:
                message = json.loads((await self._reader.readuntil(b"\0"))[:-1])
                if (waiting := self._waiting.get(message.get("id", 0))) is not None:
                    if not waiting.done():
                        waiting.set_result(message)
                elif "method" in message and (listener := self._listeners.get(message.get("sessionId"))) is not None:
                    listener(message["method"], message.get("params", {}))
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._has_ended = True
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(_ended())


def _ended() -> Offline:
    return Offline("The browser has ended.", hint="Another one may be running with this profile: close it first.")


_CHROMIUM_NAMES = ("chromium", "chromium-browser", "ungoogled-chromium")
_BRANDED_NAMES = ("google-chrome", "google-chrome-stable", "microsoft-edge", "microsoft-edge-stable", "brave-browser")


def program() -> str | None:
    """The first Chromium on the PATH that accepts an extension on its command line."""
    return next((found for name in _CHROMIUM_NAMES if (found := shutil.which(name)) is not None), None)


def branded_program() -> str | None:
    return next((found for name in _BRANDED_NAMES if (found := shutil.which(name)) is not None), None)


CHROMIUM_FLAGS = (
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-breakpad",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",
    "--window-size=1280,800",
)
# Chromium uses file descriptors 3 and 4 for the pipe; in this process they may be in use.
_WITH_PIPE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_MIN_DESCRIPTOR = 10
_MAX_MESSAGE = 64 * 1024 * 1024


async def launch(
    command: Sequence[str], *, temporary: str | None = None, is_hidden: bool = False
) -> tuple[asyncio.subprocess.Process, DevToolsPipe]:
    """`command` starts with an absolute path.

    With `temporary`, its folder for temporary files, it gets its own process group, to be killed with its children.
    A hidden one stays off the accessibility bus: screenshots of the desktop blacken windows of browsers whose place is
    unknown, which would be the whole screen.
    """
    env = {**os.environ, **({} if temporary is None else {"TMPDIR": temporary})}
    if is_hidden:
        env["ACCESSIBILITY_ENABLED"] = "0"
    to_it, ours_out = _pipe_ends()
    ours_in, from_it = _pipe_ends()
    arguments = [*command, *(("--no-sandbox",) if os.geteuid() == 0 else ())]  # its sandbox refuses to run as root
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", "-c", _WITH_PIPE, str(to_it), str(from_it), *arguments,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(to_it, from_it), start_new_session=temporary is not None,
            env=env,
        )  # fmt: skip
    except BaseException:
        os.close(ours_out)
        os.close(ours_in)
        raise
    finally:
        os.close(to_it)
        os.close(from_it)
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=_MAX_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours_in, "rb"))
    writer, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(ours_out, "wb", 0))
    return process, DevToolsPipe(reader, writer)


def _pipe_ends() -> tuple[int, int]:
    """The two ends, with descriptor numbers that don't collide with the child's."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _MIN_DESCRIPTOR) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
