"""Where scenes are shown: the servers of the project's games, the one page that is photographed, an address for people.

Everything is started when it is first needed and stays warm. Knows neither how a game is served nor how a browser is
driven.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from urllib.parse import quote, urlsplit

from handrail.features.webgal.preview_ports import GameSite, LocalBrowser, Screen, Showing, Spot
from handrail.features.webgal.previews.seat import USUAL, Patience, Seat
from handrail.ports.errors import Failure, NotShown, Offline

OpenSite = Callable[[str], Awaitable[GameSite]]
FindSite = Callable[[str], Awaitable[GameSite | None]]
_IN_EDITOR = "It is shown by WebGAL Terre."


async def _no_editor(game: str) -> GameSite | None:
    return None


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
        patience: Patience = USUAL,
    ) -> None:
        self._lifetime = lifetime
        self._open_browser = open_browser
        self._browser: LocalBrowser | None = None
        self._open_site = open_site
        self._find_editor = find_editor
        self._patience = patience
        self._sites: dict[str, GameSite] = {}
        self._public: dict[GameSite, Screen] = {}
        self._seat: Seat | None = None
        self._turn = asyncio.Lock()
        self._opening = asyncio.Lock()

    async def show(self, game: str, spot: Spot, fetched_ahead: Collection[str] = ()) -> Showing:
        """One at a time; the port is ScenePreviews."""
        async with self._turn:
            try:
                return await self._shown(game, spot, fetched_ahead)
            except BaseException:
                await self._leave()
                raise

    async def site(self, game: str) -> GameSite:
        async with self._opening:  # of two at once, the second gets the first one's
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
        async with self._opening:
            for site in self._sites.values():
                await site.close()
            self._sites.clear()

    async def _shown(self, game: str, spot: Spot, fetched_ahead: Collection[str]) -> Showing:
        began = time.monotonic()
        seat = await self._seated(game, spot)
        await seat.arrived(spot)
        seconds = time.monotonic() - began
        await seat.rest(fetched_ahead)
        position = await seat.arrived(spot)  # the last line may have led elsewhere meanwhile
        picture, missing, troubles = await seat.picture(), seat.missing(), seat.troubles()
        if position.is_waiting:
            await self._leave()  # what goes round in it would go on in the next scene
        url = f"{self._public_address(seat, spot)}#scene={quote(spot.scene.removesuffix('.txt'))}"
        whereabouts = _IN_EDITOR if seat.is_in_editor else self._lifetime
        return Showing(url, position, picture, *missing, troubles, seconds, whereabouts)

    async def _seated(self, game: str, spot: Spot) -> Seat:
        """The warm one where it still is, or a new page before a screen of its own; on its way to the spot."""
        editor = await self._find_editor(game)
        site = editor or await self.site(game)
        if self._seat is not None and self._seat.site is site and self._seat.is_good:
            self._seat.send_to(spot)
            return self._seat
        await self._leave()
        screen = site.open_screen()
        try:
            # A game reaches its own server alone. What it asks for elsewhere our own server makes the page tell.
            allowed, is_watched = [urlsplit(screen.address).netloc], editor is not None
            page = await self.browser().open_page(allowed, is_watched=is_watched)
        except BaseException:
            screen.close()
            raise
        seat = self._seat = Seat(site, page, screen, self._patience, editor is not None)
        seat.send_to(spot)
        await seat.start()
        return seat

    def _public_address(self, seat: Seat, spot: Spot) -> str:
        """A screen of ours for people; in an editor, everybody's."""
        if seat.is_in_editor:
            return seat.screen.address
        public = self._public.get(seat.site)
        if public is None:
            public = self._public[seat.site] = seat.site.open_screen()
        public.send_to(spot)
        return public.address

    async def _leave(self) -> None:
        seat, self._seat = self._seat, None
        if seat is not None:
            await seat.leave()


def as_not_shown(failure: Failure) -> Failure:
    """A browser that ends in the middle is a preview that failed."""
    return NotShown(failure.message, hint="Try again.") if isinstance(failure, Offline) else failure
