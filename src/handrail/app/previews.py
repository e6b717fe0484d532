"""Previews of games: the engine that is found, the server that shows it, the browser that looks at it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from handrail import __version__
from handrail.app.browsers import find_server
from handrail.contract.errors import Failure, NotShown
from handrail.surfaces.webgal.theatre import Theatre

if TYPE_CHECKING:
    from handrail.app.house import House
    from handrail.backends.remote_bus import RemotePreviews
    from handrail.backends.terre import TerreFinder
    from handrail.contract.files import Folder
    from handrail.contract.hosted_previews import Ground, HostedPreviews
    from handrail.contract.preview import FramedPreviews, GameSite, LocalBrowser, ScenePreviews, Showing, Spot
    from handrail.core.policy import Policy
    from handrail.store.settings import Settings
    from handrail.store.state import State

ENGINE_FOLDER = Path(__file__).parents[1] / "engine"
_TOOL = "preview_scene"
_PAGE = "index.html"
_LARGEST_PAGE = 4 << 20
_WITH_SERVER = "The address works while `handrail up` runs."
_WITH_PROCESS = "The address works as long as the process that was called; `handrail up` keeps it."


def open_theatre(files: Folder, policy: Callable[[], Policy], settings: Settings, *, is_server: bool) -> Theatre:
    """Nothing is started before the first scene is to be shown."""
    terre: list[TerreFinder] = []

    async def open_site(game: str) -> GameSite:
        from handrail.backends.game_site import Game, LocalGameSite

        engine, page = _engine(files, game)
        return await LocalGameSite.start(
            Game(files, game, engine, page, allows=lambda path: policy().may_read(_TOOL, path))
        )

    async def find_terre(game: str) -> GameSite | None:
        from handrail.backends.terre import TerreFinder

        if settings.terre == "off":
            return None
        terre[:] = terre or [TerreFinder(settings.terre_port, files.location)]
        found = await terre[0].find(game)
        if found is None and settings.terre == "required":
            raise NotShown(
                f"No WebGAL Terre that has this game runs on port {settings.terre_port}, and `terre` wants one.",
                hint="Start Terre and open the game there, or set `terre` to auto: then handrail shows it by itself.",
                port=settings.terre_port,
            )
        return found

    return Theatre(_browser, open_site, find_terre, lifetime=_WITH_SERVER if is_server else _WITH_PROCESS)


def kept_previews(own: Theatre, state: State, settings: Settings, files: Folder) -> ScenePreviews:
    """For every other process than the server: by the server where one runs for this project, otherwise by ourselves.

    The other side is loaded, and looked for, when there is something to be shown.
    """
    from handrail.surfaces.webgal.kept_previews import KeptPreviews

    remote: list[RemotePreviews] = []

    async def by_server(game: str, spot: Spot, fetched_ahead: Collection[str]) -> Showing:
        from handrail.backends.remote_bus import RemotePreviews

        remote[:] = remote or [RemotePreviews(find_server(state.path), _ground(settings, files))]
        return await remote[0].show(game, spot, fetched_ahead)

    return KeptPreviews(by_server, own)


def hosted_previews(house: House) -> HostedPreviews:
    """For the server: what it shows for those other processes."""
    from handrail.surfaces.webgal.hosting import TheatreHosting

    games = house.registry.find(_TOOL).surface.port.games
    return TheatreHosting(house.theatre, games, _ground(house.settings, house.project))


def framed_previews(house: House) -> FramedPreviews:
    """For the console's server, once: screens are known to the one that opened them."""
    from handrail.surfaces.webgal.framed_previews import TheatreFrames

    return TheatreFrames(house.theatre, house.registry.find(_TOOL).surface.port.games)


def _ground(settings: Settings, files: Folder) -> Ground:
    from handrail.contract.hosted_previews import Ground

    return Ground(__version__, os.path.realpath(files.location), settings.terre, settings.terre_port)


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
