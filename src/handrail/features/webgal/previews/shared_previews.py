"""Previews that the server shows for others: for handrail's other processes, and in a frame of the console."""

import asyncio
from collections.abc import Callable

from handrail.features.webgal.games import Games
from handrail.features.webgal.preview_ports import (
    Destination,
    Frame,
    NotHosted,
    PreviewContext,
    ScenePreviews,
    Screen,
    Showing,
    WantedScene,
)
from handrail.features.webgal.previews.place import SceneFile, find_scene
from handrail.features.webgal.previews.preview_session import PreviewSession, as_not_shown
from handrail.features.webgal.script.preview_log import first_shown_line
from handrail.ports.errors import Declined, Failure, NotShown
from handrail.ports.files import Folder

_MOST_SCREENS = 16
_WHY_NOT = {
    "version": "`handrail up` runs in another version and does not show it.",
    "project": "`handrail up` runs for another project and does not show it.",
    "terre": "`handrail up` has another setting for `terre` and does not show it.",
    "terre_port": "`handrail up` has another setting for `terre_port` and does not show it.",
}


class HostedScenes:
    """For other processes. `may_read` says whether the policy lets a path of `files` be read.

    Only of the server's own project: who could name another folder would read it by what is served of it.
    """

    def __init__(
        self, previews: ScenePreviews, files: Folder, may_read: Callable[[str], bool], context: PreviewContext
    ) -> None:
        self._previews = previews
        self._files = files
        self._may_read = may_read
        self._context = context

    async def show(self, wanted: WantedScene) -> Showing:
        """NotHosted: the caller stands elsewhere. Declined: a rule hides the scene. NotShown, Timeout."""
        check_context(self._context, wanted.context)
        scene = await asyncio.to_thread(self._allowed, wanted.path)
        destination = Destination(scene.name, wanted.line, wanted.content)
        try:
            return await self._previews.show(scene.game, destination, wanted.fetched_ahead)
        except Failure as failure:
            raise as_not_shown(failure) from None

    def _allowed(self, path: str) -> SceneFile:
        scene = find_scene(self._files, path, self._may_read)
        if not self._may_read(scene.path):
            raise Declined(f"A rule hides {path}.", reason="policy", scenePath=path)
        return scene


def check_context(ours: PreviewContext, theirs: PreviewContext) -> None:
    """NotHosted: what would be shown here is not what the other process means."""
    for name, why in _WHY_NOT.items():
        if getattr(ours, name) != getattr(theirs, name):
            raise NotHosted(why)


class ConsoleFrames:
    """The preview beside the text in the console: screens that follow a person's line.

    The iframe needs `sandbox="allow-scripts allow-same-origin"` and, in the console's policy for contents,
    `frame-src http://127.0.0.1:* http://localhost:*`; the preview lets itself be framed by this machine alone. It is
    another origin than the console (another port), so neither reads the other.
    """

    def __init__(self, preview_session: PreviewSession, games: Games) -> None:
        self._session = preview_session
        self._games = games
        self._screens: dict[str, tuple[str, Screen]] = {}

    async def show(
        self, path: str, line: int | None = None, content: str | None = None, screen: str | None = None
    ) -> Frame:
        """Opens a screen, or sends the one that is named to another place: the page in it follows at once.

        `path` is the scene's in the project; without a line, the first that shows something. `content` is unsaved
        text. A screen that is not known any more is opened anew. NotShown, NotFound, Damaged, OutsideRoot.
        """
        scene, text = await asyncio.to_thread(self._read, path, content)
        known = self._screens.get(screen or "")
        if known is None or known[0] != scene.game:
            known = scene.game, (await self._session.site(scene.game)).open_screen()
            self._keep(*known)
        shown = known[1]
        shown.send_to(Destination(scene.name, line or first_shown_line(text), content))
        return Frame(shown.name, shown.address)

    def hide(self, screen: str) -> None:
        """Its address leads nowhere from now on."""
        known = self._screens.pop(screen, None)
        if known is not None:
            known[1].close()

    def _read(self, path: str, content: str | None) -> tuple[SceneFile, str]:
        scene = find_scene(self._games.files, path, self._games.may_read)
        if not self._games.may_read(scene.path):
            raise NotShown(f"A rule hides {path}.", scenePath=path)
        return scene, self._games.text_of(scene.path) if content is None else content

    def _keep(self, game: str, screen: Screen) -> None:
        """The oldest goes when there are too many: its tab was closed long ago."""
        while len(self._screens) >= _MOST_SCREENS:
            self.hide(next(iter(self._screens)))
        self._screens[screen.name] = game, screen
