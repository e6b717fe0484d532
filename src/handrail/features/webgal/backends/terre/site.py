"""Terre as a place to show a game. Its screens share the game's one preview: a person's open page follows too."""

from handrail.features.webgal.backends.terre.screen import TerreScreen


class TerreSite:
    """`host` is Terre's with its port, `game` the folder of the game in it, `path` the same for an address."""

    def __init__(self, host: str, game: str, path: str) -> None:
        self._host = host
        self.game = game
        self._address = f"http://{host}/games/{path}/"
        self._screens: set[TerreScreen] = set()

    def open_screen(self) -> TerreScreen:
        screen = TerreScreen(self._host, self._address, self._screens.discard)
        self._screens.add(screen)
        return screen

    async def close(self) -> None:
        for screen in list(self._screens):
            screen.close()
