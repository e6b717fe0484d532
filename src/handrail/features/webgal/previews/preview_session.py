"""Shows scenes: sends a browser page to a scene, waits for it, takes its picture, and gives people an address."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote, urlsplit

from handrail.features.browser.offers import LocalBrowser, LocalPage, PageProblem
from handrail.features.webgal.preview_ports import (
    Destination,
    GameSite,
    NotHosted,
    Position,
    ScenePreviews,
    Screen,
    ShownScene,
)
from handrail.ports.errors import Failure, NotShown, Offline, Timeout

_POLL_SCRIPT = "window.handrailLook?.()"
_SETTLE_SCRIPT = "window.handrailSettle ? handrailSettle() : new Promise((done) => setTimeout(done, 1500))"
_DRAW_SCRIPT = "window.handrailDraw?.()"
_HELD_FRAGMENT = "#held"
# Otherwise an engine asks for a language first and draws constantly, which is slow without a graphics card.
_EDITOR_SCRIPT = """localStorage.getItem("lang") ?? localStorage.setItem("lang", "0");
{ const frame = requestAnimationFrame; window.requestAnimationFrame = (run) => setTimeout(() => frame(run), 200); }"""
_QUIET_SECONDS = 1.5
_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds: how long to wait for an engine's page, and for a jump."""

    starting: float = 60.0
    arriving: float = 30.0


@dataclass(frozen=True, slots=True)
class PreviewPage:
    site: GameSite
    tab: LocalPage
    screen: Screen
    timeouts: Timeouts
    is_in_editor: bool

    @property
    def is_good(self) -> bool:
        return self.tab.is_open and self.screen.has_page and not (self.screen.is_stale or self.screen.is_stuck)

    def send_to(self, destination: Destination) -> None:
        """Clears what was recorded for the previous destination."""
        self.tab.take_problems()
        self.tab.take_missing()
        self.screen.take_problems()
        self.screen.send_to(destination)

    async def start(self) -> None:
        """Raises NotShown if the engine doesn't connect."""
        try:
            async with asyncio.timeout(self.timeouts.starting):
                if self.is_in_editor:
                    await self.tab.before_load(_EDITOR_SCRIPT)
                await self.tab.go(self.screen.address + _HELD_FRAGMENT)
                while not self.screen.has_page:
                    self._check_open()
                    await asyncio.sleep(_POLL_SECONDS)
        except TimeoutError:
            troubles = self.tab.take_problems()
            why = f": {troubles[0].message}" if troubles else "."
            raise NotShown(
                f"The engine's page did not start within {self.timeouts.starting:g} s{why}",
                hint="If the project has its own engine, open its index.html in a browser to see what is wrong.",
            ) from None

    async def wait_for_arrival(self, destination: Destination) -> Position:
        def poll() -> None:
            self._check_open()
            self.tab.run(_POLL_SCRIPT)

        hint = "The scene may loop forever: validate_script shows where (WG123)."
        async with self._in_time(f"The engine did not reach line {destination.line} of {destination.scene}", hint):
            return await self.screen.wait_for_arrival(poll)

    async def settle(self, fetched_ahead: Collection[str]) -> None:
        """Waits for pictures, transitions and preloading."""
        with suppress(TimeoutError):  # if a large file is still loading, the picture is taken without it
            async with asyncio.timeout(_QUIET_SECONDS):
                await self.screen.wait_until_quiet(fetched_ahead)
        async with self._in_time("The engine's stage did not settle"):
            await self.tab.value(_SETTLE_SCRIPT)

    async def picture(self, *, as_jpeg: bool) -> bytes:
        async with self._in_time("No picture of the engine's page could be taken"):
            await self.tab.value(_DRAW_SCRIPT)
            return await self.tab.picture(as_jpeg=as_jpeg)

    def missing(self) -> tuple[list[str], list[str]]:
        """Returns missing files that the engine requested since its page was loaded, and since the last jump.

        On a server that isn't ours, the page itself reports them.
        """
        if not self.is_in_editor:
            return list(self.screen.missing), list(self.screen.newly_missing)
        prefix, urls = f"{self.screen.address}game/", self.tab.take_missing()
        missed = list(dict.fromkeys(unquote(url.removeprefix(prefix)) for url in urls if url.startswith(prefix)))
        return missed, missed

    def troubles(self) -> list[PageProblem]:
        """For exceptions, our own screen knows where they were thrown, so the page's are skipped."""
        by_page = [each for each in self.tab.take_problems() if self.is_in_editor or not each.is_exception]
        return [*self.screen.take_problems(), *by_page]

    async def close(self) -> None:
        self.screen.close()
        await self.tab.close()

    def _check_open(self) -> None:
        if not self.tab.is_open:
            raise NotShown("The browser has ended while it showed the scene.", hint="Try again.")

    @asynccontextmanager
    async def _in_time(self, problem: str, hint: str = "Try again.") -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self.timeouts.arriving):
                yield
        except TimeoutError:
            raise Timeout(f"{problem} within {self.timeouts.arriving:g} s.", hint=hint) from None


OpenSite = Callable[[str], Awaitable[GameSite]]
FindSite = Callable[[str], Awaitable[GameSite | None]]
_SHOWN_IN_EDITOR = "It is shown by WebGAL Terre."


