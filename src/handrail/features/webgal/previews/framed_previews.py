"""The preview beside the text in the console: screens that follow a person's line. The port is FramedPreviews."""

import asyncio

from handrail.features.webgal.games import Games
from handrail.features.webgal.preview_ports import Frame, Screen, Spot
from handrail.features.webgal.previews.sought_scene import SoughtScene, sought
from handrail.features.webgal.previews.theatre import Theatre
from handrail.features.webgal.script.showing import first_shown_line
from handrail.ports.errors import NotShown

_MOST_SCREENS = 16


class TheatreFrames:
    def __init__(self, theatre: Theatre, games: Games) -> None:
        self._theatre = theatre
        self._games = games
        self._screens: dict[str, tuple[str, Screen]] = {}

    async def show(
        self, path: str, line: int | None = None, content: str | None = None, screen: str | None = None
    ) -> Frame:
        scene, text = await asyncio.to_thread(self._read, path, content)
        known = self._screens.get(screen or "")
        if known is None or known[0] != scene.game:
            known = scene.game, (await self._theatre.site(scene.game)).open_screen()
            self._keep(*known)
        shown = known[1]
        shown.send_to(Spot(scene.name, line or first_shown_line(text), content))
        return Frame(shown.name, shown.address)

    def hide(self, screen: str) -> None:
        known = self._screens.pop(screen, None)
        if known is not None:
            known[1].close()

    def _read(self, path: str, content: str | None) -> tuple[SoughtScene, str]:
        scene = sought(self._games.files, path, self._games.may_read)
        if not self._games.may_read(scene.path):
            raise NotShown(f"A rule hides {path}.", scenePath=path)
        return scene, self._games.text_of(scene.path) if content is None else content

    def _keep(self, game: str, screen: Screen) -> None:
        """The oldest goes when there are too many: its tab was closed long ago."""
        while len(self._screens) >= _MOST_SCREENS:
            self.hide(next(iter(self._screens)))
        self._screens[screen.name] = game, screen
