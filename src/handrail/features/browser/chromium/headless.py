"""A headless Chromium for previews, started when first needed, ended after minutes without use or with the program.

Its profile is a temporary folder that is deleted with it, even if we are killed. Nothing leaves the machine: it
resolves no other host names, and all connections of a page's browser context, also of websockets and workers, go to a
proxy that doesn't exist, except to the hosts that the page may reach. Pages can't write files, and windows that they
open are closed.
"""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from handrail.features.browser.chromium.launching import CHROMIUM_FLAGS, DevToolsPipe, branded_program, launch, program
from handrail.features.browser.chromium.page import ChromiumPage
from handrail.ports.errors import Failure, NotShown

# Not needed here, but each would start a process: the address bar's pages, a spare page, sound.
_DISABLED_FEATURES = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "SpareRendererForSitePerProcess",
    "Translate",
    "MediaRouter",
    "OptimizationHints",
    "AudioServiceOutOfProcess",
)
_FLAGS = (
    *CHROMIUM_FLAGS,
    "--headless=new",
    "--no-startup-window",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    f"--disable-features={','.join(_DISABLED_FEATURES)}",
    "--use-angle=swiftshader",  # game engines draw with WebGL
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # much slower without a graphics card
    "--js-flags=--no-enable-lazy-source-positions",  # otherwise a large script that throws is parsed again
    "--autoplay-policy=no-user-gesture-required",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name in other versions
    "--no-proxy-server",
)
_DEAD_PROXY = "http://nowhere.invalid:1"
# The shell outlives us and the browser, so that the profile is deleted even if we are killed.
_RUN_AND_DELETE_PROFILE = 'profile=$1; shift; "$@"; rm -rf -- "$profile"'
_START_TIMEOUT = 30.0
_END_TIMEOUT = 5.0
IDLE_SECONDS = 300.0


class HeadlessChromium:
    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._starting = asyncio.Lock()
        self._running: _Running | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def open_page(self, allowed: Sequence[str], *, is_watched: bool = True) -> ChromiumPage:
        async with self._starting:
            if self._running is None or self._running.pipe.has_ended:
                await self._end()
                self._running = await _start()
            pipe, context = self._running.pipe, await self._running.context(allowed)
            page = await ChromiumPage.open(pipe, context, allowed, self.touch, is_watched=is_watched)
        self.touch()
        return page

    def touch(self) -> None:
        """Restarts the idle timer."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(self._idle_seconds, self._rest)

    async def close(self) -> None:
        async with self._starting:
            await self._end()

    def _rest(self) -> None:
        self._ending = asyncio.create_task(self.close())

    async def _end(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        running, self._running = self._running, None
        if running is not None:
            await running.end()


class _Running:
    def __init__(self, process: asyncio.subprocess.Process, pipe: DevToolsPipe, profile: str) -> None:
        self.process = process
        self.pipe = pipe
        self._profile = profile
        self._contexts: dict[tuple[str, ...], str] = {}
        pipe.listen(None, self._on_event)

    async def context(self, allowed: Sequence[str]) -> str:
        """The browser context for pages that may reach these hosts; they share their storage."""
        key = tuple(sorted(allowed))
        if key not in self._contexts:
            bypass = ";".join(("<-loopback>", *key))
            made = await self.pipe.ask("Target.createBrowserContext", proxyServer=_DEAD_PROXY, proxyBypassList=bypass)
            context: str = made["browserContextId"]
            await self.pipe.ask("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
            self._contexts[key] = context
        return self._contexts[key]

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        """Closes windows that pages opened; our own pages have no opener."""
        if method == "Target.targetCreated" and "openerId" in params["targetInfo"]:
            self.pipe.send("Target.closeTarget", targetId=params["targetInfo"]["targetId"])

    async def end(self) -> None:
        """Closes the browser, or kills it if that takes too long."""
        await self.pipe.close()
        try:
            await asyncio.wait_for(self.process.wait(), _END_TIMEOUT)
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            await self.process.wait()
        await asyncio.to_thread(shutil.rmtree, self._profile, ignore_errors=True)


async def _start() -> _Running:
    executable = program() or branded_program()
    if executable is None:
        raise NotShown("No Chromium is installed to show pages.", hint="Install chromium.")
    profile = tempfile.mkdtemp(prefix="handrail-chromium-")
    command = [
        "/bin/sh",
        "-c",
        _RUN_AND_DELETE_PROFILE,
        "sh",
        profile,
        executable,
        *_FLAGS,
        f"--user-data-dir={profile}",
    ]
    running = _Running(*await launch(command, temporary=profile, is_hidden=True), profile)
    try:
        async with asyncio.timeout(_START_TIMEOUT):
            await running.pipe.ask("Target.setDiscoverTargets", discover=True)
    except (Failure, TimeoutError) as error:
        await running.end()
        why = f"did not start within {_START_TIMEOUT:g} s" if isinstance(error, TimeoutError) else "ended at once"
        raise NotShown(f"{executable} {why}.", hint="Try to start it yourself: chromium --headless=new.") from None
    except BaseException:
        await running.end()
        raise
    return running
