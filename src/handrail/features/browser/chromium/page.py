"""A page of the headless browser: navigation, problems, clicks and pictures.

Each request of a watched page, with redirects, is decided here, so that refusals can be reported. Requests that bypass
this can only reach what the browser context allows.
"""

import asyncio
import base64
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from handrail.features.browser.chromium import page_problems
from handrail.features.browser.chromium.element import locate_script, located_element
from handrail.features.browser.chromium.frames import ForeignFrames
from handrail.features.browser.chromium.launching import DevToolsPipe
from handrail.features.browser.offers import Element, PageProblem
from handrail.kernel.target import ANY_PLACE
from handrail.kernel.web_address import host_of_page, parse_place, place_of_page
from handrail.ports.errors import Declined, Failure, NotShown
from handrail.ports.own_servers import find_own_ports

Touch = Callable[[], None]
"""Called whenever the browser is used."""
WIDTH, HEIGHT = 1280, 720
_QUALITY = 80
_INSIDE = ("data:", "blob:", "about:")
_MAX_PROBLEMS = 100
_MAX_MISSING = 1000
_SHORT_DELAY = "new Promise((done) => setTimeout(done, 50))"


class ChromiumPage:
    def __init__(
        self, pipe: DevToolsPipe, target: str, session: str, allowed: Sequence[str], touch: Callable[[], None]
    ) -> None:
        self._pipe = pipe
        self._target = target
        self._session = session
        self._allowed = allowed
        self._touch = touch
        self._frame = target
        self._problems: list[PageProblem] = []
        self._missing: list[str] = []
        self._refused: str | None = None
        self._loaded = asyncio.Event()
        self._loaded.set()
        self._is_open = True
        self.url = "about:blank"
        self._frames = ForeignFrames(pipe, self._handle_event)
        pipe.listen(session, self._on_event)

    @classmethod
    async def open(
        cls, pipe: DevToolsPipe, context: str, allowed: Sequence[str], touch: Touch, *, is_watched: bool
    ) -> "ChromiumPage":
        """`context`: the browser context for pages that may reach the `allowed` hosts."""
        target = (await pipe.ask("Target.createTarget", url="about:blank", browserContextId=context))["targetId"]
        session = (await pipe.ask("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = cls(pipe, target, session, allowed, touch)
        await asyncio.gather(
            page._ask("Page.enable"),
            page._ask("Runtime.enable"),
            page._ask("Log.enable"),
            *([page._ask("Fetch.enable", patterns=[{"urlPattern": "*"}])] if is_watched else []),
            *([page._frames.watch(session)] if is_watched else []),
            page._ask(
                "Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False
            ),
        )
        return page

    @property
    def is_open(self) -> bool:
        return self._is_open and not self._pipe.has_ended

    def take_problems(self) -> list[PageProblem]:
        taken, self._problems = self._problems, []
        return taken

    def take_missing(self) -> list[str]:
        taken, self._missing = self._missing, []
        return taken

    async def before_load(self, script: str) -> None:
        await self._ask("Page.addScriptToEvaluateOnNewDocument", source=script)

    async def go(self, url: str) -> None:
        self._check(url)
        self._loaded.clear()
        self._refused = None
        answer = await self._ask("Page.navigate", url=url)
        self.check_refused()
        if why := answer.get("errorText"):
            raise NotShown(f"{url} can't be opened: {why}.", hint="Is a server running there?", url=url)
        await self._loaded.wait()
        self.check_refused()

    def check_refused(self) -> None:
        """Raises Declined if the page tried to leave this machine since the last navigation."""
        url, self._refused = self._refused, None
        if url is not None:
            raise _refused(url)

    def run(self, expression: str) -> None:
        self._touch()
        self._pipe.send("Runtime.evaluate", self._session, expression=expression)

    async def value(self, expression: str) -> Any:
        answer = await self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return answer.get("result", {}).get("value")

    async def element(self, selector: str) -> Element:
        return located_element(await self.value(locate_script(selector)), selector, self.url).element

    async def click(self, selector: str, seen: Element | None = None) -> None:
        destination = located_element(await self.value(locate_script(selector)), selector, self.url)
        destination.check(selector, seen)
        at = {"x": destination.x, "y": destination.y, "button": "left", "clickCount": 1}
        await self._ask("Input.dispatchMouseEvent", type="mouseMoved", x=destination.x, y=destination.y)
        await self._ask("Input.dispatchMouseEvent", type="mousePressed", **at)
        await self._ask("Input.dispatchMouseEvent", type="mouseReleased", **at)
        with suppress(Failure):  # the page may have navigated
            await self.value(_SHORT_DELAY)
        await self._loaded.wait()
        self.check_refused()

    async def picture(self, *, as_jpeg: bool = False) -> bytes:
        form: dict[str, Any] = {"format": "jpeg", "quality": _QUALITY} if as_jpeg else {"format": "png"}
        answer = await self._ask("Page.captureScreenshot", **form, optimizeForSpeed=True)
        return base64.b64decode(answer["data"])

    async def close(self) -> None:
        self._is_open = False
        self._pipe.forget(self._session)
        self._frames.forget()
        with suppress(Failure, TimeoutError):
            async with asyncio.timeout(2):
                await self._pipe.ask("Target.closeTarget", targetId=self._target)

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._touch()
        return await self._pipe.ask(method, self._session, **params)

    def _on_event(self, method: str, params: dict[str, Any]) -> None:
        self._frames.on_event(method, params)
        self._handle_event(self._session, method, params)

    def _handle_event(self, session: str, method: str, params: dict[str, Any]) -> None:
        match method:
            case "Fetch.requestPaused":
                self._on_request(session, params)
            case "Page.frameStartedLoading" | "Page.frameStoppedLoading" if params["frameId"] == self._frame:
                self._loaded.clear() if method.endswith("StartedLoading") else self._loaded.set()
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                self._frame, self.url = params["frame"]["id"], params["frame"]["url"]
            case "Page.javascriptDialogOpening":
                self._pipe.send("Page.handleJavaScriptDialog", self._session, accept=False)
            case "Runtime.exceptionThrown":
                self._add_problem(page_problems.exception_problem(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("error", "assert"):
                self._add_problem(page_problems.printed_problem(params["args"]))
            case "Log.entryAdded" if params["entry"]["source"] == "security":
                self._add_problem(page_problems.blocked_by_policy(params["entry"]["text"]))
            case "Log.entryAdded" if params["entry"]["source"] == "network" and "404" in params["entry"]["text"]:
                del self._missing[: -_MAX_MISSING + 1]
                self._missing.append(params["entry"].get("url", ""))
            case "Inspector.targetCrashed":
                self._is_open = False
                self._add_problem(PageProblem("The page has crashed."))

    def _on_request(self, session: str, params: dict[str, Any]) -> None:
        url, id = params["request"]["url"], params["requestId"]
        if url.startswith(_INSIDE) or self._is_allowed(url):
            self._pipe.send("Fetch.continueRequest", session, requestId=id)
            return
        self._pipe.send("Fetch.failRequest", session, requestId=id, errorReason="BlockedByClient")
        if params.get("resourceType") == "Document" and params["frameId"] == self._frame:
            self._refused = url
            self._loaded.set()
        else:
            self._add_problem(page_problems.refused_address(url))

    def _check(self, url: str) -> None:
        if not self._is_allowed(url):
            raise _refused(url)

    def _is_allowed(self, url: str) -> bool:
        host = host_of_page(url)
        is_named = host is not None and (host in self._allowed or urlsplit(url).netloc in self._allowed)
        return is_named and not _is_handrail(url)

    def _add_problem(self, problem: PageProblem | None) -> None:
        if problem is not None and len(self._problems) < _MAX_PROBLEMS:
            self._problems.append(problem)


def _is_handrail(url: str) -> bool:
    """Whether it is a page of handrail itself. All allowed hosts are this machine, so the port decides."""
    place = place_of_page(url)
    return place is not None and place != ANY_PLACE and parse_place(place).port in find_own_ports()


def _refused(url: str) -> Declined:
    if _is_handrail(url):
        return Declined(f"{url} is handrail itself, which is only for people.", reason="own", url=url)
    return Declined(
        f"Only pages on this machine can be opened, not {url}",
        hint="Use http://localhost or http://127.0.0.1 with a port.",
        reason="policy",
        url=url,
    )
