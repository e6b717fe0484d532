"""One headless Chromium for previews: started when first needed, ended after minutes without use and with the program.

Its profile is a temporary folder that is deleted with it, also when we are killed. Nothing leaves the machine: it
resolves no other host names, and each page has a context whose connections, also of websockets and workers, go to a
proxy that doesn't exist, except to the places that the page may reach. Pages can't write files, and windows that they
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

from handrail.features.browser.chromium.launching import CHROMIUM_FLAGS, Wire, branded_program, launch, program
from handrail.features.browser.chromium.page import ChromiumPage
from handrail.ports.errors import Failure, NotShown

# Nobody sees the window's address bar, whose page would be loaded beside ours; nor is a second page expected soon.
# Sound is muted and needs no process of its own.
_UNWANTED = (
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
    f"--disable-features={','.join(_UNWANTED)}",
    "--use-angle=swiftshader",  # engines draw by WebGL
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",  # without a graphics card it takes longer by far
    "--js-flags=--no-enable-lazy-source-positions",  # otherwise a large script that throws is parsed once more
    "--autoplay-policy=no-user-gesture-required",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # as other versions name it
    "--no-proxy-server",
)
_NOWHERE = "http://nowhere.invalid:1"
# The shell outlives us and the browser by a moment, so that the profile goes even when we are killed.
_TIDYING = 'profile=$1; shift; "$@"; rm -rf -- "$profile"'
_STARTS_WITHIN = 30.0
_ENDS_WITHIN = 5.0
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
            if self._running is None or self._running.wire.has_ended:
                await self._end()
                self._running = await _started()
            wire, context = self._running.wire, await self._running.context(allowed)
            page = await ChromiumPage.open(wire, context, allowed, self.touch, is_watched=is_watched)
        self.touch()
        return page

    def touch(self) -> None:
        """Restarts the time without use."""
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
    def __init__(self, process: asyncio.subprocess.Process, wire: Wire, profile: str) -> None:
        self.process = process
        self.wire = wire
        self._profile = profile
        self._contexts: dict[tuple[str, ...], str] = {}
        wire.listen(None, self._on_event)

    async def context(self, allowed: Sequence[str]) -> str:
        """The context for pages that may reach these places; such pages share their storage."""
        key = tuple(sorted(allowed))
        if key not in self._contexts:
            reached = ";".join(("<-loopback>", *key))
            made = await self.wire.ask("Target.createBrowserContext", proxyServer=_NOWHERE, proxyBypassList=reached)
            context: str = made["browserContextId"]
            await self.wire.ask("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
            self._contexts[key] = context
        return self._contexts[key]

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        """Closes windows that pages opened: our own pages have no opener."""
        if method == "Target.targetCreated" and "openerId" in params["targetInfo"]:
            self.wire.tell("Target.closeTarget", targetId=params["targetInfo"]["targetId"])

    async def end(self) -> None:
        """Ends it in order, or kills it."""
        await self.wire.close()
        try:
            await asyncio.wait_for(self.process.wait(), _ENDS_WITHIN)
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            await self.process.wait()
        await asyncio.to_thread(shutil.rmtree, self._profile, ignore_errors=True)


async def _started() -> _Running:
    found = program() or branded_program()
    if found is None:
        raise NotShown("There is no Chromium on this machine to look at a page with.", hint="Install chromium.")
    profile = tempfile.mkdtemp(prefix="handrail-chromium-")
    command = ["/bin/sh", "-c", _TIDYING, "sh", profile, found, *_FLAGS, f"--user-data-dir={profile}"]
    running = _Running(*await launch(command, temporary=profile), profile)
    try:
        async with asyncio.timeout(_STARTS_WITHIN):
            await running.wire.ask("Target.setDiscoverTargets", discover=True)
    except (Failure, TimeoutError) as error:
        await running.end()
        why = f"did not start within {_STARTS_WITHIN:g} s" if isinstance(error, TimeoutError) else "ended at once"
        raise NotShown(f"{found} {why}.", hint="Try whether it starts by hand: chromium --headless=new.") from None
    except BaseException:
        await running.end()
        raise
    return running
