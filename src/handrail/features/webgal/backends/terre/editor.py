"""A running WebGAL Terre that has the project's game: its preview page, controlled over its websocket."""

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

_AGAIN_AFTER = 1.0
"""A jump that was sent before the page was there is lost."""
_STAYS = 3.0


class TerreScreen:
    missing: Sequence[str] = ()
    newly_missing: Sequence[str] = ()
    broken: Sequence[str] = ()
    newly_broken: Sequence[str] = ()
    is_stale = True  # what its page has loaded may have changed on the disk

    def __init__(self, host: str, address: str, on_close: Callable[["TerreScreen"], None]) -> None:
        self._host = host
        self._on_close = on_close
        self.address = self.name = address
        self._numbers = itertools.count(1)
        self._number = 0
        self._destination: Destination | None = None
        self._state: State | None = None
        self._talk: asyncio.Task[None] | None = None
        self._line: ClientConnection | None = None

    @property
    def has_page(self) -> bool:
        return self._state is not None

    def take_problems(self) -> list[PageProblem]:
        return []

    def send_to(self, destination: Destination) -> None:
        self._destination, self._number = destination, next(self._numbers)
        if self._talk is None or self._talk.done():
            self._talk = asyncio.create_task(self._listen())

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
                if is_done or now - since >= _STAYS:
                    name = destination.scene if is_there else state.scene
                    return Position(
                        name, state.sentence, state.stage, has_left=not is_there, is_waiting=is_there and not is_done
                    )
            if not is_there and now - sent_at >= _AGAIN_AFTER:
                await self._send()
                sent_at = now
            await asyncio.sleep(0.02)

    async def wait_until_quiet(self, missing: Collection[str]) -> None:
        """Returns at once: Terre's requests can't be observed."""

    def close(self) -> None:
        self._on_close(self)
        if self._talk is not None:
            self._talk.cancel()

    async def _listen(self) -> None:
        """On OSError or WebSocketException Terre is gone; whoever waits for a state gets a timeout."""
        settings: dict[str, Any] = {"max_size": 8 << 20, "proxy": None, "open_timeout": 5, "close_timeout": 1}
        with suppress(OSError, WebSocketException, TimeoutError):
            async with connect(f"ws://{self._host}{PATH}", subprotocols=[Subprotocol(V1)], **settings) as line:
                self._line = line
                async for text in line:
                    told = parse_message(self._generation, text)
                    if isinstance(told, State):
                        self._state = told
        self._line = None

    async def _send(self) -> None:
        line, destination = self._line, self._destination
        if line is None or destination is None:
            return
        id = f"handrail-{self._number}"
        message = (
            jump(self._generation, self._scene(), destination.line, id)
            if destination.content is None
            else run_text(self._generation, destination.content, id)
        )
        with suppress(WebSocketException):
            await line.send(message)

    @property
    def _generation(self) -> Generation:
        return "v1" if self._line is not None and self._line.subprotocol == V1 else "legacy"

    def _scene(self) -> str:
        """Engines name unsaved text `temp`; otherwise each jump has a name of its own."""
        assert self._destination is not None
        return (
            "temp" if self._destination.content is not None else f"{quote(self._destination.scene)}?jump={self._number}"
        )


class TerreSite:
    """`host` is Terre's address with its port, `game` the game's folder in it, `path` the same for a URL."""

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


_WITHIN = 2.0
_LARGEST = 4 << 20


class TerreFinder:
    """`folder` is the project's folder. A game of Terre is ours if its folder is the same."""

    def __init__(self, port: int, folder: str) -> None:
        self._port = port
        self._folder = folder
        self._known: TerreSite | None = None

    async def find(self, game: str) -> TerreSite | None:
        """None if no Terre runs or it doesn't have this game. Otherwise the same object each time."""
        name = await self._game_folder(game)
        if name is None:
            self._known = None
        elif self._known is None or self._known.game != name:
            self._known = TerreSite(f"127.0.0.1:{self._port}", name, quote(name))
        return self._known

    async def _game_folder(self, game: str) -> str | None:
        """The game's folder in Terre. Any answer that Terre would not give means that this is another program."""
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
        """The body of a complete answer; redirects are not followed. OSError, ValueError."""
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
    """The game that is in this folder."""
    ours = os.path.realpath(folder)
    for name in names:
        with suppress(ValueError):  # no path at all
            if os.path.realpath(os.path.join(root, "games", name)) == ours:
                return name
    return None
