"""Whether a Terre runs on this machine and which of its games is ours. Knows its HTTP API, as of Terre 4.6."""

import asyncio
import json
import os
from contextlib import suppress
from urllib.parse import quote

from handrail.features.webgal.backends.terre.site import TerreSite

_WITHIN = 2.0
_LARGEST = 4 << 20


class TerreFinder:
    """`folder` is where the project lies: a game of Terre's is ours when its folder is the same."""

    def __init__(self, port: int, folder: str) -> None:
        self._port = port
        self._folder = folder
        self._known: TerreSite | None = None

    async def find(self, game: str) -> TerreSite | None:
        """None: none runs, or it does not have this game. The same one as before, as long as it has it."""
        name = await self._game_folder(game)
        if name is None:
            self._known = None
        elif self._known is None or self._known.game != name:
            self._known = TerreSite(f"127.0.0.1:{self._port}", name, quote(name))
        return self._known

    async def _game_folder(self, game: str) -> str | None:
        """Whatever else may listen there, and however it answers, is no Terre."""
        try:
            async with asyncio.timeout(_WITHIN):
                if b"OK" not in await self._get("/api/test"):
                    return None
                games = json.loads(await self._get("/api/manageGame/gameList"))
                status = json.loads(await self._get("/api/userData/status"))
        except (OSError, ValueError, RecursionError):
            return None
        root = status.get("activeUserDataRoot") if isinstance(status, dict) else None
        if not isinstance(root, str) or not isinstance(games, list):
            return None
        names = [each.get("dir") for each in games if isinstance(each, dict)]
        ours = os.path.join(self._folder, os.path.dirname(game))
        return await asyncio.to_thread(_at, ours, root, [name for name in names if isinstance(name, str)])

    async def _get(self, path: str) -> bytes:
        """The body of a whole answer; what leads elsewhere is none. OSError, ValueError: there is none."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            # As HTTP 1.0, so that the answer comes in one piece and ends with its connection.
            writer.write(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{self._port}\r\n\r\n".encode())
            answer = bytearray()
            while piece := await reader.read(1 << 16):
                answer += piece
                if len(answer) > _LARGEST:
                    raise ValueError("longer than any answer of Terre's")
        finally:
            writer.close()
        head, _, body = bytes(answer).partition(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            raise ValueError("not what was asked for")
        return body


def _at(folder: str, root: str, names: list[str]) -> str | None:
    """Which of these games lies in this folder."""
    ours = os.path.realpath(folder)
    for name in names:
        with suppress(ValueError):  # no path at all
            if os.path.realpath(os.path.join(root, "games", name)) == ours:
                return name
    return None
