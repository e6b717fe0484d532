"""Opens the WebGAL part of a project: checks, scripts and previews."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from handrail import __version__
from handrail.features.webgal.engines import find_engine
from handrail.features.webgal.port import Checks, WebGal
from handrail.features.webgal.previews.preview_session import PreviewSession
from handrail.features.webgal.previews.scene_finder import has_games
from handrail.features.webgal.scripts import Scripts
from handrail.features.webgal.settings import WebGalSettings
from handrail.features.webgal.tools.browser_action import LocalTab
from handrail.ports.errors import NotShown
from handrail.ports.language import preferred_language

if TYPE_CHECKING:
    from handrail.features.webgal.backends.terre.editor import TerreFinder
    from handrail.features.webgal.game_view import GameView
    from handrail.features.webgal.preview_ports import (
        Destination,
        GameSite,
        PreviewContext,
        ScenePreviews,
        ShownScene,
    )
    from handrail.features.webgal.previews.shared_previews import ConsoleFrames, HostedScenes
    from handrail.features.webgal.remote_previews import RemotePreviews
    from handrail.kernel.project import Project

_TOOL = "preview_scene"
_WITH_SERVER = "The address works while `handrail up` runs."
_WITH_PROCESS = "The address works until the called process ends; `handrail up` keeps it."


def has_game(project: Project) -> bool:
    return has_games(project.files)


def open_webgal(project: Project) -> WebGal:
    policy = project.policy.current
    session = _preview_session(project)
    return WebGal(
        Checks(project.files, policy, preferred_language(os.environ) or "zh"),
        project.offer("workspace", "changes"),
        Scripts(project.files, policy, os.environ, sysconfig.get_path("scripts")),
        session if project.is_server else server_first(project, session),
        LocalTab(session, project.files),
        session,
    )


def review(project: Project) -> Callable[[str, bytes], None]:
    """Offers the workspace a check that refuses scenes with mistakes (NotClean)."""
    webgal: WebGal = project.part("webgal")
    return webgal.games.review


def game_view(project: Project) -> GameView:
    from handrail.features.webgal.game_view import GameView

    return GameView(project.part("webgal"))


def _preview_session(project: Project) -> PreviewSession:
    """Starts nothing until the first scene is shown."""
    files, settings = project.files, project.settings_of(WebGalSettings)
    terre: list[TerreFinder] = []

    async def open_site(game: str) -> GameSite:
        from handrail.features.webgal.backends.game_site.server import Game, LocalGameSite

        engine, page = find_engine(project.machine.open_folder, files, game)
        return await LocalGameSite.start(
            Game(files, game, engine, page, allows=lambda path: project.policy.current().may_read(_TOOL, path))
        )

    async def find_terre(game: str) -> GameSite | None:
        from handrail.features.webgal.backends.terre.editor import TerreFinder

        if settings.terre == "off":
            return None
        terre[:] = terre or [TerreFinder(settings.terre_port, files.location)]
        site = await terre[0].find(game)
        if site is None and settings.terre == "required":
            raise NotShown(
                f"`terre` is set to required, but no WebGAL Terre with this game runs on port {settings.terre_port}.",
                hint="Start Terre and open the game there, or set `terre` to auto so that handrail shows it.",
                port=settings.terre_port,
            )
        return site

    lifetime = _WITH_SERVER if project.is_server else _WITH_PROCESS
    return PreviewSession(lambda: project.offer("browser", "local_browser"), open_site, find_terre, lifetime=lifetime)


def server_first(project: Project, own: ScenePreviews) -> ScenePreviews:
    """For processes other than the server: shows scenes through this project's running server, or itself.

    The server is looked up when something is shown.
    """
    from handrail.features.webgal.previews.preview_session import ServerFirstPreviews

    remote: list[RemotePreviews] = []

    async def by_server(game: str, destination: Destination, fetched_ahead: Collection[str]) -> ShownScene:
        from handrail.features.webgal.remote_previews import RemotePreviews

        remote[:] = remote or [RemotePreviews(project.offer("browser", "server"), _preview_context(project))]
        return await remote[0].show(game, destination, fetched_ahead)

    return ServerFirstPreviews(by_server, own)


def hosted_previews(project: Project) -> HostedScenes:
    """For the server: the scenes that it shows for other processes."""
    from handrail.features.webgal.previews.shared_previews import HostedScenes

    webgal: WebGal = project.part("webgal")
    return HostedScenes(
        webgal.preview_session,
        project.files,
        lambda path: project.policy.current().may_read(_TOOL, path),
        _preview_context(project),
    )


def framed_previews(project: Project) -> ConsoleFrames:
    """For the console's server. Created once, because it keeps the open screens."""
    from handrail.features.webgal.previews.shared_previews import ConsoleFrames

    webgal: WebGal = project.part("webgal")
    return ConsoleFrames(webgal.preview_session, webgal.games)


def _preview_context(project: Project) -> PreviewContext:
    from handrail.features.webgal.preview_ports import PreviewContext

    settings = project.settings_of(WebGalSettings)
    return PreviewContext(__version__, os.path.realpath(project.location), settings.terre, settings.terre_port)
