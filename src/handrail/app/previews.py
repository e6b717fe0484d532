"""Previews of games: the engine that is found, the server that shows it, the browser that looks at it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from handrail.contract.errors import Failure, NotShown
from handrail.surfaces.webgal.theatre import Theatre

if TYPE_CHECKING:
    from handrail.app.house import House
    from handrail.contract.files import Folder
    from handrail.contract.preview import FramedPreviews, GameSite, LocalBrowser
    from handrail.core.policy import Policy

ENGINE_FOLDER = Path(__file__).parents[1] / "engine"
_TOOL = "preview_scene"
_PAGE = "index.html"
_LARGEST_PAGE = 4 << 20
_WITH_SERVER = "The address works while `handrail up` runs."
_WITH_PROCESS = "The address works as long as the process that was called; `handrail up` keeps it."


def open_theatre(files: Folder, policy: Callable[[], Policy], *, is_server: bool) -> Theatre:
    """Nothing is started before the first scene is to be shown."""

    async def open_site(game: str) -> GameSite:
        from handrail.backends.game_site import Game, LocalGameSite

        engine, page = _engine(files, game)
        return await LocalGameSite.start(
            Game(files, game, engine, page, allows=lambda path: policy().may_read(_TOOL, path))
        )

    return Theatre(_browser, open_site, lifetime=_WITH_SERVER if is_server else _WITH_PROCESS)


def framed_previews(house: House) -> FramedPreviews:
    """For the console's server, once: screens are known to the one that opened them."""
    from handrail.surfaces.webgal.framed_previews import TheatreFrames

    return TheatreFrames(house.theatre, house.registry.find(_TOOL).surface.port.games)


def _browser() -> LocalBrowser:
    from handrail.backends.chromium.headless import HeadlessChromium

    return HeadlessChromium()


def _engine(files: Folder, game: str) -> tuple[Folder, str]:
    """Where the engine's page lies: beside the game, where the project brings an engine of its own, or with us."""
    from handrail.backends.localfs.folder import LocalFolder

    above = game.rpartition("/")[0] or "."
    try:
        page = files.read(_PAGE if above == "." else f"{above}/{_PAGE}", _LARGEST_PAGE)
    except Failure:
        page = b""
    if game != "." and b"webgal" in page.lower():
        return files, above
    if not (ENGINE_FOLDER / _PAGE).is_file():
        raise NotShown(
            "The WebGAL engine is not installed, and the project brings none.",
            hint="Run `make setup`; a wheel brings it along. Or put a built engine beside the game's folder.",
        )
    return LocalFolder.open(str(ENGINE_FOLDER)), "."
