"""Previews of games: the server that shows one, the browser that looks at it, and in which process both live."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from handrail import __version__
from handrail.features.webgal.previews.preview_session import PreviewSession
from handrail.ports.errors import NotShown
from handrail.wiring.browsers import find_server
from handrail.wiring.engines import find_engine

if TYPE_CHECKING:
    from handrail.features.browser.remote_bus import RemotePreviews
    from handrail.features.webgal.backends.terre import TerreFinder
    from handrail.features.webgal.preview_ports import (
        Destination,
        GameSite,
        LocalBrowser,
        PreviewContext,
        ScenePreviews,
        Showing,
    )
    from handrail.features.webgal.previews.shared_previews import ConsoleFrames, HostedScenes
    from handrail.kernel.policy import Policy
    from handrail.ports.files import Folder
    from handrail.stores.local.settings import Settings
    from handrail.stores.local.state import State
    from handrail.wiring.house import House

_TOOL = "preview_scene"
_WITH_SERVER = "The address works while `handrail up` runs."
_WITH_PROCESS = "The address works as long as the process that was called; `handrail up` keeps it."


def open_preview_session(
    files: Folder, policy: Callable[[], Policy], settings: Settings, *, is_server: bool
) -> PreviewSession:
    """Nothing is started before the first scene is to be shown."""
    terre: list[TerreFinder] = []

    async def open_site(game: str) -> GameSite:
        from handrail.features.webgal.backends.game_site import Game, LocalGameSite

        engine, page = find_engine(files, game)
        return await LocalGameSite.start(
            Game(files, game, engine, page, allows=lambda path: policy().may_read(_TOOL, path))
        )

    async def find_terre(game: str) -> GameSite | None:
        from handrail.features.webgal.backends.terre import TerreFinder

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

    return PreviewSession(_browser, open_site, find_terre, lifetime=_WITH_SERVER if is_server else _WITH_PROCESS)


def kept_previews(own: PreviewSession, state: State, settings: Settings, files: Folder) -> ScenePreviews:
    """For every other process than the server: by the server where one runs for this project, otherwise by ourselves.

    The other side is loaded, and looked for, when there is something to be shown.
    """
    from handrail.features.webgal.previews.preview_session import ServerFirstPreviews

    remote: list[RemotePreviews] = []

    async def by_server(game: str, destination: Destination, fetched_ahead: Collection[str]) -> Showing:
        from handrail.features.browser.remote_bus import RemotePreviews

        remote[:] = remote or [RemotePreviews(find_server(state.path), _preview_context(settings, files))]
        return await remote[0].show(game, destination, fetched_ahead)

    return ServerFirstPreviews(by_server, own)


def hosted_previews(house: House) -> HostedScenes:
    """For the server: what it shows for those other processes."""
    from handrail.features.webgal.previews.shared_previews import HostedScenes

    files = house.project
    return HostedScenes(
        house.preview_session,
        files,
        lambda path: house.policy.current().may_read(_TOOL, path),
        _preview_context(house.settings, files),
    )


def framed_previews(house: House) -> ConsoleFrames:
    """For the console's server, once: screens are known to the one that opened them."""
    from handrail.features.webgal.previews.shared_previews import ConsoleFrames

    return ConsoleFrames(house.preview_session, house.registry.find(_TOOL).surface.port.games)


def _preview_context(settings: Settings, files: Folder) -> PreviewContext:
    from handrail.features.webgal.preview_ports import PreviewContext

    return PreviewContext(__version__, os.path.realpath(files.location), settings.terre, settings.terre_port)


def _browser() -> LocalBrowser:
    from handrail.features.browser.chromium.headless import HeadlessChromium

    return HeadlessChromium()
