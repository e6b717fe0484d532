"""A Chromium with its own profile and handrail's extension.

The pairing code is sent through the pipe, because every user of the machine can read command lines.
"""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from handrail.features.browser.chromium.launching import CHROMIUM_FLAGS, DevToolsPipe, launch
from handrail.ports.browser import EXTENSION_ORIGIN
from handrail.ports.errors import Failure, InputOutput, Timeout

_FLAGS = (
    *CHROMIUM_FLAGS,
    "--disable-features=DisableLoadExtensionCommandLineSwitch,Translate,MediaRouter,OptimizationHints",
    "--silent-debugger-extension-api",
)
_WITHOUT_DISPLAY = ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage")
_START_SECONDS = 30.0
_POLL_SECONDS = 0.1


class Chromium:
    """Created by `start`; the caller must close it."""

    def __init__(self, process: asyncio.subprocess.Process, pipe: DevToolsPipe) -> None:
        self._process = process
        self._pipe = pipe

    @classmethod
    async def start(cls, program: str, profile: Path, extension: Path, *, has_display: bool) -> "Chromium":
        command = [
            program,
            *_FLAGS,
            *(() if has_display else _WITHOUT_DISPLAY),
            f"--user-data-dir={profile}",
            f"--load-extension={extension}",
        ]
        return cls(*await launch(command, is_hidden=not has_display))

    async def pair(self, server: str, code: str) -> None:
        """Pairs on the extension's own page, as a person would."""
        ask = self._pipe.ask
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._until_loaded()
                page = await ask("Target.createTarget", url=f"{EXTENSION_ORIGIN}/options.html")
                session = await ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
                message = json.dumps({"type": "ui/pair", "server": server, "code": code})
                answer = await self._answer_of_page(session["sessionId"], f"chrome.runtime.sendMessage({message})")
                await ask("Target.closeTarget", targetId=page["targetId"])
        except TimeoutError:
            raise Timeout(f"The browser was not ready within {_START_SECONDS:g} s.") from None
        if not answer.get("ok"):
            raise InputOutput(f"The extension could not be paired: {answer.get('message', 'it did not say why')}")

    async def wait(self) -> int:
        """Returns when a person closes the browser."""
        return await self._process.wait()

    async def close(self) -> None:
        """Closes the browser, or kills it if that takes too long."""
        with suppress(Failure, TimeoutError):
            async with asyncio.timeout(5):
                await self._pipe.ask("Browser.close")
        await self._pipe.close()
        try:
            await asyncio.wait_for(self._process.wait(), 10)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _until_loaded(self) -> None:
        while True:
            targets = (await self._pipe.ask("Target.getTargets"))["targetInfos"]
            if any(target["url"].startswith(f"{EXTENSION_ORIGIN}/") for target in targets):
                return
            await asyncio.sleep(_POLL_SECONDS)

    async def _answer_of_page(self, session: str, expression: str) -> dict[str, Any]:
        """Tries again while the page is still loading."""
        while True:
            answer = await self._pipe.ask(
                "Runtime.evaluate", session, expression=expression, awaitPromise=True, returnByValue=True
            )
            value = answer.get("result", {}).get("value")
            if isinstance(value, dict):
                return value
            await asyncio.sleep(_POLL_SECONDS)
