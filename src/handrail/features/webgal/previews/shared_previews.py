"""Previews that the server shows for handrail's other processes, and in frames of the console."""

import asyncio
from collections.abc import Callable

from handrail.features.webgal.games import Games
from handrail.features.webgal.preview_ports import (
    Destination,
    Frame,
    NotHosted,
    PreviewContext,
    ScenePreviews,
    SceneRequest,
    Screen,
    ShownScene,
)
from handrail.features.webgal.previews.preview_session import PreviewSession, as_not_shown
from handrail.features.webgal.previews.scene_finder import SceneFile, find_scene
from handrail.features.webgal.script.route import first_event
from handrail.ports.errors import Declined, Failure, NotShown
from handrail.ports.files import Folder

_MOST_SCREENS = 16
_WHY_NOT = {
    "version": "`handrail up` runs another version and does not show it.",
    "project": "`handrail up` runs for another project and does not show it.",
    "terre": "`handrail up` has another setting for `terre` and does not show it.",
    "terre_port": "`handrail up` has another setting for `terre_port` and does not show it.",
}


class HostedScenes:
    """For other processes. `may_read` returns whether the policy permits reading a path of `files`.

    Only the server's own project is shown: a caller that could name any folder could read it.
    """

    def __init__(
        self, previews: ScenePreviews, files: Folder, may_read: Callable[[str], bool], context: PreviewContext
    ) -> None:
        self._previews = previews
        self._files = files
        self._may_read = may_read
        self._context = context

    async def show(self, request: SceneRequest) -> ShownScene:
        """Raises NotHosted if the caller's context differs, Declined if a rule hides the scene, NotShown, Timeout."""
        check_context(self._context, request.context)
        scene = await asyncio.to_thread(self._allowed, request.path, request.content is not None)
        destination = Destination(scene.name, request.line, request.content, request.as_jpeg)
        try:
            return await self._previews.show(scene.game, destination, request.fetched_ahead)
        except Failure as failure:
            raise as_not_shown(failure) from None

    def _allowed(self, path: str, is_unsaved: bool) -> SceneFile:
        scene = find_scene(self._files, path, self._may_read, is_unsaved=is_unsaved)
        if not self._may_read(scene.path):
            raise Declined(f"A rule hides {path}.", reason="policy", scenePath=path)
        return scene


def check_context(ours: PreviewContext, theirs: PreviewContext) -> None:
    """Raises NotHosted if this process would show something different from what the other one expects."""
    for name, why in _WHY_NOT.items():
        if getattr(ours, name) != getattr(theirs, name):
            raise NotHosted(why)


class ConsoleFrames:
    """The preview beside the text in the console: screens that follow the person's line.

    The iframe needs `sandbox="allow-scripts allow-same-origin"` and, in the console's content security policy,
    `frame-src http://127.0.0.1:* http://localhost:*`. Only pages of this machine can frame the preview. Its port
    makes it a different origin from the console, so neither can read the other.
    """

    def __init__(self, preview_session: PreviewSession, games: Games) -> None:
        self._session = preview_session
        self._games = games
        self._screens: dict[str, tuple[str, Screen]] = {}

    async def show(
        self, path: str, line: int | None = None, content: str | None = None, screen: str | None = None
    ) -> Frame:
        """Opens a screen, or sends an open one to another place, which its page follows at once.

        `path` is the scene's path in the project. Without a line, the first line that shows something. `content` is
        unsaved text. An unknown screen is opened again. Raises NotShown, NotFound, Damaged, OutsideRoot.
        """
        scene, text = await asyncio.to_thread(self._read, path, content)
        entry = self._screens.get(screen or "")
        if entry is None or entry[0] != scene.game:
            entry = scene.game, (await self._session.site(scene.game)).open_screen()
            self._keep(*entry)
        target_screen = entry[1]
        target_screen.send_to(Destination(scene.name, line or first_event(text), content))
        return Frame(target_screen.name, target_screen.address)

    def hide(self, screen: str) -> None:
        """The address stops working."""
        entry = self._screens.pop(screen, None)
        if entry is not None:
            entry[1].close()

    def _read(self, path: str, content: str | None) -> tuple[SceneFile, str]:
        scene = find_scene(self._games.files, path, self._games.may_read, is_unsaved=content is not None)
        if not self._games.may_read(scene.path):
            raise NotShown(f"A rule hides {path}.", scenePath=path)
        return scene, self._games.text_of(scene.path) if content is None else content

    def _keep(self, game: str, screen: Screen) -> None:
        """Closes the oldest screen when there are too many."""
        while len(self._screens) >= _MOST_SCREENS:
            self.hide(next(iter(self._screens)))
        self._screens[screen.name] = game, screen
