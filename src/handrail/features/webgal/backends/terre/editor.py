"""A running WebGAL Terre with the project's game: its preview page, controlled over its websocket."""

import asyncio
import itertools
import json
import os
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

from handrail.features.browser.offers import PageProblem
from handrail.features.webgal.preview_ports import Destination, OnPoll, Position
from handrail.features.webgal.script.sync import PATH, V1, Generation, State, jump, parse_message, run_text

_RETRY_SECONDS = 1.0
"""A jump that was sent before the page connected is lost, so it is repeated."""
_SETTLED_SECONDS = 3.0


class TerreScreen:
    missing: Sequence[str] = ()
    newly_missing: Sequence[str] = ()
    broken: Sequence[str] = ()
    newly_broken: Sequence[str] = ()
    is_stuck = False
    is_stale = True  # files that its page has loaded may have changed on disk

    def __init__(self, host: str, address: str, on_close: Callable[["TerreScreen"], None]) -> None:
        self._host = host
        self._on_close = on_close
        self.address = self.name = address
        self._numbers = itertools.count(1)
        self._number = 0
        self._destination: Destination | None = None
        self._state: State | None = None
        self._listener: asyncio.Task[None] | None = None
        self._connection: ClientConnection | None = None

    @property
    def has_page(self) -> bool:
        return self._state is not None

    def take_problems(self) -> list[PageProblem]:
        return []

    def send_to(self, destination: Destination) -> None:
        self._destination, self._number = destination, next(self._numbers)
        if self._listener is None or self._listener.done():
            self._listener = asyncio.create_task(self._listen())

    async def wait_for_arrival(self, on_poll: OnPoll | None = None) -> Position:
        since, last, sent_at = time.monotonic(), None, 0.0
        while True:
            if on_poll is not None:
                on_poll()
            state, destination, now = self._state, self._destination, time.monotonic()
            is_there = state is not None and destination is not None and state.scene == self._scene()
            if state is not None and destination is not None:
                if (place := (state.scene, state.sentence)) != last:
                    last, since = place, now
                is_done = is_there and state.sentence >= destination.line
                if is_done or now - since >= _SETTLED_SECONDS:
                    name = destination.scene if is_there else state.scene
                    return Position(
                        name, state.sentence, state.stage, has_left=not is_there, is_waiting=is_there and not is_done
                    )
            if not is_there and now - sent_at >= _RETRY_SECONDS:
                await self._send()
                sent_at = now
            await asyncio.sleep(0.02)

    async def wait_until_quiet(self, missing: Collection[str]) -> None:
        """Returns at once: Terre's requests can't be observed."""

    def close(self) -> None:
        self._on_close(self)
        if self._listener is not None:
            self._listener.cancel()

    async def _listen(self) -> None:
        """On OSError or WebSocketException Terre is gone, and waiting for a state times out."""
        settings: dict[str, Any] = {"max_size": 8 << 20, "proxy": None, "open_timeout": 5, "close_timeout": 1}
        with suppress(OSError, WebSocketException, TimeoutError):
            async with connect(f"ws://{self._host}{PATH}", subprotocols=[Subprotocol(V1)], **settings) as connection:
                self._connection = connection
                async for text in connection:
                    message = parse_message(self._generation, text)
                    if isinstance(message, State):
                        self._state = message
        self._connection = None

    async def _send(self) -> None:
        connection, destination = self._connection, self._destination
        if connection is None or destination is None:
            return
        id = f"handrail-{self._number}"
        message = (
            jump(self._generation, self._scene(), destination.line, id)
            if destination.content is None
            else run_text(self._generation, destination.content, id)
        )
        with suppress(WebSocketException):
            await connection.send(message)

    @property
    def _generation(self) -> Generation:
        return "v1" if self._connection is not None and self._connection.subprotocol == V1 else "legacy"

    def _scene(self) -> str:
        """Engines call unsaved text `temp`; otherwise each jump has a different name."""
        assert self._destination is not None
        return (
            "temp" if self._destination.content is not None else f"{quote(self._destination.scene)}?jump={self._number}"
        )


class TerreSite:
    """`host` is Terre's address with its port, `game` the game's folder in Terre, `path` the same for a URL."""

    def __init__(self, host: str, game: str, path: str) -> None:
        self._host = host
        self.game = game
        self._address = f"http://{host}/games/{path}/"
        self._screens: set[TerreScreen] = set()

    def open_screen(self) -> TerreScreen:
        screen = TerreScreen(self._host, self._address, self._screens.discard)
        self._screens.add(screen)
        return screen

    async def close(self) -> None:
        for screen in list(self._screens):
            screen.close()


_TIMEOUT_SECONDS = 2.0
_MAX_ANSWER = 4 << 20


class TerreFinder:
    """`folder` is the project's folder. A game in Terre is ours if its folder is the same."""

    def __init__(self, port: int, folder: str) -> None:
        self._port = port
        self._folder = folder
        self._site: TerreSite | None = None

    async def find(self, game: str) -> TerreSite | None:
        """Returns None if Terre doesn't run or doesn't have this game; otherwise always the same object."""
        name = await self._game_folder(game)
        if name is None:
            self._site = None
        elif self._site is None or self._site.game != name:
            self._site = TerreSite(f"127.0.0.1:{self._port}", name, quote(name))
        return self._site

    async def _game_folder(self, game: str) -> str | None:
        """Returns the game's folder in Terre. Unexpected answers mean that it is another program."""
        try:
            async with asyncio.timeout(_TIMEOUT_SECONDS):
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
        return await asyncio.to_thread(_game_at, ours, root, [name for name in names if isinstance(name, str)])

    async def _get(self, path: str) -> bytes:
        """Returns the body of a complete answer; redirects are not followed. Raises OSError or ValueError."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            # HTTP 1.0, so that the answer isn't chunked and ends with its connection.
            writer.write(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{self._port}\r\n\r\n".encode())
            answer = bytearray()
            while piece := await reader.read(1 << 16):
                answer += piece
                if len(answer) > _MAX_ANSWER:
                    raise ValueError("longer than any answer of Terre's")
        finally:
            writer.close()
        head, _, body = bytes(answer).partition(b"\r\n\r\n")
        if head.split(b" ", 2)[1:2] != [b"200"]:
            raise ValueError("not what was asked for")
        return body


def _game_at(folder: str, root: str, names: list[str]) -> str | None:
    """Returns the game that is in this folder."""
    ours = os.path.realpath(folder)
    for name in names:
        with suppress(ValueError):  # not a valid path
            if os.path.realpath(os.path.join(root, "games", name)) == ours:
                return name
    return None
