"""What stands in for WebGAL Terre, which can't be installed from npm: its HTTP API, its games and its websocket.

It speaks to editors in the protocol's first version and to the 4.5 engine in the older one, as Terre 4.6 does.
"""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from handrail.features.webgal.engines import ENGINE_FOLDER

V1 = "webgal-editor-preview-sync.v1"


class TerreStandIn:
    """Answers only 404 until it is `running`."""

    def __init__(self, root: Path, game: str) -> None:
        self._root, self._game = root, game
        self._is_on = False
        self._editors: set[WebSocket] = set()
        self._engines: set[WebSocket] = set()
        listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = listening.getsockname()[1]
        self._server = uvicorn.Server(
            uvicorn.Config(self._app(), log_level="error", lifespan="off", ws="websockets-sansio")
        )
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]})
        self._thread.start()

    @contextmanager
    def running(self) -> Iterator[None]:
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False

    def close(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join()

    def _app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/api/test", lambda _: self._if_on(PlainTextResponse("WebGAL Terre API Test OK"))),
                Route("/api/manageGame/gameList", lambda _: self._if_on(JSONResponse([self._game_info()]))),
                Route("/api/userData/status", lambda _: self._if_on(JSONResponse({"activeUserDataRoot": self._where}))),
                Route("/games/{path:path}", self._file),
                WebSocketRoute("/api/webgalsync", self._talk),
            ]
        )

    @property
    def _where(self) -> str:
        return str(self._root)

    def _game_info(self) -> dict[str, str]:
        return {"name": "demo", "dir": self._game, "cover": "", "template": ""}

    def _if_on(self, answer: Response) -> Response:
        return answer if self._is_on else PlainTextResponse("no", 404)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["path"].removeprefix(f"{self._game}/") or "index.html"
        own = self._root / "games" / self._game / name
        file = own if own.is_file() and not own.is_symlink() else ENGINE_FOLDER / name
        return FileResponse(file) if file.is_file() else PlainTextResponse("Not Found", 404)

    async def _talk(self, line: WebSocket) -> None:
        is_editor = V1 in line.scope["subprotocols"]
        await line.accept(V1 if is_editor else None)
        peers = self._editors if is_editor else self._engines
        peers.add(line)
        try:
            async for text in line.iter_text():
                await self._pass_on(line, json.loads(text), is_editor=is_editor)
        finally:
            peers.discard(line)

    async def _pass_on(self, line: WebSocket, message: dict[str, Any], *, is_editor: bool) -> None:
        if is_editor and message["type"] == "preview.command.sync-scene":
            await line.send_json({**message, "kind": "response", "payload": {}})
            place = {"scene": message["payload"]["sceneName"], "sentence": message["payload"]["sentenceId"]}
            data = {"command": 0, "sceneMsg": place, "message": "Sync", "stageSyncMsg": {}}
            for engine in list(self._engines):
                await engine.send_json({"event": "message", "data": data})
        elif not is_editor and message["data"]["command"] == 1:
            place, stage = message["data"]["sceneMsg"], message["data"]["stageSyncMsg"]
            payload = {"sceneName": place["scene"], "sentenceId": place["sentence"], "stageState": stage}
            for editor in list(self._editors):
                await editor.send_json({"kind": "event", "type": "stage.snapshot.updated", "payload": payload})
