"""One page of the browser before one screen: sent to a spot, waited for, brought to rest, photographed.

Before a screen of ours the page runs `preview.js` with its frames held; an editor's page is as it is.
"""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import unquote

from handrail.features.webgal.preview_ports import GameSite, LocalPage, Position, Screen, Spot, Trouble
from handrail.ports.errors import NotShown, Timeout

_LOOK = "window.handrailLook?.()"
_SETTLE = "window.handrailSettle ? handrailSettle() : new Promise((done) => setTimeout(done, 1500))"
_DRAW = "window.handrailDraw?.()"
_HELD = "#held"
# Otherwise an engine asks for a language first, and draws all the time, which takes long without a graphics card.
_IN_EDITOR = """localStorage.getItem("lang") ?? localStorage.setItem("lang", "0");
{ const frame = requestAnimationFrame; window.requestAnimationFrame = (run) => setTimeout(() => frame(run), 200); }"""
_ASKS_WITHIN = 1.5
_LOOK_EVERY = 0.02


@dataclass(frozen=True, slots=True)
class Patience:
    """In seconds: until an engine's page is there, and until it has done what it was sent for."""

    starting: float = 60.0
    arriving: float = 30.0


USUAL = Patience()


@dataclass(frozen=True, slots=True)
class Seat:
    site: GameSite
    page: LocalPage
    screen: Screen
    patience: Patience
    is_in_editor: bool

    @property
    def is_good(self) -> bool:
        return self.page.is_open and self.screen.has_page and not self.screen.is_stale

    def send_to(self, spot: Spot) -> None:
        """What was told before has nothing to do with it."""
        self.page.take_troubles()
        self.page.take_missing()
        self.screen.take_troubles()
        self.screen.send_to(spot)

    async def start(self) -> None:
        """NotShown: the engine does not speak."""
        try:
            async with asyncio.timeout(self.patience.starting):
                if self.is_in_editor:
                    await self.page.before_load(_IN_EDITOR)
                await self.page.go(self.screen.address + _HELD)
                while not self.screen.has_page:
                    self._check_open()
                    await asyncio.sleep(_LOOK_EVERY)
        except TimeoutError:
            troubles = self.page.take_troubles()
            why = f": {troubles[0].message}" if troubles else "."
            raise NotShown(
                f"The engine's page did not start within {self.patience.starting:g} s{why}",
                hint="Where the project brings its own engine, open its index.html in a browser and look there.",
            ) from None

    async def arrived(self, spot: Spot) -> Position:
        def look() -> None:
            self._check_open()
            self.page.run(_LOOK)

        hint = "Perhaps the scene goes round for ever: validate_script tells where (WG123)."
        async with self._in_time(f"The engine did not come to line {spot.line} of {spot.scene}", hint):
            return await self.screen.arrived(look)

    async def rest(self, fetched_ahead: Collection[str]) -> None:
        """Until pictures have come, transitions are over, and what is fetched ahead has been asked for."""
        with suppress(TimeoutError):  # of a large file that is still on its way, the picture shows what there is
            async with asyncio.timeout(_ASKS_WITHIN):
                await self.screen.quiet(fetched_ahead)
        async with self._in_time("The engine's stage did not come to rest"):
            await self.page.value(_SETTLE)

    async def picture(self) -> bytes:
        async with self._in_time("No picture of the engine's page could be taken"):
            await self.page.value(_DRAW)
            return await self.page.picture()

    def missing(self) -> tuple[list[str], list[str]]:
        """What the engine has asked for in vain since its page was loaded, and of that since it was last sent anywhere.

        Where the server is not ours, the page itself tells.
        """
        if not self.is_in_editor:
            return list(self.screen.missing), list(self.screen.newly_missing)
        prefix, urls = f"{self.screen.address}game/", self.page.take_missing()
        missed = list(dict.fromkeys(unquote(url.removeprefix(prefix)) for url in urls if url.startswith(prefix)))
        return missed, missed

    def troubles(self) -> list[Trouble]:
        """Of exceptions a screen of ours tells more than the page: where they were thrown."""
        by_page = [each for each in self.page.take_troubles() if self.is_in_editor or not each.is_exception]
        return [*self.screen.take_troubles(), *by_page]

    async def leave(self) -> None:
        self.screen.close()
        await self.page.close()

    def _check_open(self) -> None:
        if not self.page.is_open:
            raise NotShown("The browser has ended while it showed the scene.", hint="Try again.")

    @asynccontextmanager
    async def _in_time(self, what: str, hint: str = "Try again.") -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self.patience.arriving):
                yield
        except TimeoutError:
            raise Timeout(f"{what} within {self.patience.arriving:g} s.", hint=hint) from None
