"""Where scenes are shown: the servers of the project's games, the one page that is photographed, frames for people.

Everything is started when it is first needed and stays warm. Knows neither how a game is served nor how a browser is
driven.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import quote, unquote

from handrail.contract.errors import Failure, NotShown, Offline, Timeout
from handrail.contract.preview import GameSite, LocalBrowser, LocalPage, Position, Screen, Spot, Trouble
from handrail.surfaces.webgal.sought_scene import LOCAL_HOSTS

OpenSite = Callable[[str], Awaitable[GameSite]]
FindSite = Callable[[str], Awaitable[GameSite | None]]
_LOOK = "window.handrailLook?.()"
_SETTLE = "window.handrailSettle ? handrailSettle() : new Promise((done) => setTimeout(done, 1500))"
_DRAW = "window.handrailDraw?.()"
_HELD = "#held"
# Otherwise an engine asks for a language first, and draws all the time, which takes long without a graphics card.
_IN_EDITOR = """localStorage.getItem("lang") ?? localStorage.setItem("lang", "0");
{ const frame = requestAnimationFrame; window.requestAnimationFrame = (run) => setTimeout(() => frame(run), 200); }"""
_STARTS_WITHIN = 60.0
_ARRIVES_WITHIN = 30.0
_ASKS_WITHIN = 1.5
_LOOK_EVERY = 0.02


async def _no_editor(game: str) -> GameSite | None:
    return None


@dataclass(frozen=True, slots=True)
class Showing:
    """`missing` are files below the game's folder that the engine has asked for in vain since its page was loaded,
    `newly_missing` those that it asked for on its way to this spot. `seconds` passed until it said that it is there.
    """

    url: str
    position: Position
    picture: bytes
    missing: tuple[str, ...]
    newly_missing: tuple[str, ...]
    troubles: tuple[Trouble, ...]
    seconds: float
    is_in_editor: bool = False


@dataclass(frozen=True, slots=True)
class _Seat:
    site: GameSite
    page: LocalPage
    screen: Screen

    @property
    def is_good(self) -> bool:
        return self.page.is_open and self.screen.has_page and not self.screen.is_stale


class Theatre:
    """`find_editor` finds an editor that runs and has the game, which is then shown there; NotShown where it must.

    `lifetime` tells how long an address of ours works.
    """

    def __init__(
        self,
        open_browser: Callable[[], LocalBrowser],
        open_site: OpenSite,
        find_editor: FindSite = _no_editor,
        *,
        lifetime: str = "",
        starts_within: float = _STARTS_WITHIN,
        arrives_within: float = _ARRIVES_WITHIN,
    ) -> None:
        self.lifetime = lifetime
        self._open_browser = open_browser
        self._browser: LocalBrowser | None = None
        self._open_site = open_site
        self._find_editor = find_editor
        self._starts_within = starts_within
        self._arrives_within = arrives_within
        self._sites: dict[str, GameSite] = {}
        self._public: dict[GameSite, Screen] = {}
        self._seat: _Seat | None = None
        self._turn = asyncio.Lock()

    async def show(self, game: str, spot: Spot, fetched_ahead: Collection[str] = ()) -> Showing:
        """One at a time. NotShown: no engine, no browser, or an engine that fails. Timeout: it never gets there."""
        async with self._turn:
            try:
                return await self._shown(game, spot, fetched_ahead)
            except BaseException:
                await self._leave()
                raise

    async def site(self, game: str) -> GameSite:
        if game not in self._sites:
            self._sites[game] = await self._open_site(game)
        return self._sites[game]

    def browser(self) -> LocalBrowser:
        """The same for all that looks at pages."""
        if self._browser is None:
            self._browser = self._open_browser()
        return self._browser

    async def close(self) -> None:
        await self._leave()
        if self._browser is not None:
            await self._browser.close()
        for site in self._sites.values():
            await site.close()
        self._sites.clear()

    async def _shown(self, game: str, spot: Spot, fetched_ahead: Collection[str]) -> Showing:
        began = time.monotonic()
        editor = await self._find_editor(game)
        site = editor or await self.site(game)
        is_warm = self._seat is not None and self._seat.site is site and self._seat.is_good
        seat = self._seat if is_warm and self._seat is not None else await self._seated(site)
        seat.page.take_troubles()
        seat.page.take_missing()
        seat.screen.take_troubles()
        seat.screen.send_to(spot)
        if not is_warm:
            await self._started(seat, is_in_editor=editor is not None)
        await self._arrived(seat, spot)
        seconds = time.monotonic() - began
        await self._settled(seat, fetched_ahead)
        position = await self._arrived(seat, spot)  # the last line may have led elsewhere meanwhile
        picture = await self._photographed(seat)
        public = seat.screen if editor is not None else self._public.get(site) or site.open_screen()
        if editor is None:
            self._public[site] = public
            public.send_to(spot)
        missed = _missed(seat)
        showing = Showing(
            f"{public.address}#scene={quote(spot.scene.removesuffix('.txt'))}",
            position,
            picture,
            tuple(seat.screen.missing if editor is None else missed),
            tuple(seat.screen.newly_missing if editor is None else missed),
            (*seat.screen.take_troubles(), *_told_by(seat.page, with_exceptions=editor is not None)),
            seconds,
            is_in_editor=editor is not None,
        )
        if position.is_waiting:
            await self._leave()  # what goes round in it would go on in the next scene
        return showing

    async def _seated(self, site: GameSite) -> _Seat:
        """A page of the browser before a screen of its own; what another page has loaded and keeps is not its."""
        await self._leave()
        page = await self.browser().open_page(
            LOCAL_HOSTS, is_watched=False
        )  # the game's server refuses what is elsewhere
        self._seat = _Seat(site, page, site.open_screen())
        return self._seat

    async def _started(self, seat: _Seat, *, is_in_editor: bool) -> None:
        try:
            async with asyncio.timeout(self._starts_within):
                if is_in_editor:
                    await seat.page.before_load(_IN_EDITOR)
                await seat.page.go(seat.screen.address + _HELD)
                while not seat.screen.has_page:
                    _check_open(seat.page)
                    await asyncio.sleep(_LOOK_EVERY)
        except TimeoutError:
            troubles = seat.page.take_troubles()
            why = f": {troubles[0].message}" if troubles else "."
            raise NotShown(
                f"The engine's page did not start within {self._starts_within:g} s{why}",
                hint="Where the project brings its own engine, open its index.html in a browser and look there.",
            ) from None

    async def _arrived(self, seat: _Seat, spot: Spot) -> Position:
        def look() -> None:
            _check_open(seat.page)
            seat.page.run(_LOOK)

        hint = "Perhaps the scene goes round for ever: validate_script tells where (WG123)."
        async with self._in_time(f"The engine did not come to line {spot.line} of {spot.scene}", hint):
            return await seat.screen.arrived(look)

    async def _settled(self, seat: _Seat, fetched_ahead: Collection[str]) -> None:
        """Pictures have come, transitions are over, and what is fetched ahead has been asked for."""
        with suppress(TimeoutError):  # of a large file that is still on its way, the picture shows what there is
            async with asyncio.timeout(_ASKS_WITHIN):
                await seat.screen.quiet(fetched_ahead)
        async with self._in_time("The engine's stage did not come to rest"):
            await seat.page.value(_SETTLE)

    async def _photographed(self, seat: _Seat) -> bytes:
        async with self._in_time("No picture of the engine's page could be taken"):
            await seat.page.value(_DRAW)
            return await seat.page.picture()

    @asynccontextmanager
    async def _in_time(self, what: str, hint: str = "Try again.") -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._arrives_within):
                yield
        except TimeoutError:
            raise Timeout(f"{what} within {self._arrives_within:g} s.", hint=hint) from None

    async def _leave(self) -> None:
        seat, self._seat = self._seat, None
        if seat is not None:
            seat.screen.close()
            await seat.page.close()


def _missed(seat: _Seat) -> list[str]:
    """What the page itself tells, where the server is not ours."""
    prefix, urls = f"{seat.screen.address}game/", seat.page.take_missing()
    return list(dict.fromkeys(unquote(url.removeprefix(prefix)) for url in urls if url.startswith(prefix)))


def _told_by(page: LocalPage, *, with_exceptions: bool) -> list[Trouble]:
    """Of exceptions a screen of ours tells more: where they were thrown."""
    return [each for each in page.take_troubles() if with_exceptions or not each.is_exception]


def _check_open(page: LocalPage) -> None:
    if not page.is_open:
        raise NotShown("The browser has ended while it showed the scene.", hint="Try again.")


def as_not_shown(failure: Failure) -> Failure:
    """A browser that ends in the middle is a preview that failed."""
    return NotShown(failure.message, hint="Try again.") if isinstance(failure, Offline) else failure
