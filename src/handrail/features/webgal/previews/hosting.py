"""Scenes shown for handrail's other processes. The port is HostedPreviews.

Only of the server's own project: who could name another folder would read it by what is served of it.
"""

import asyncio
from collections.abc import Callable

from handrail.features.webgal.hosted_previews import Ground, NotHosted, WantedScene
from handrail.features.webgal.preview_ports import ScenePreviews, Showing, Spot
from handrail.features.webgal.previews.sought_scene import SoughtScene, sought
from handrail.features.webgal.previews.theatre import as_not_shown
from handrail.ports.errors import Declined, Failure
from handrail.ports.files import Folder

_WHY_NOT = {
    "version": "`handrail up` runs in another version and does not show it.",
    "project": "`handrail up` runs for another project and does not show it.",
    "terre": "`handrail up` has another setting for `terre` and does not show it.",
    "terre_port": "`handrail up` has another setting for `terre_port` and does not show it.",
}


class TheatreHosting:
    """`may_read` says whether the policy lets a path of `files` be read."""

    def __init__(self, previews: ScenePreviews, files: Folder, may_read: Callable[[str], bool], ground: Ground) -> None:
        self._previews = previews
        self._files = files
        self._may_read = may_read
        self._ground = ground

    async def show(self, wanted: WantedScene) -> Showing:
        check_ground(self._ground, wanted.ground)
        scene = await asyncio.to_thread(self._allowed, wanted.path)
        spot = Spot(scene.name, wanted.line, wanted.content)
        try:
            return await self._previews.show(scene.game, spot, wanted.fetched_ahead)
        except Failure as failure:
            raise as_not_shown(failure) from None

    def _allowed(self, path: str) -> SoughtScene:
        scene = sought(self._files, path, self._may_read)
        if not self._may_read(scene.path):
            raise Declined(f"A rule hides {path}.", reason="policy", scenePath=path)
        return scene


def check_ground(ours: Ground, theirs: Ground) -> None:
    """NotHosted: what would be shown here is not what the other process means."""
    for name, why in _WHY_NOT.items():
        if getattr(ours, name) != getattr(theirs, name):
            raise NotHosted(why)
