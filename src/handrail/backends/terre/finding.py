"""Whether a Terre runs on this machine and which of its games is ours. Knows its HTTP API, as of Terre 4.6."""

import asyncio
import json
import os
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote

from handrail.backends.terre.site import TerreSite

_WITHIN = 2.0
_LARGEST = 4 << 20


class _Staying(urllib.request.HTTPRedirectHandler):
    """What leads elsewhere is no Terre, and where it leads may be no place on this machine."""

    def redirect_request(self, *asked: Any) -> None:
        return None


class TerreFinder:
    """`folder` is where the project lies: a game of Terre's is ours when its folder is the same."""

    def __init__(self, port: int, folder: str) -> None:
        self._port = port
        self._folder = folder
        self._known: TerreSite | None = None

    async def find(self, game: str) -> TerreSite | None:
        """None: none runs, or it does not have this game. The same one as before, as long as it has it."""
        name = await asyncio.to_thread(self._game_folder, game)
        if name is None:
            self._known = None
        elif self._known is None or self._known.game != name:
            self._known = TerreSite(f"127.0.0.1:{self._port}", name, quote(name))
        return self._known

    def _game_folder(self, game: str) -> str | None:
        try:
            if b"OK" not in self._get("/api/test"):
                return None
            games = json.loads(self._get("/api/manageGame/gameList"))
            status = json.loads(self._get("/api/userData/status"))
        except (OSError, ValueError):
            return None
        ours = os.path.realpath(os.path.join(self._folder, os.path.dirname(game)))
        root = status.get("activeUserDataRoot") if isinstance(status, dict) else None
        if not isinstance(root, str) or not isinstance(games, list):
            return None
        names = [each.get("dir") for each in games if isinstance(each, dict)]
        return next((name for name in names if isinstance(name, str) and _is_at(root, name, ours)), None)

    def _get(self, path: str) -> bytes:
        # Without the proxies of the environment: what is asked is on this machine.
        opener: Any = urllib.request.build_opener(urllib.request.ProxyHandler({}), _Staying())
        with opener.open(f"http://127.0.0.1:{self._port}{path}", timeout=_WITHIN) as answer:
            return bytes(answer.read(_LARGEST))


def _is_at(root: str, name: str, ours: str) -> bool:
    return os.path.realpath(os.path.join(root, "games", name)) == ours
