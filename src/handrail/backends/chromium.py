"""A Chromium with a profile of its own and handrail's extension in it, steered through a pipe that nobody else holds.

The pairing code goes through that pipe: on a command line every user of the machine could read it.
"""

import asyncio
import fcntl
import json
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from handrail.contract.browser import EXTENSION_ORIGIN
from handrail.contract.errors import Failure, InputOutput, Offline, Timeout

NAMES = ("chromium", "chromium-browser", "ungoogled-chromium")
BRANDED = ("google-chrome", "google-chrome-stable", "microsoft-edge", "microsoft-edge-stable", "brave-browser")
_FLAGS = (
    "--remote-debugging-pipe",
    "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate,MediaRouter,OptimizationHints",
    "--silent-debugger-extension-api",
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
_WITHOUT_DISPLAY = ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage")
# Chromium reads the pipe at 3 and writes at 4, and these numbers may be taken here.
_WITH_PIPE = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_ABOVE_THE_PIPE = 10
_START_SECONDS = 30.0
_LOOK_EVERY = 0.1
_MAX_MESSAGE = 16 * 1024 * 1024


def program() -> str | None:
    """The first Chromium on the PATH that takes an extension from its command line."""
    return next((found for name in NAMES if (found := shutil.which(name)) is not None), None)


def branded_program() -> str | None:
    return next((found for name in BRANDED if (found := shutil.which(name)) is not None), None)


class Chromium:
    """Started by `start`; whoever has started it must close it."""

    def __init__(self, process: asyncio.subprocess.Process, reader: asyncio.StreamReader, pipe: int) -> None:
        self._process = process
        self._reader = reader
        self._pipe = pipe
        self._last_id = 0

    @classmethod
    async def start(cls, program: str, profile: Path, extension: Path, *, has_display: bool) -> "Chromium":
        to_it, ours_out = _pipe_ends()
        ours_in, from_it = _pipe_ends()
        arguments = [
            *_FLAGS,
            *(() if has_display else _WITHOUT_DISPLAY),
            *(("--no-sandbox",) if os.geteuid() == 0 else ()),  # its sandbox refuses to run as root
            f"--user-data-dir={profile}",
            f"--load-extension={extension}",
        ]
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", _WITH_PIPE, str(to_it), str(from_it), program, *arguments,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=(to_it, from_it),
            )  # fmt: skip
        finally:
            os.close(to_it)
            os.close(from_it)
        reader = asyncio.StreamReader(limit=_MAX_MESSAGE)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours_in, "rb"))
        return cls(process, reader, ours_out)

    async def pair(self, server: str, code: str) -> None:
        """From the extension's own page, as a person would do it there."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._until_loaded()
                page = await self._ask("Target.createTarget", url=f"{EXTENSION_ORIGIN}/options.html")
                session = await self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
                message = json.dumps({"type": "ui/pair", "server": server, "code": code})
                answer = await self._answer_of_page(session["sessionId"], f"chrome.runtime.sendMessage({message})")
                await self._ask("Target.closeTarget", targetId=page["targetId"])
        except TimeoutError:
            raise Timeout(f"The browser was not ready within {_START_SECONDS:g} s.") from None
        if not answer.get("ok"):
            raise InputOutput(f"The extension could not be paired: {answer.get('message', 'it did not say why')}")

    async def wait(self) -> int:
        """Until a person closes the browser."""
        return await self._process.wait()

    async def close(self) -> None:
        """In order, and otherwise by force."""
        with suppress(Failure, TimeoutError):
            async with asyncio.timeout(5):
                await self._ask("Browser.close")
        with suppress(OSError):
            os.close(self._pipe)
        try:
            await asyncio.wait_for(self._process.wait(), 10)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _until_loaded(self) -> None:
        while True:
            targets = (await self._ask("Target.getTargets"))["targetInfos"]
            if any(target["url"].startswith(f"{EXTENSION_ORIGIN}/") for target in targets):
                return
            await asyncio.sleep(_LOOK_EVERY)

    async def _answer_of_page(self, session: str, expression: str) -> dict[str, Any]:
        """Asked again while the page is still being loaded."""
        while True:
            answer = await self._ask(
                "Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True
            )
            value = answer.get("result", {}).get("value")
            if isinstance(value, dict):
                return value
            await asyncio.sleep(_LOOK_EVERY)

    async def _ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        self._last_id += 1
        message: dict[str, Any] = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        try:
            os.write(self._pipe, json.dumps(message).encode() + b"\0")
            while True:
                told = json.loads((await self._reader.readuntil(b"\0"))[:-1])
                if told.get("id") == self._last_id:
                    break
        except (OSError, asyncio.IncompleteReadError):
            raise Offline(
                "The browser has ended.", hint="Perhaps one with this profile runs already: close it first."
            ) from None
        if "error" in told:
            raise InputOutput(f"The browser refuses {method}: {told['error'].get('message', '')}")
        return dict(told["result"])


def _pipe_ends() -> tuple[int, int]:
    """Reading and writing end, with numbers that don't stand in the way of the child's own."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE_THE_PIPE) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
