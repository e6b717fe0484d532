"""The HTTP server of one game: serves its files and its engine's, below the secret path of an open screen.

It listens on loopback and accepts only the host names that a browser uses for it, so a page whose own host name
resolves to this address is refused. Files are read through the sandbox: no links out, and no folder listings.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

from handrail.features.webgal.backends.game_site import http
from handrail.features.webgal.backends.game_site.http import (
    SCRIPT_NAME,
    BadRequest,
    Request,
    insert_script,
    next_request,
    script,
)
from handrail.features.webgal.backends.game_site.screen import EngineSocket, GameScreen
from handrail.features.webgal.script.sync import PATH
from handrail.ports.errors import Failure, NotShown
from handrail.ports.files import Folder, Stamp

_MAX_PAGE = 4 << 20
_MAX_HEAD = 64 * 1024
_SCENES = "scene/"
_NEVER_SERVED = frozenset({"webgal-serviceworker.js"})


@dataclass(frozen=True, slots=True)
class Game:
    """`files` contains the game in its folder `game`, `engine` the engine's page in its folder `page`.

    `allows` returns whether the policy permits reading a path of `files`.
    """

    files: Folder
    game: str
    engine: Folder
    page: str
    allows: Callable[[str], bool]

    def path(self, name: str) -> str:
        return name if self.game == "." else f"{self.game}/{name}"

    def stamp(self, name: str) -> Stamp | None:
        return self._allowed_stamp(self.path(name))

    def engine_stamp(self, path: str) -> Stamp | None:
        """A project's own engine is part of its files, so the policy's rules apply to it."""
        return self.engine.stamp(path) if self.engine is not self.files else self._allowed_stamp(path)

    def _allowed_stamp(self, path: str) -> Stamp | None:
        """Rules name files in their one spelling, without `//` and `/./`."""
        parsed = "/".join(self.files.parse(path))
        return self.files.stamp(parsed) if self.allows(parsed) else None


class LocalGameSite:
    def __init__(self, game: Game) -> None:
        self._game = game
        self._screens: dict[str, GameScreen] = {}
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._port = 0

    @classmethod
    async def start(cls, game: Game) -> "LocalGameSite":
        site = cls(game)
        try:
            site._server = await asyncio.start_server(site._handle_connection, "127.0.0.1", 0, limit=_MAX_HEAD)
        except OSError as error:
            raise NotShown(f"Could not open a port for the preview: {error.strerror}.") from None
        site._port = site._server.sockets[0].getsockname()[1]
        return site

    def open_screen(self) -> GameScreen:
        screen = GameScreen(f"http://127.0.0.1:{self._port}", self._game.stamp, self._remove_screen)
        self._screens[screen.name] = screen
        return screen

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _remove_screen(self, name: str) -> None:
        self._screens.pop(name, None)

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            # If the browser or a file is gone, only this connection ends.
            with suppress(OSError, Failure, asyncio.CancelledError):
                await self._serve(reader, writer)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                request = await next_request(reader)
            except BadRequest:
                return await http.send_refusal(writer, HTTPStatus.BAD_REQUEST, is_last=True)
            if request is None:
                return None
            if request.headers.get("host") not in self._hosts:
                return await http.send_refusal(writer, HTTPStatus.MISDIRECTED_REQUEST, is_last=True)
            _, secret, *rest = request.path.split("/", 2)
            screen = self._screens.get(secret)
            if screen is None or not rest:
                await http.send_refusal(writer, HTTPStatus.NOT_FOUND)
            elif request.wants_socket:
                return await self._serve_socket(screen, request, reader, writer)
            else:
                with screen.answering():
                    await self._answer(screen, request, rest[0], writer)
            if not request.keeps_connection:
                return None

    @property
    def _hosts(self) -> tuple[str, ...]:
        return f"127.0.0.1:{self._port}", f"localhost:{self._port}"

    async def _serve_socket(
        self, screen: GameScreen, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if (
            request.path != f"/{screen.name}{PATH}"
            or request.headers.get("origin") != f"http://{request.headers['host']}"
        ):
            return await http.send_refusal(writer, HTTPStatus.FORBIDDEN, is_last=True)
        socket = EngineSocket.accept(request, writer)
        return None if socket is None else await screen.connect(socket, reader)

    async def _answer(self, screen: GameScreen, request: Request, name: str, writer: asyncio.StreamWriter) -> None:
        if name == SCRIPT_NAME:
            return await http.send_text(writer, request, script(), "text/javascript; charset=utf-8")
        if name in ("", "index.html"):
            page = await asyncio.to_thread(self._game.engine.read, _in(self._game.page, "index.html"), _MAX_PAGE)
            return await http.send_text(writer, request, insert_script(page), "text/html; charset=utf-8")
        if name.startswith("game/"):
            return await self._answer_game(screen, request, name.removeprefix("game/"), writer)
        path, stamp = _in(self._game.page, name), None
        if name not in _NEVER_SERVED:
            with suppress(Failure):
                stamp = await asyncio.to_thread(self._game.engine_stamp, path)
        if stamp is None:
            return await http.send_refusal(writer, HTTPStatus.NOT_FOUND)
        return await http.send_file(writer, request, self._game.engine, path, stamp)

    async def _answer_game(self, screen: GameScreen, request: Request, name: str, writer: asyncio.StreamWriter) -> None:
        if name.startswith(_SCENES) and (text := screen.draft(request.query)) is not None:
            return await http.send_text(writer, request, text, "text/plain; charset=utf-8")
        stamp = None
        with suppress(Failure):
            stamp = await asyncio.to_thread(self._game.stamp, name)
        screen.note(name, stamp)
        if stamp is None:
            return await http.send_refusal(writer, HTTPStatus.NOT_FOUND)
        return await http.send_file(writer, request, self._game.files, self._game.path(name), stamp)


def _in(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"
