"""Who shows a scene: the server that runs, whose address outlives the call, or else this process. Both ports are given.

A server that ends in the middle is made up for here: showing a scene changes nothing, so it can be done again.
"""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from handrail.features.webgal.hosted_previews import NotHosted
from handrail.features.webgal.preview_ports import ScenePreviews, Showing, Spot
from handrail.ports.errors import Offline

ByServer = Callable[[str, Spot, Collection[str]], Awaitable[Showing]]
"""Offline: none runs, or it has ended. NotHosted: it does not show this. Anything else is what the scene came to."""


class KeptPreviews:
    def __init__(self, by_server: ByServer, own: ScenePreviews) -> None:
        self._by_server = by_server
        self._own = own

    async def show(self, game: str, spot: Spot, fetched_ahead: Collection[str] = ()) -> Showing:
        why = ""
        try:
            return await self._by_server(game, spot, fetched_ahead)
        except Offline:
            pass
        except NotHosted as refusal:
            why = f" {refusal.message}"
        showing = await self._own.show(game, spot, fetched_ahead)
        return replace(showing, whereabouts=showing.whereabouts + why)