async def _no_editor(game: str) -> GameSite | None:
    return None


class PreviewSession:
    """`find_editor` finds a running editor with the game, which then shows it. It may raise NotShown.

    `lifetime` tells people how long our addresses work.
    """

    def __init__(
        self,
        open_browser: Callable[[], LocalBrowser],
        open_site: OpenSite,
        find_editor: FindSite = _no_editor,
        *,
        lifetime: str = "",
        timeouts: Timeouts | None = None,
    ) -> None:
        self._lifetime = lifetime
        self._open_browser = open_browser
        self._browser: LocalBrowser | None = None
        self._open_site = open_site
        self._find_editor = find_editor
        self._timeouts = timeouts or Timeouts()
        self._sites: dict[str, GameSite] = {}
        self._public: dict[GameSite, Screen] = {}
        self._page: PreviewPage | None = None
        self._show_lock = asyncio.Lock()
        self._open_lock = asyncio.Lock()

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str] = ()) -> ShownScene:
        """Shows one scene at a time. See ScenePreviews."""
        async with self._show_lock:
            try:
                return await self._show(game, destination, fetched_ahead)
            except BaseException:
                await self._close_page()
                raise

    async def site(self, game: str) -> GameSite:
        async with self._open_lock:  # a concurrent second caller gets the first one's site
            if game not in self._sites:
                self._sites[game] = await self._open_site(game)
            return self._sites[game]

    def browser(self) -> LocalBrowser:
        """One browser for everything that looks at pages."""
        if self._browser is None:
            self._browser = self._open_browser()
        return self._browser

    async def close(self) -> None:
        await self._close_page()
        if self._browser is not None:
            await self._browser.close()
        async with self._open_lock:
            for site in self._sites.values():
                await site.close()
            self._sites.clear()

    async def _show(self, game: str, destination: Destination, fetched_ahead: Collection[str]) -> ShownScene:
        started = time.monotonic()
        page = await self._page_for(game, destination)
        await page.wait_for_arrival(destination)
        seconds = time.monotonic() - started
        await page.settle(fetched_ahead)
        position = await page.wait_for_arrival(destination)  # the last line may have led elsewhere since
        picture = await page.picture(as_jpeg=destination.as_jpeg)
        missing, troubles = page.missing(), page.troubles()
        if position.is_waiting:
            await self._close_page()  # anything still running would continue in the next scene
        url = f"{self._public_address(page, destination)}#scene={quote(destination.scene.removesuffix('.txt'))}"
        whereabouts = _SHOWN_IN_EDITOR if page.is_in_editor else self._lifetime
        broken, newly_broken = list(page.screen.broken), list(page.screen.newly_broken)
        return ShownScene(url, position, picture, *missing, troubles, seconds, whereabouts, broken, newly_broken)

    async def _page_for(self, game: str, destination: Destination) -> PreviewPage:
        """Returns the open page if it still works, otherwise a new one, on its way to the destination."""
        editor = await self._find_editor(game)
        site = editor or await self.site(game)
        if self._page is not None and self._page.site is site and self._page.is_good:
            self._page.send_to(destination)
            return self._page
        await self._close_page()
        screen = site.open_screen()
        try:
            # A game can only reach its own server. Our server's script makes the page report other requests.
            allowed, is_watched = [urlsplit(screen.address).netloc], editor is not None
            tab = await self.browser().open_page(allowed, is_watched=is_watched)
        except BaseException:
            screen.close()
            raise
        page = self._page = PreviewPage(site, tab, screen, self._timeouts, editor is not None)
        page.send_to(destination)
        await page.start()
        return page

    def _public_address(self, page: PreviewPage, destination: Destination) -> str:
        """Returns the address for people: a screen of ours, or the editor's own."""
        if page.is_in_editor:
            return page.screen.address
        public = self._public.get(page.site)
        if public is None:
            public = self._public[page.site] = page.site.open_screen()
        public.send_to(destination)
        return public.address

    async def _close_page(self) -> None:
        page, self._page = self._page, None
        if page is not None:
            await page.close()


ShowByServer = Callable[[str, Destination, Collection[str]], Awaitable[ShownScene]]
"""Raises Offline if no server runs, NotHosted if it doesn't show this scene, other errors if showing failed."""


class ServerFirstPreviews:
    """Uses the running server, whose addresses outlive the call, otherwise this process.

    If the server ends halfway, this process shows the scene again, which is harmless.
    """

    def __init__(self, by_server: ShowByServer, own: ScenePreviews) -> None:
        self._by_server = by_server
        self._own = own

    async def show(self, game: str, destination: Destination, fetched_ahead: Collection[str] = ()) -> ShownScene:
        why = ""
        try:
            return await self._by_server(game, destination, fetched_ahead)
        except Offline:
            pass
        except NotHosted as refusal:
            why = f" {refusal.message}"
        showing = await self._own.show(game, destination, fetched_ahead)
        return replace(showing, whereabouts=showing.whereabouts + why)


def as_not_shown(failure: Failure) -> Failure:
    """A browser that ends halfway means that the preview failed."""
    return NotShown(failure.message, hint="Try again.") if isinstance(failure, Offline) else failure
